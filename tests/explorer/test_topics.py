"""What the routes about topics answer, beside what the model says itself."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.explorer.asking import TestClient, explorer, got, refused
from undertow import TopicModel
from undertow.explorer._topics import first_cut
from undertow.insight import overview_of_index
from undertow.search import Index
from undertow.topics import Branch


@pytest.fixture(scope="module")
def client(small_index: Path) -> Iterator[TestClient]:
    with explorer(small_index) as asked:
        yield asked


@pytest.fixture(scope="module")
def bare(model_folder: Path) -> Iterator[TestClient]:
    """A model without documents."""
    with explorer(model_folder) as asked:
        yield asked


@pytest.mark.parametrize("n", [None, 2, 8, 16, 20])
def test_a_cut_is_that_of_the_model(
    bare: TestClient, small_model: TopicModel, most: int, n: int | None
) -> None:
    found = got(bare, "/api/topics", **({} if n is None else {"n": n}))
    records = small_model.topics(n)
    assert [one["id"] for one in found["topics"]] == [record.id for record in records]
    assert (found["n"], found["least"], found["most"]) == (n or small_model.atlas_.chosen, 2, most)
    assert (found["chosen"], len(found["topics"])) == (small_model.atlas_.chosen, len(records))
    figures = [(one["n"], one["agreement"]) for one in found["stability"]]
    assert figures == [
        (n, pytest.approx(figure, abs=1e-4)) for n, figure in small_model.choose_topics().figures
    ]
    for record, told in zip(records, found["topics"], strict=True):
        assert (told["name"], told["documents"]) == (record.name, record.documents)
        assert told["share"] == pytest.approx(record.share)
        assert [one["word"] for one in told["words"]] == [one.word for one in record.words]
        assert [one["salience"] for one in told["words"]] == pytest.approx(
            [one.salience for one in record.words], abs=1e-4
        )
        assert [one["word"] for one in told["phrases"]] == [one.word for one in record.phrases]
        assert (told["parent"], told["children"]) == (record.parent, list(record.children))
        quoted = [
            {"id": one.id, "title": one.title, "sentence": one.sentence}
            for one in record.typical[:1]
        ]
        assert told["typical"] == [{**one, "here": False} for one in quoted]
        assert quoted


def test_the_coarser_topics_above_a_cut_are_those_of_branches(
    bare: TestClient, small_model: TopicModel
) -> None:
    found = got(bare, "/api/topics", n=16)

    def inner(branches: tuple[Branch, ...] | list[Branch]) -> set[int]:
        return {one.topic.id for one in branches if one.branches} | {
            node for one in branches for node in inner(one.branches)
        }

    assert inner(small_model.topic_tree(16))
    assert {one["id"] for one in found["above"]} == inner(small_model.topic_tree(16))
    assert got(bare, "/api/topics", n=8)["above"] == []


def test_quotations_lead_to_documents_that_are_there(
    client: TestClient, tmp_path: Path, small_model: TopicModel
) -> None:
    for one in got(client, "/api/topics")["topics"]:
        assert one["typical"][0]["here"]
        assert (
            got(client, f"/api/documents/{one['typical'][0]['id']}")["title"]
            == one["typical"][0]["title"]
        )
    Index.create(
        tmp_path / "other", small_model, pl.DataFrame({"id": ["x"], "text": ["apple pear"]})
    )
    with explorer(tmp_path / "other") as other:
        assert not any(one["typical"][0]["here"] for one in got(other, "/api/topics")["topics"])


def test_the_tree_is_that_of_the_model(bare: TestClient, small_model: TopicModel) -> None:
    found, atlas = got(bare, "/api/tree"), small_model.atlas_
    assert found["parents"] == atlas.tree.parents.tolist()
    assert (found["root"], found["leaves"]) == (atlas.tree.root, atlas.tree.leaves.tolist())
    assert (found["sizes"], found["documents"], found["of"]) == (
        atlas.sizes.tolist(),
        atlas.documents,
        "training",
    )
    assert found["names"][found["root"]] is None
    assert found["names"][3] == small_model.topic(3).name
    heights = atlas.tree.heights
    ranks = [np.inf if rank is None else rank for rank in found["ranks"]]
    assert np.array_equal(np.argsort(ranks, kind="stable"), np.argsort(heights, kind="stable"))
    assert (found["dropped"], found["renamed"], found["chosen"]) == ([], [], atlas.chosen)


def test_sizes_are_those_of_the_index(client: TestClient, small_index: Path) -> None:
    index = Index.open(small_index)
    overview, atlas = overview_of_index(index), index.model.atlas_
    found = got(client, "/api/tree")
    assert (found["of"], found["documents"], sum(found["sizes"])) == ("index", 301, 300)
    nodes = atlas.cut()
    sizes = {one["id"]: one["documents"] for one in got(client, "/api/topics")["topics"]}
    assert [sizes[node] for node in nodes] == overview.sizes(atlas, nodes).tolist()


def test_answers_are_not_sent_twice(client: TestClient) -> None:
    for path in ("/api/tree", "/api/topics", "/api/topics?n=5"):
        first = client.get(path)
        tag = first.headers["etag"]
        again = client.get(path, headers={"If-None-Match": f'"other", {tag}'})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200
    assert client.get("/api/topics?n=6").headers["etag"] != tag


def test_one_topic(client: TestClient, small_index: Path) -> None:
    index = Index.open(small_index)
    model, overview = index.model, overview_of_index(index)
    atlas = model.atlas_
    node = atlas.cut()[1]
    page, record = got(client, f"/api/topics/{node}"), model.topic(node, n_words=30)
    assert (page["name"], page["documents"], page["dropped"]) == (
        record.name,
        record.documents,
        False,
    )
    assert [one["word"] for one in page["words"]] == [one.word for one in record.words]
    assert len(page["words"]) > 5
    assert [one["id"] for one in page["path"]] == above(model, node)
    assert sorted(one["id"] for one in page["parts"]) == sorted(record.children)
    assert sum(one["documents"] for one in page["parts"]) == page["documents"]
    assert [one["id"] for one in page["units"]] == [one.id for one in record.units]
    assert [one["name"] for one in page["units"]] == model.unit_names(
        [one.id for one in record.units]
    )
    assert overview.over_time is not None
    shares = overview.over_time.shares(atlas, [node])[:, 0]
    assert page["over_time"]["share"] == pytest.approx(shares.tolist())
    rows = overview.typical_of(atlas, node, 10)
    assert [one["id"] for one in page["typical"]] == [overview.ids[row] for row in rows]
    words = {one["word"] for one in page["words"]}
    for one in page["typical"]:
        assert words & set(one["sentence"].lower().replace(".", "").split())


def above(model: TopicModel, node: int) -> list[int]:
    found: list[int] = []
    parent = model.atlas_.tree.parent(node)
    while parent is not None:
        found.insert(0, parent)
        parent = model.atlas_.tree.parent(parent)
    return found


def test_neighbours_are_beside_a_topic_and_not_in_it(
    bare: TestClient, small_model: TopicModel
) -> None:
    atlas = small_model.atlas_
    for node in (*atlas.cut(), int(atlas.tree.leaves[4]), atlas.cut(3)[0]):
        page = got(bare, f"/api/topics/{node}")
        cosines = [one["similarity"] for one in page["neighbours"]]
        assert cosines == sorted(cosines, reverse=True)
        assert cosines
        for one in page["neighbours"]:
            assert one["id"] not in atlas.tree.below(node)
            assert node not in atlas.tree.below(one["id"])
        best = page["neighbours"][0]
        pair = atlas.directions([node, best["id"]])
        assert best["similarity"] == pytest.approx(float(pair[0] @ pair[1]), abs=1e-5)


def test_since_is_the_first_cut_that_holds_a_topic(small_model: TopicModel, most: int) -> None:
    atlas = small_model.atlas_
    for node in range(len(atlas.tree.parents) - 1):
        inside = atlas.tree.below(node)
        slow = next(n for n in range(2, most + 1) if inside & set(atlas.tree.cut(n)))
        assert first_cut(atlas, node) == slow


@pytest.mark.parametrize(
    ("topic", "status"), [("999", 404), ("-1", 422), ("one", 422), ("9" * 30, 422)]
)
def test_topics_that_are_none(
    client: TestClient, small_model: TopicModel, topic: str, status: int
) -> None:
    refused(client, status, f"/api/topics/{topic}")
    refused(client, 404, f"/api/topics/{small_model.atlas_.tree.root}")


def test_a_model_without_a_tree(
    tmp_path: Path, small_model: TopicModel, small_table: pl.DataFrame
) -> None:
    """As earlier versions made them."""
    old = deepcopy(small_model)
    del old.atlas_
    Index.create(tmp_path / "old", old, small_table)
    with explorer(tmp_path / "old") as client:
        assert got(client, "/api/about")["topics"] is None
        for path in ("/api/tree", "/api/topics", "/api/topics/1", "/api/curation"):
            assert "has no tree of topics" in refused(client, 404, path)
        assert got(client, "/api/units")["units"]
        assert got(client, "/api/search", q="apple")["results"][0]["topics"] == []
        about = got(client, "/api/about")
        assert (about["overview"], "tree of topics" in about["overview_error"]) == ("failed", True)
