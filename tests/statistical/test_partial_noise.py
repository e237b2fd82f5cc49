"""V_r is a uniformly drawn subset of the stated size, and noise is drawn from p at uniformly drawn
places.
"""

from __future__ import annotations

from itertools import combinations
from math import ceil

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tests.oracles.goodness import assert_fits, assert_means, pair_counts
from undertow.kernels.cpu.alias import build_alias_table
from undertow.kernels.cpu.partial_noise import (
    count_tokens,
    draw_independent,
    draw_levels,
    draw_stream,
    draw_windows,
    keep_tokens,
)
from undertow.kernels.reference import draws
from undertow.model.partition import all_documents

DOCUMENTS = 60_000
SEED, EPOCH = 5, 1
Whole = NDArray[np.int64]


def kept_tokens(tokens: Whole, alpha: float) -> Whole:
    """D_r of documents of one word each."""
    size = len(tokens)
    counted, to_keep, replaced = (np.full(size, -1) for _ in range(3))
    levels = np.full(size, alpha)
    count_tokens(np.arange(size + 1), tokens.astype(np.int32), levels, counted, to_keep, replaced)
    return to_keep


@pytest.mark.parametrize("alpha", [0.0, 0.07, 0.1, 0.5, 0.55, 0.9, 0.999])
def test_number_of_kept_tokens(alpha: float) -> None:
    """D_r = min(ceil(alpha D - 1e-9), D - 1): 0.55 * 100, which rounds above 55, keeps 55."""
    tokens = np.arange(1, 2001)
    per_mille = round(alpha * 1000)
    exact = [min(-(-per_mille * int(size) // 1000), int(size) - 1) for size in tokens]
    np.testing.assert_array_equal(kept_tokens(tokens, alpha), exact)
    np.testing.assert_array_equal(draws.kept_tokens(tokens, alpha), exact)


def test_one_token_is_always_replaced() -> None:
    assert kept_tokens(np.array([1, 2, 3]), 0.9).tolist() == [0, 1, 2]


def test_noise_levels_are_uniform() -> None:
    levels = np.empty(DOCUMENTS)
    draw_levels(SEED, EPOCH, np.arange(DOCUMENTS), 0.2, 0.7, levels)
    assert ((levels >= 0.2) & (levels < 0.7)).all()
    cells = np.bincount(((levels - 0.2) / 0.5 * 50).astype(int), minlength=50)
    assert_fits(cells, np.full(50, 1 / 50))


def _kept(counts: list[int], to_keep: int, documents: int = DOCUMENTS) -> NDArray[np.int32]:
    """V_r of many documents with the same counts, (documents, entries)."""
    entries = len(counts)
    kept = np.full((documents, entries), -1, dtype=np.int32)
    keep_tokens(
        0,
        documents,
        SEED,
        EPOCH,
        np.arange(documents),
        np.arange(documents + 1) * entries,
        np.tile(np.array(counts, dtype=np.int32), documents),
        np.full(documents, sum(counts)),
        np.full(documents, to_keep),
        kept.ravel(),
    )
    return kept


@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("counts", [[1], [3], [1, 1], [4, 1, 2], [1, 9, 3, 1, 30]], ids=str)
def test_every_document_keeps_the_stated_number(counts: list[int], alpha: float) -> None:
    size = sum(counts)
    kept = _kept(counts, int(kept_tokens(np.array([size]), alpha)[0]), documents=500)
    assert (kept.sum(axis=1) == min(ceil(alpha * size - 1e-9), size - 1)).all()
    assert (kept >= 0).all()
    assert (kept <= counts).all()


@pytest.mark.parametrize("to_keep", [1, 2, 3, 4])
def test_every_subset_is_equally_likely(to_keep: int) -> None:
    """Five different words: all subsets of the stated size, and no others."""
    kept = _kept([1, 1, 1, 1, 1], to_keep)
    subsets = [sum(1 << i for i in chosen) for chosen in combinations(range(5), to_keep)]
    chances = np.zeros(32)
    chances[subsets] = 1 / len(subsets)
    assert_fits(np.bincount(kept @ (1 << np.arange(5)), minlength=32), chances)


@pytest.mark.parametrize("to_keep", [1, 3, 5])
def test_kept_counts_are_hypergeometric(to_keep: int) -> None:
    """Repeated words: the distribution over all count vectors."""
    counts = [3, 1, 2]
    kept = _kept(counts, to_keep)
    vectors, _ = all_documents(len(counts), to_keep)
    chances = np.array(
        [stats.multivariate_hypergeom.pmf(vector, counts, to_keep) for vector in vectors]
    )
    observed = [int((kept == vector).all(axis=1).sum()) for vector in vectors]
    assert sum(observed) == DOCUMENTS
    assert_fits(observed, chances)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
def test_mean_share_of_each_word_in_a_long_document(alpha: float) -> None:
    """Mean D_r c / D, variance of the hypergeometric distribution; also where the tokens of a word
    are spread over many calls of Philox.
    """
    counts = np.array([1, 50, 2, 117, 1, 30, 99])
    size = int(counts.sum())
    to_keep = int(kept_tokens(np.array([size]), alpha)[0])
    means = _kept(counts.tolist(), to_keep, documents=20_000).mean(axis=0)
    variances = to_keep * (counts / size) * (1 - counts / size) * (size - to_keep) / (size - 1)
    assert_means(means, to_keep * counts / size, variances, 20_000)


def _windows(replaced: int, length: int, n_noise: int = 6) -> tuple[Whole, Whole]:
    begins, ends = np.full((DOCUMENTS, n_noise), -1), np.full((DOCUMENTS, n_noise), -1)
    places = (np.arange(DOCUMENTS), np.full(DOCUMENTS, replaced), length, 0, begins, ends)
    draw_windows(0, DOCUMENTS, SEED, EPOCH, *places)
    return begins, ends


@pytest.mark.parametrize(("replaced", "length"), [(1, 1), (4, 4), (1, 50), (7, 50), (49, 50)])
def test_windows_start_anywhere_with_equal_chances(replaced: int, length: int) -> None:
    begins, ends = _windows(replaced, length)
    places = length - replaced + 1
    assert begins.min() == 0
    assert begins.max() == places - 1
    assert (ends == begins + replaced).all()
    assert_fits(np.bincount(begins.ravel(), minlength=places), np.full(places, 1 / places))


@pytest.mark.parametrize(("first", "second"), [(0, 1), (0, 3), (3, 4), (0, 5)])
def test_windows_of_a_document_are_independent(first: int, second: int) -> None:
    """Four windows come from one call of Philox: pairs within a call and across calls."""
    begins, _ = _windows(3, 10)
    assert_fits(pair_counts(begins[:, first], begins[:, second], 8), np.full(64, 1 / 64))


def test_windows_of_neighbouring_documents_are_independent() -> None:
    begins, _ = _windows(3, 10, n_noise=1)
    assert_fits(pair_counts(begins[::2, 0], begins[1::2, 0], 8), np.full(64, 1 / 64))


P = np.array([0.4, 0.3, 0.2, 0.1])
PAIRS = np.outer(P, P)


def test_words_of_a_window_are_independent_draws() -> None:
    """One window from each of many streams: its first words, its ends, and words next to each
    other.
    """
    streams, length, size = 40_000, 12, 5
    table, windows = build_alias_table(P), np.empty((streams, size), dtype=np.int32)
    begins, _ = _windows(size, length, n_noise=1)
    stream = np.empty(length, dtype=np.int32)
    for number in range(streams):
        draw_stream(SEED, EPOCH, number, 0, table, stream)
        begin = begins[number, 0]
        windows[number] = stream[begin : begin + size]
    for first, second in ((0, 1), (1, 2), (0, 4)):
        assert_fits(pair_counts(windows[:, first], windows[:, second], 4), PAIRS)


def _independent(replaced: list[int], n_noise: int) -> NDArray[np.int32]:
    starts = np.concatenate([[0], np.cumsum(np.repeat(replaced, n_noise))])
    noise = np.full(starts[-1] + 1, -1, dtype=np.int32)
    documents = (
        np.arange(len(replaced)),
        np.array(replaced),
        starts,
        n_noise,
        build_alias_table(P),
    )
    draw_independent(0, len(replaced), SEED, EPOCH, *documents, noise)
    assert noise[-1] == -1  # nothing is written past the last word
    return noise[:-1]


@pytest.mark.parametrize(("replaced", "n_noise"), [(3, 4), (3, 3), (1, 1)])
def test_independent_noise_follows_the_distribution(replaced: int, n_noise: int) -> None:
    """Also with an odd number of words in all, where the second half of a call is thrown away."""
    noise = _independent([replaced] * 20_000, n_noise)
    assert_fits(np.bincount(noise, minlength=4), P)


def test_independent_noise_documents_share_nothing() -> None:
    """Words of one noise document, of two noise documents, and of two documents are independent
    pairs.
    """
    noise = _independent([3] * 60_000, 2).reshape(-1, 2, 3)
    assert_fits(pair_counts(noise[:, 0, 0], noise[:, 0, 1], 4), PAIRS)
    assert_fits(pair_counts(noise[:, 0, 0], noise[:, 1, 0], 4), PAIRS)
    assert_fits(pair_counts(noise[::2, 0, 0], noise[1::2, 0, 0], 4), PAIRS)


def test_documents_of_different_lengths_do_not_touch_each_other() -> None:
    """A document's noise depends on its own id and length alone."""
    mixed, alone = _independent([5, 2, 7], 3), _independent([5], 3)
    np.testing.assert_array_equal(mixed[:15], alone)
    assert (mixed >= 0).all()
