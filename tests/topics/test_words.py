"""Which terms describe a topic, and in which order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from undertow.topics._statistics import TermStatistics, count_terms, pair_npmi
from undertow.topics._words import coherence, near_forms, ranked, without_repetition


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("car", "cars"),
        ("israel", "israeli"),
        ("israel", "israelis"),
        ("government", "governments"),
        ("play", "player"),
        ("play", "players"),
        ("church", "churches"),
        ("use", "used"),
        ("quick", "quickly"),
        ("armenia", "armenian"),
        ("same", "same"),
        ("nation", "national"),
        ("city", "cities"),
        ("asia", "asian"),
        ("see", "seen"),
    ],
)
def test_forms_of_one_word(first: str, second: str) -> None:
    assert near_forms(first, second)
    assert near_forms(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("car", "card"),
        ("car", "care"),
        ("god", "gold"),
        ("bus", "bush"),
        ("mac", "macro"),
        ("space", "spanish"),
        ("window", "winter"),
        ("he", "hes"),
        ("", "s"),
        ("win", "wine"),
        ("bar", "barn"),
        ("test", "jest"),
    ],
)
def test_other_words(first: str, second: str) -> None:
    assert not near_forms(first, second)
    assert not near_forms(second, first)


def test_repetition_is_left_out_in_order() -> None:
    words = ["car", "cars", "engine", "card", "engines", "road", "wheel"]
    found = without_repetition(range(7), words.__getitem__, 4)
    assert [words[term] for term in found] == ["car", "engine", "card", "road"]
    taken = without_repetition(range(7), words.__getitem__, 2, taken=["roads", "car"])
    assert [words[term] for term in taken] == ["engine", "card"]
    assert without_repetition([], words.__getitem__, 3) == []


def statistics(
    presence: NDArray[np.int64], labels: NDArray[np.int64], words: int
) -> TermStatistics:
    leaves = int(labels.max()) + 1
    matrix = sparse.csr_array(presence.astype(np.int32))
    every = [np.arange(presence.shape[1], dtype=np.int32)]
    counts = count_terms(matrix, labels.astype(np.int32), leaves)
    sizes = np.bincount(labels, minlength=leaves)
    return TermStatistics(
        counts, (presence > 0).sum(axis=0), sizes, pair_npmi(matrix, every), words
    )


def one_topic_in_two(
    generator: np.random.Generator, words: int = 30
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """400 documents: the first half, of leaves 0 to 4, likes the first half of the words, the
    others the second.
    """
    labels = np.repeat(np.arange(10), 40)
    likes = np.where((np.arange(words) < words // 2) == (labels < 5)[:, None], 0.4, 0.04)
    return (generator.random(likes.shape) < likes).astype(np.int64), labels


HALVES = np.repeat([0, 1], 5).astype(np.int32)


def test_a_topic_is_described_by_its_own_words() -> None:
    presence, labels = one_topic_in_two(np.random.default_rng(0))
    first, second = ranked(statistics(presence, labels, 30).grouped(HALVES, 2))
    assert set(first.terms.tolist()) == set(range(15))
    assert set(second.terms.tolist()) == set(range(15, 30))
    share = (presence[:200, first.terms[0]].sum() + 2 * presence[:, first.terms[0]].mean()) / 202
    assert first.share[0] == pytest.approx(share, rel=1e-12)


def test_a_signature_is_never_among_the_words() -> None:
    """Ten documents of one leaf share six words that nobody else has."""
    presence, labels = one_topic_in_two(np.random.default_rng(1))
    signature = np.zeros((400, 6), dtype=np.int64)
    signature[:10] = 1
    (first, _) = ranked(statistics(np.hstack([presence, signature]), labels, 36).grouped(HALVES, 2))
    assert {int(term) for term in first.terms[:10]} <= set(range(15))
    of_leaf = ranked(
        statistics(np.hstack([presence, signature]), labels, 36).grouped(
            np.arange(10, dtype=np.int32), 10
        )
    )
    assert {int(term) for term in of_leaf[0].terms[:5]} <= set(
        range(15)
    )  # though it is in a quarter of these


def test_words_that_a_topic_is_about_are_no_signature() -> None:
    """The same six words in most documents of a small topic: these are what it is about."""
    presence, labels = one_topic_in_two(np.random.default_rng(2))
    subject = np.zeros((400, 6), dtype=np.int64)
    subject[:30] = 1
    of_leaf = ranked(
        statistics(np.hstack([presence, subject]), labels, 36).grouped(
            np.arange(10, dtype=np.int32), 10
        )
    )
    assert set(of_leaf[0].terms[:6].tolist()) == set(range(30, 36))


def test_a_word_of_one_leaf_ranks_behind_one_of_all() -> None:
    presence, labels = one_topic_in_two(np.random.default_rng(3))
    more = np.zeros((400, 2), dtype=np.int64)
    more[:30, 0] = 1  # of leaf 0
    for leaf in range(5):
        more[40 * leaf : 40 * leaf + 6, 1] = 1  # 30 in all five leaves
    (first, _) = ranked(statistics(np.hstack([presence, more]), labels, 32).grouped(HALVES, 2))
    order = first.terms.tolist()
    assert order.index(31) < order.index(30)
    salience = dict(zip(order, first.salience, strict=True))
    assert salience[30] < 0.6 * salience[31]


def test_of_two_topics_a_word_describes_the_one_it_is_stronger_in() -> None:
    """A word of nearly all documents of one topic and most of the other is compared with where it
    is largest.
    """
    generator = np.random.default_rng(4)
    presence, labels = one_topic_in_two(generator, 40)
    labels = np.concatenate(
        [labels, labels + 10]
    )  # a third topic of unrelated words makes both stand out
    rest = (generator.random((400, 40)) < 0.02).astype(np.int64)
    both = np.concatenate(
        [(np.arange(400) < 200) | (generator.random(400) < 0.9), np.zeros(400)]
    ).astype(np.int64)
    known = statistics(np.hstack([np.vstack([presence, rest]), both[:, None]]), labels, 41)
    known = replace(
        known, npmi=sparse.csr_array(np.zeros((41, 41), dtype=np.float32))
    )  # by salience alone
    groups = known.grouped(np.repeat([0, 1, 2, 2], 5).astype(np.int32), 3)
    contrasted, plain = ranked(groups)[1], ranked(groups, contrast=False)[1]
    assert plain.terms.tolist().index(40) < contrasted.terms.tolist().index(40)
    assert ranked(groups)[0].terms.tolist().index(40) < 3


def test_pairs_come_after_words() -> None:
    presence, labels = one_topic_in_two(np.random.default_rng(5))
    (first, _) = ranked(
        statistics(presence, labels, 10).grouped(HALVES, 2)
    )  # from 10 on they are pairs
    kinds = (first.terms >= 10).tolist()
    assert kinds == sorted(kinds)
    assert any(kinds)


def test_coherence_is_the_mean_of_known_pairs() -> None:
    npmi = np.zeros((5, 5), dtype=np.float32)
    for first, second, value in [(0, 1, 0.5), (0, 2, -0.25), (3, 4, 1.0)]:
        npmi[first, second] = npmi[second, first] = value
    known = sparse.csr_array(npmi)
    assert coherence(known, np.array([2, 0, 1], dtype=np.int32)) == 0.125
    assert coherence(known, np.array([1, 3], dtype=np.int32)) == 0.0
    assert coherence(known, np.array([], dtype=np.int32)) == 0.0
