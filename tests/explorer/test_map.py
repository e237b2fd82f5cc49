"""The map as bytes, its documents, and topics over time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from tests.explorer.asking import TestClient, explorer, got, refused
from undertow import TopicModel
from undertow.explorer.source import plain_time
from undertow.insight import Overview, overview_of_index
from undertow.search import Index


@pytest.fixture(scope="module")
def client(small_index: Path) -> Iterator[TestClient]:
    with explorer(small_index) as asked:
        yield asked


@pytest.fixture(scope="module")
def overview(client: TestClient, small_index: Path) -> Overview:
    return overview_of_index(Index.open(small_index))


def unpacked(body: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays, as a browser reads them."""
    length = int(np.frombuffer(body, "<u4", 1)[0])
    header = json.loads(body[4 : 4 + length])
    arrays = {}
    for part in header["arrays"]:
        begin = 4 + length + part["offset"]
        assert begin % 8 == 0  # a typed array can be laid over it
        kind = np.dtype(part["type"]).newbyteorder("<")
        arrays[part["name"]] = np.frombuffer(
            body, kind, int(np.prod(part["shape"])), begin
        ).reshape(part["shape"])
    return header, arrays


def test_the_map_is_the_overview(client: TestClient, overview: Overview) -> None:
    answer = client.get("/api/map")
    assert answer.headers["content-type"] == "application/octet-stream"
    header, arrays = unpacked(answer.content)
    assert len(overview.ids) == 301  # an odd number, so that arrays have to be padded
    assert (header["n"], header["labels"], header["sampled_from"]) == (
        301,
        list(overview.labels),
        301,
    )
    assert header["time_kind"] == "date"
    assert [part["name"] for part in header["arrays"]] == ["positions", "leaves", "labels", "times"]
    np.testing.assert_array_equal(arrays["positions"], overview.positions)
    np.testing.assert_array_equal(arrays["leaves"], overview.leaves)
    known = np.isfinite(arrays["positions"][:, 0])
    assert (arrays["leaves"][known] >= 0).all()  # every point on the map has a topic
    np.testing.assert_array_equal(arrays["labels"], overview.label_of)
    assert overview.times is not None
    np.testing.assert_array_equal(arrays["times"], overview.times)


def test_the_map_is_packed_for_those_who_take_it(client: TestClient) -> None:
    plain = client.get("/api/map", headers={"Accept-Encoding": "identity"})
    packed = client.get("/api/map", headers={"Accept-Encoding": "br, gzip;q=0.5"})
    never = client.get("/api/map", headers={"Accept-Encoding": "gzip;q=0"})
    assert ("content-encoding" in plain.headers, "content-encoding" in never.headers) == (
        False,
        False,
    )
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"])
    assert packed.content == plain.content == never.content
    assert packed.headers["vary"] == "Accept-Encoding"
    again = client.get("/api/map", headers={"If-None-Match": packed.headers["etag"]})
    assert again.status_code == 304


def test_documents_of_the_map(
    client: TestClient, overview: Overview, small_table: pl.DataFrame
) -> None:
    shown = got(client, "/api/map/documents", rows="40,3, 300,3")["documents"]
    assert [one["row"] for one in shown] == [40, 3, 300]
    texts = dict(small_table.select("id", "text").iter_rows())
    for one in shown:
        assert one["id"] == overview.ids[one["row"]]
        assert one["text"] == texts[one["id"]][:200]
        assert one["leaf"] == overview.leaves[one["row"]]
    assert len(shown[0]["text"]) == 200
    assert got(client, "/api/map/documents", rows="")["documents"] == []


def test_topics_over_time(client: TestClient, overview: Overview, small_model: TopicModel) -> None:
    known, atlas = overview.over_time, small_model.atlas_
    assert known is not None
    for parameters, nodes in (
        ({}, atlas.cut()),
        ({"n": 15}, atlas.cut(15)),
        ({"topics": "3,1"}, [3, 1]),
    ):
        found = got(client, "/api/time", **parameters)
        assert found["edges"] == known.edges.tolist()
        assert found["documents"] == known.documents.tolist()
        assert sum(found["documents"]) == 300  # one has no time
        assert [one["id"] for one in found["topics"]] == nodes
        np.testing.assert_allclose(found["shares"], known.shares(atlas, nodes).T, atol=1e-5)
        assert found["kind"] == "date"


def test_documents_by_time_and_leaf(client: TestClient, overview: Overview) -> None:
    found = got(client, "/api/time/leaves")
    assert overview.over_time is not None
    np.testing.assert_array_equal(found["counts"], overview.over_time.counts)
    assert np.sum(found["counts"]) == 300


def test_topics_over_time_are_counted_once(client: TestClient, small_model: TopicModel) -> None:
    tree = small_model.atlas_.tree
    leaf = int(tree.leaves[0])
    assert "must not lie in each other" in refused(
        client, 422, "/api/time", topics=f"{leaf},{tree.parent(leaf)}"
    )
    assert "topics must be the id of a topic" in refused(client, 422, "/api/time", topics="999")


def test_an_index_without_labels_and_times(tmp_path: Path, small_model: TopicModel) -> None:
    table = pl.DataFrame(
        {"id": [f"d{number}" for number in range(40)], "text": ["apple pear", "rocket moon"] * 20}
    )
    Index.create(tmp_path / "bare", small_model, table)
    with explorer(tmp_path / "bare") as client:
        about = got(client, "/api/about")
        assert (about["labels"], about["has"]["time"], about["overview"]) == ([], False, "ready")
        header, arrays = unpacked(client.get("/api/map").content)
        assert (header["labels"], header["time_kind"]) == ([], None)
        assert (arrays["labels"] == -1).all()
        assert np.isnan(arrays["times"]).all()
        assert "there are no times" in refused(client, 404, "/api/time")
        assert "there are no times" in refused(client, 404, "/api/time/leaves")
        assert got(client, "/api/topics/1")["over_time"] is None


def test_numbers_for_times(tmp_path: Path, small_model: TopicModel) -> None:
    table = pl.DataFrame(
        {
            "id": [f"d{number}" for number in range(40)],
            "text": ["apple pear", "rocket moon"] * 20,
            "time": [1990.0 + number for number in range(39)] + [float("nan")],
        }
    )
    Index.create(tmp_path / "years", small_model, table)
    with explorer(tmp_path / "years") as client:
        assert unpacked(client.get("/api/map").content)[0]["time_kind"] == "number"
        assert got(client, "/api/time")["kind"] == "number"
        assert got(client, "/api/documents/d3")["time"] == 1993.0
        assert got(client, "/api/documents/d39")["time"] is None  # JSON has no nan
    assert (plain_time(float("nan")), plain_time(float("inf")), plain_time(1.5)) == (
        None,
        None,
        1.5,
    )


def test_an_empty_index(tmp_path: Path, small_model: TopicModel) -> None:
    Index.create(tmp_path / "empty", small_model)
    with explorer(tmp_path / "empty") as client:
        about = got(client, "/api/about")
        assert (about["documents"], about["kind"]) == (0, "index")
        assert about["overview"] in ("ready", "failed")
        for mode in ("hybrid", "semantic", "text", "code"):
            assert got(client, "/api/search", q="apple", mode=mode)["results"] == []
        assert client.get("/api/map").status_code in (200, 409)
        assert not any(one["here"] for one in got(client, "/api/topics/1")["typical"])


def test_a_model_has_no_map(model_folder: Path) -> None:
    with explorer(model_folder) as client:
        for path in ("/api/map", "/api/map/documents?rows=1", "/api/time", "/api/time/leaves"):
            answer = client.get(path)
            assert answer.status_code == 409
            assert (answer.json()["state"], answer.json()["progress"]) == ("absent", 0.0)
