"""The figures that the explorer sends to plotly: those of undertow.plot, and nothing that its pages could not draw."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.explorer.asking import TestClient, background, explorer, got, refused
from undertow import TopicModel, plot
from undertow.insight import overview_of_index
from undertow.search import Index

FIGURES = ("/api/figures/training", "/api/figures/training?columns=1", "/api/figures/time?topics=2,5")


@pytest.fixture(scope="module")
def client(small_index: Path) -> Iterator[TestClient]:
    with explorer(small_index) as asked:
        yield asked


def as_sent(figure: Any) -> Any:
    return json.loads(figure.to_json())


@pytest.mark.parametrize("columns", [None, 1, 2, 6])
def test_training_is_the_figure_of_notebooks(client: TestClient, small_model: TopicModel, columns: int | None) -> None:
    asked = {} if columns is None else {"columns": columns}
    assert got(client, "/api/figures/training", **asked) == as_sent(plot.history(small_model, **asked))


def test_topics_over_time_are_the_figure_of_notebooks(client: TestClient, small_index: Path) -> None:
    index = Index.open(small_index)
    overview = overview_of_index(index)
    chosen = got(client, "/api/figures/time", topics="5,2")
    assert chosen == as_sent(plot.over_time(overview, index.model, [5, 2]))
    names = index.model.unit_names()
    assert [trace["name"] for trace in chosen["data"][:-1]] == [names[5][:32], names[2][:32]]
    assert got(client, "/api/figures/time") == as_sent(plot.over_time(overview, index.model))


@pytest.mark.parametrize("path", FIGURES)
def test_figures_are_drawn_without_code_made_at_run_time(client: TestClient, path: str) -> None:
    """The policy of the pages forbids what plotly's WebGL traces do; and plotly draws on what the page has."""
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
    assert client.get("/api/figures/time?topics=3").headers["etag"] != tag
    assert client.head(path).content == b""


@pytest.mark.parametrize(
    ("path", "parameters", "message"),
    [
        ("time", {"topics": "12"}, "topics must be from 0 to 11, got 12"),
        ("time", {"topics": "1,x"}, "topics must be whole numbers with commas between them, got 'x'"),
        ("time", {"topics": "-1"}, "topics must be whole numbers"),
        ("time", {"topics": ",".join(map(str, range(101)))}, "topics must be at most 100 numbers, got 101"),
        ("time", {"topics": "1," * 2001}, "topics: string should have at most 4000 characters"),
        ("training", {"columns": "0"}, "columns: input should be greater than or equal to 1"),
        ("training", {"columns": "7"}, "columns: input should be less than or equal to 6"),
        ("training", {"columns": "two"}, "columns: input should be a valid integer"),
    ],
)
def test_figures_that_cannot_be_made(client: TestClient, path: str, parameters: dict[str, str], message: str) -> None:
    assert message in refused(client, 422, f"/api/figures/{path}", **parameters)


def test_topics_over_time_wait_for_the_overview(small_index: Path) -> None:
    with explorer(small_index) as client:
        got(client, "/api/figures/time", topics="1")  # kept from now on, which must not matter
        behind = background(client)
        behind.overview, behind.state, behind.progress = None, "computing", 0.25
        answer = client.get("/api/figures/time?topics=1")
        assert (answer.status_code, answer.headers["cache-control"]) == (409, "no-store")
        assert (answer.json()["state"], answer.json()["progress"]) == ("computing", 0.25)
        assert got(client, "/api/figures/training")["data"]


def test_a_model_has_training_and_no_times(model_folder: Path, small_model: TopicModel) -> None:
    with explorer(model_folder) as client:
        assert got(client, "/api/figures/training") == as_sent(plot.history(small_model))
        answer = client.get("/api/figures/time?topics=1")
        assert (answer.status_code, answer.json()["state"]) == (409, "absent")


def test_neither_times_nor_a_history(tmp_path: Path, small_model: TopicModel) -> None:
    forgetful = deepcopy(small_model)
    forgetful.softmax_.history_ = []
    table = pl.DataFrame({"id": [f"d{number}" for number in range(40)], "text": ["apple pear", "rocket moon"] * 20})
    Index.create(tmp_path / "bare", forgetful, table)
    with explorer(tmp_path / "bare") as client:
        assert "there are no times" in refused(client, 404, "/api/figures/time", topics="1")
        assert "there is no history" in refused(client, 404, "/api/figures/training")


def test_figures_are_described(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    answer = paths["/api/figures/time"]["get"]["responses"]
    assert answer["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/Figure")
    assert {"404", "409", "422"} <= set(answer)
    assert "/api/figures/training" in client.get("/api").text
