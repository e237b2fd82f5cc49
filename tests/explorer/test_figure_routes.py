"""The figures that the explorer sends to plotly: those of undertow.plot, and nothing that its pages
could not draw.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.explorer.asking import TestClient, explorer, got, refused
from undertow import TopicModel, plot
from undertow.search import Index

FIGURES = ("/api/figures/training", "/api/figures/training?columns=1")


@pytest.fixture(scope="module")
def client(small_index: Path) -> Iterator[TestClient]:
    with explorer(small_index) as asked:
        yield asked


def as_sent(figure: Any) -> Any:
    return json.loads(figure.to_json())


@pytest.mark.parametrize("columns", [None, 1, 2, 6])
def test_training_is_the_figure_of_notebooks(
    client: TestClient, small_model: TopicModel, columns: int | None
) -> None:
    asked = {} if columns is None else {"columns": columns}
    assert got(client, "/api/figures/training", **asked) == as_sent(
        plot.history(small_model, **asked)
    )


@pytest.mark.parametrize("path", FIGURES)
def test_figures_are_drawn_without_code_made_at_run_time(client: TestClient, path: str) -> None:
    """The policy of the pages forbids what plotly's WebGL traces do; and plotly draws on what the
    page has.
    """
    figure = got(client, path)
    assert set(figure) == {"data", "layout"}
    assert {trace["type"] for trace in figure["data"]} <= {"scatter", "bar"}
    assert figure["layout"]["template"]["layout"]["paper_bgcolor"] == "rgba(0, 0, 0, 0)"


@pytest.mark.parametrize("path", FIGURES)
def test_figures_are_not_sent_twice(client: TestClient, path: str) -> None:
    first = client.get(path)
    tag = first.headers["etag"]
    again = client.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert client.get("/api/figures/training?columns=3").headers["etag"] != tag
    assert client.head(path).content == b""


@pytest.mark.parametrize(
    ("path", "parameters", "message"),
    [
        ("training", {"columns": "0"}, "columns: input should be greater than or equal to 1"),
        ("training", {"columns": "7"}, "columns: input should be less than or equal to 6"),
        ("training", {"columns": "two"}, "columns: input should be a valid integer"),
    ],
)
def test_figures_that_cannot_be_made(
    client: TestClient, path: str, parameters: dict[str, str], message: str
) -> None:
    assert message in refused(client, 422, f"/api/figures/{path}", **parameters)


def test_a_model_has_training(model_folder: Path, small_model: TopicModel) -> None:
    with explorer(model_folder) as client:
        assert got(client, "/api/figures/training") == as_sent(plot.history(small_model))


def test_no_history(tmp_path: Path, small_model: TopicModel) -> None:
    forgetful = deepcopy(small_model)
    forgetful.softmax_.history_ = []
    table = pl.DataFrame(
        {"id": [f"d{number}" for number in range(40)], "text": ["apple pear", "rocket moon"] * 20}
    )
    Index.create(tmp_path / "bare", forgetful, table)
    with explorer(tmp_path / "bare") as client:
        assert "there is no history" in refused(client, 404, "/api/figures/training")


def test_figures_are_described(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    answer = paths["/api/figures/training"]["get"]["responses"]
    assert answer["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/Figure")
    assert {"404", "422"} <= set(answer)
    assert "/api/figures/training" in client.get("/api").text
