"""Topics after new documents: places that follow the training, words that are appended, changes
beyond chance.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from tests.oracles.subjects import fitted
from undertow.topics import Atlas, Change, Drift
from undertow.topics._statistics import TermStatistics
from undertow.topics.drift import NewDocuments, _is_change, _moved, _with_words, with_sizes
from undertow.vectors.joining import unit


def new_documents(
    atlas: Atlas, turn: np.ndarray[tuple[int, int], np.dtype[np.float64]], number: int
) -> NewDocuments:
    """Documents whose vectors training turned; the last has no known word."""
    generator = np.random.default_rng(0)
    before = unit(generator.random((number, atlas.routes.shape[1])))
    after = (before @ turn).astype(np.float32)
    before[-1] = np.nan
    return NewDocuments(
        before, after, sparse.csr_array(np.zeros((number, len(atlas.words)), dtype=np.int32))
    )


def test_places_follow_what_training_did_to_new_documents() -> None:
    """20,000 documents outweigh the thirty that say that nothing changed: what is left is some 32 *
    30 / 20,000.
    """
    atlas = fitted().model.atlas_
    units = atlas.routes.shape[1]
    turn = np.linalg.qr(np.eye(units) + 0.1 * np.random.default_rng(1).normal(size=(units, units)))[
        0
    ]
    moved = _moved(atlas, new_documents(atlas, turn, 20_000))
    for ours, old in ((moved.routes, atlas.routes), (moved.kept.vectors, atlas.kept.vectors)):
        cosines = (ours * unit(old @ turn)).sum(axis=1)
        assert cosines.min() > 0.99
        assert cosines.min() > (ours * old).sum(axis=1).min()
    assert (
        np.abs(moved.means - atlas.means @ turn).max()
        < 0.1 * np.abs(atlas.means - atlas.means @ turn).max()
    )


def test_nothing_moves_where_training_changed_nothing() -> None:
    atlas = fitted().model.atlas_
    moved = _moved(atlas, new_documents(atlas, np.eye(atlas.routes.shape[1]), 50))
    np.testing.assert_allclose(moved.routes, atlas.routes, rtol=0, atol=4 * 2.0**-24)
    none = new_documents(atlas, np.eye(atlas.routes.shape[1]), 1)
    assert _moved(atlas, none) is atlas


def test_words_are_appended_before_pairs() -> None:
    atlas, words = fitted().model.atlas_, len(fitted().model.atlas_.words)
    leaves = len(atlas.sizes)
    pair = sparse.csr_array(np.arange(1, leaves + 1, dtype=np.int32)[:, None])
    npmi = sparse.lil_array((words + 1, words + 1), dtype=np.float32)
    npmi[2, words], npmi[words, 2] = 0.5, 0.5
    terms = TermStatistics(
        sparse.csr_array(sparse.hstack([atlas.terms.counts[:, :words], pair], format="csr")),
        np.append(atlas.terms.frequencies[:words], 77),
        atlas.terms.sizes,
        sparse.csr_array(npmi),
        words,
    )
    paired = replace(atlas, pairs=np.array([[0, 1]], dtype=np.int32), terms=terms)
    found = _with_words(paired, (*atlas.words, "quince", "nectarine"))
    assert found.words[words:] == ("quince", "nectarine")
    assert found.term(words + 2) == f"{atlas.words[0]} {atlas.words[1]}"
    counts = found.terms.counts.toarray()
    np.testing.assert_array_equal(counts[:, :words], atlas.terms.counts.toarray()[:, :words])
    np.testing.assert_array_equal(
        counts[:, words:], np.stack([0 * pair.toarray()[:, 0]] * 2 + [pair.toarray()[:, 0]], 1)
    )
    assert found.terms.frequencies[words:].tolist() == [0, 0, 77]
    assert found.terms.npmi[2, words + 2] == found.terms.npmi[words + 2, 2] == 0.5
    assert found.terms.words == words + 2
    assert _with_words(paired, atlas.words) is paired


def test_sizes_are_counted_block_by_block() -> None:
    model = fitted().model
    vectors = next(model._vectors_of_texts(fitted().table))
    counted = with_sizes(model.atlas_, [vectors[:70], vectors[70:70], vectors[70:]])
    np.testing.assert_array_equal(counted.sizes, model.atlas_.sizes)
    twice = with_sizes(
        model.atlas_, [vectors, np.full((5, vectors.shape[1]), np.nan, dtype=np.float32), vectors]
    )
    np.testing.assert_array_equal(twice.sizes, 2 * model.atlas_.sizes)
    assert twice.documents == 2 * len(vectors) + 5


@pytest.mark.parametrize(
    ("before", "after", "documents", "told"),
    [
        (0.1, 0.2, 1000, True),
        (0.1, 0.2, 50, False),  # 2.4 standard errors
        (0.1, 0.12, 10_000, False),  # less than a quarter
        (0.1, 0.05, 1000, True),
        (0.5, 0.5, 10**6, False),
        (0.0, 0.01, 1000, True),
    ],
)
def test_a_change_is_beyond_chance_and_large_enough(
    before: float, after: float, documents: int, told: bool
) -> None:
    assert _is_change(Change(1, "x", before, after), documents) == told


def test_drift_reads_as_a_sentence() -> None:
    grown = Change(3, "moon, mars", 0.1, 0.25)
    assert str(Drift(10, (), (grown,), ())) == "grew: moon, mars (10.0% to 25.0%)"
    assert str(Drift(10, (), (), ())) == "no topic changed by more than chance"
