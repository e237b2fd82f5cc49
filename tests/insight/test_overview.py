"""A collection at a glance, against plain loops over its documents; and how it is kept."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from undertow import InvalidInput, TopicModel
from undertow.corpus import open_corpus
from undertow.insight import (
    Overview,
    TopicsOverTime,
    overview,
    overview_of_index,
    overview_of_texts,
    stored_overview,
)
from undertow.insight.overview import routes_of
from undertow.search import Index
from undertow.topics.atlas import SAME_TEXT


def assert_same(one: Overview, other: Overview, *, but: tuple[str, ...] = ()) -> None:
    for field in fields(Overview):
        if field.name in but:
            continue
        first, second = getattr(one, field.name), getattr(other, field.name)
        if isinstance(first, np.ndarray):
            np.testing.assert_array_equal(first, second)
            assert first.dtype == second.dtype
        elif isinstance(first, TopicsOverTime):
            for part in fields(TopicsOverTime):
                np.testing.assert_array_equal(getattr(first, part.name), getattr(second, part.name))
        else:
            assert first == second, field.name


# What it says


def unit_vectors(model: TopicModel, texts: Any) -> Any:
    vectors = model.encode(texts, "strength")
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_it_is_what_a_loop_over_the_documents_finds(model: TopicModel, table: pl.DataFrame) -> None:
    found = overview_of_texts(model, table)
    atlas = model.atlas_
    products = unit_vectors(model, table["text"]) @ atlas.routes.T
    assert found.ids == table["id"].to_list()
    assert (len(found), found.sampled_from, found.state) == (120, 120, None)
    assert found.labels == ("cars", "fruit")
    for row in range(120):
        label = table["label"][row]
        assert found.label_of[row] == (-1 if label is None else found.labels.index(label))
        assert products[row, found.leaves[row]] == pytest.approx(products[row].max(), abs=1e-3)
        assert found.nearness[row] == pytest.approx(products[row].max(), abs=1e-3)
        day = table["time"][row]
        assert found.times is not None
        midnight = (
            None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
        )
        assert np.isnan(found.times[row]) if midnight is None else found.times[row] == midnight
    assert found.time_kind == "date"
    assert found.over_time is not None
    assert found.over_time.documents.sum() == 119
    assert found.over_time.counts.sum() == 119
    assert found.over_time.counts.shape == (len(found.over_time.documents), len(atlas.tree.leaves))


@pytest.mark.parametrize("n", [2, 5])
def test_any_cut_is_a_sum_over_leaves(model: TopicModel, table: pl.DataFrame, n: int) -> None:
    found, atlas = overview_of_texts(model, table), model.atlas_
    nodes = atlas.cut(n)
    inside = [set(atlas.tree.leaf_rows(node).tolist()) for node in nodes]
    topics = found.topics(atlas, nodes)
    for row in range(120):
        assert found.leaves[row] in inside[topics[row]]
    assert found.sizes(atlas, nodes).tolist() == [
        int((topics == place).sum()) for place in range(n)
    ]
    assert found.times is not None
    assert found.over_time is not None
    shares, edges = found.over_time.shares(atlas, nodes), found.over_time.edges
    for place, (low, high) in enumerate(pairwise(edges)):
        here = np.flatnonzero((found.times >= low) & (found.times < high))
        for topic in range(n):
            expected = (topics[here] == topic).sum() / len(here) if len(here) else 0.0
            assert shares[place, topic] == pytest.approx(expected)


def test_a_dropped_topic_is_none(model: TopicModel, table: pl.DataFrame) -> None:
    found, kept = overview_of_texts(model, table), model.atlas_
    dropped = kept.cut(4)[-1]
    atlas = kept.changed(kept.tree.with_dropped(dropped, True))
    nodes = atlas.cut(4)
    topics = found.topics(atlas, nodes)
    gone = np.isin(found.leaves, kept.tree.leaf_rows(dropped))
    assert (topics[gone] == -1).all()
    assert (topics[~gone] >= 0).all()
    assert routes_of(atlas) == routes_of(kept)


def test_typical_documents_are_nearest_to_the_mean(model: TopicModel, table: pl.DataFrame) -> None:
    found, atlas = overview_of_texts(model, table), model.atlas_
    vectors = unit_vectors(model, table["text"])
    means = atlas.means / np.linalg.norm(atlas.means, axis=1, keepdims=True)
    for leaf, kept in enumerate(found.typical):
        chosen: list[int] = []
        inside = np.flatnonzero(found.leaves == leaf)
        for row in inside[np.argsort(-(vectors[inside] @ means[leaf]), kind="stable")]:
            if len(chosen) < 6 and all(
                vectors[row] @ vectors[other] < SAME_TEXT for other in chosen
            ):
                chosen.append(int(row))
        rows = [int(row) for row in kept if row >= 0]
        assert kept.tolist() == rows + [-1] * (6 - len(rows))
        np.testing.assert_allclose(
            vectors[rows] @ means[leaf], vectors[chosen] @ means[leaf], atol=2e-3
        )


def test_typical_documents_of_a_topic(model: TopicModel, table: pl.DataFrame) -> None:
    found, atlas = overview_of_texts(model, table), model.atlas_
    vectors = unit_vectors(model, table["text"])
    for node in atlas.cut(2):
        rows = found.typical_of(atlas, node, 4)
        assert len(rows) == len(set(rows)) == 4
        direction = atlas.directions([node])[0]
        means = atlas.means[found.leaves[rows]]
        score = found.nearness[rows] * (means @ direction) / np.linalg.norm(means, axis=1)
        assert (np.diff(score) <= 1e-6).all()  # the best first
        assert set(found.leaves[rows].tolist()) <= set(atlas.tree.leaf_rows(node).tolist())
        near = vectors @ atlas.directions([node])[0]
        inside = np.isin(found.leaves, atlas.tree.leaf_rows(node))
        assert near[rows].mean() > near[inside].mean()
    assert len(found.typical_of(atlas, atlas.cut(2)[0], 1000)) <= 60


def test_an_index_and_its_texts_have_the_same_overview(
    index: Index, model: TopicModel, table: pl.DataFrame
) -> None:
    of_index = overview_of_index(index)
    assert of_index.state == index.state
    assert_same(of_index, overview_of_texts(model, table), but=("state", "map_seconds"))


def test_texts_are_any_corpus(model: TopicModel, table: pl.DataFrame, tmp_path: Path) -> None:
    table.write_csv(tmp_path / "corpus.csv")
    kept = ("map_seconds",)
    expected = overview_of_texts(model, table)
    assert_same(overview_of_texts(model, open_corpus(tmp_path / "corpus.csv")), expected, but=kept)
    plain = overview_of_texts(model, table["text"].to_list())
    assert plain.ids == [str(number) for number in range(120)]
    assert (plain.labels, plain.times, plain.time_kind, plain.over_time) == ((), None, None, None)
    assert set(plain.label_of.tolist()) == {-1}
    np.testing.assert_array_equal(plain.positions, expected.positions)


def test_a_document_without_a_known_word(model: TopicModel) -> None:
    found = overview_of_texts(model, ["plum pear", "zanzibar", "wheel road"])
    assert np.isnan(found.positions[1]).all()
    assert np.isfinite(found.positions[[0, 2]]).all()
    assert (found.leaves[1], found.nearness[1]) == (-1, 0.0)
    nodes = model.atlas_.cut(2)
    assert found.topics(model.atlas_, nodes)[1] == -1
    assert found.sizes(model.atlas_, nodes).sum() == 2
    assert 1 not in found.typical


def test_documents_that_are_the_same_are_typical_once(model: TopicModel) -> None:
    found = overview_of_texts(model, ["plum pear plum"] * 30 + ["wheel road"])
    assert {0, 30} <= set(found.typical.ravel().tolist()) <= {-1, 0, 30}
    assert all(rows.tolist().count(0) <= 1 for rows in found.typical)


def test_of_many_documents_a_sample(
    monkeypatch: pytest.MonkeyPatch, index: Index, model: TopicModel, table: pl.DataFrame
) -> None:
    monkeypatch.setattr(overview, "MOST_DOCUMENTS", 50)
    found = overview_of_index(index)
    order = table["id"].to_list()
    assert (len(found.ids), len(set(found.ids)), found.sampled_from) == (50, 50, 120)
    assert found.ids == sorted(found.ids, key=order.index)
    assert_same(found, overview_of_texts(model, table), but=("state", "map_seconds"))
    monkeypatch.setattr(overview, "MOST_DOCUMENTS", 1000)
    everything = overview_of_texts(model, table["text"])
    rows = [order.index(name) for name in found.ids]
    np.testing.assert_array_equal(found.leaves, everything.leaves[rows])
    monkeypatch.setattr(overview, "MOST_DOCUMENTS", 50)
    assert_same(stored_overview(index) or found, found)


def test_batches_do_not_matter(
    monkeypatch: pytest.MonkeyPatch, index: Index, model: TopicModel, table: pl.DataFrame
) -> None:
    expected = overview_of_texts(model, table)
    monkeypatch.setattr(overview, "ROWS", 17)
    found = overview_of_index(index)
    assert_same(found, expected, but=("state", "map_seconds", "nearness"))
    # The product of a last, short batch may sum its units in another order.
    np.testing.assert_allclose(found.nearness, expected.nearness, rtol=0, atol=12 * 2.0**-24)


def test_an_empty_index(tmp_path: Path, model: TopicModel) -> None:
    found = overview_of_index(Index.create(tmp_path / "empty", model))
    assert (len(found), found.positions.shape, found.over_time) == (0, (0, 2), None)
    assert found.sizes(model.atlas_, model.atlas_.cut(2)).tolist() == [0, 0]
    assert set(found.typical.ravel().tolist()) == {-1}
    assert_same(stored_overview(Index.open(tmp_path / "empty")) or found, found)


def test_progress_of_reading_and_of_the_map(index: Index) -> None:
    told: list[tuple[int, int]] = []
    overview_of_index(index, progress=lambda done, of: told.append((done, of)))
    done = [first for first, _ in told]
    assert done == sorted(done)
    assert (done[0], done[-1], {of for _, of in told}) == (200, 1000, {1000})


def test_the_extra_is_asked_for_before_any_work(
    monkeypatch: pytest.MonkeyPatch, index: Index
) -> None:
    monkeypatch.setattr("undertow._extras.find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match=r"undertow\[explorer\]"):
        overview_of_index(index)
    with pytest.raises(InvalidInput, match=r"undertow\[explorer\]"):
        overview_of_texts(index.model, ["plum"])
