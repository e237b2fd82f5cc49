"""Tokens beside noise: the kernel against its float64 oracle, the oracle against differences, and
what is drawn against what it is drawn from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.goodness import assert_fits
from undertow.kernels.cpu.alias import build_alias_table
from undertow.kernels.cpu.token_contrast import Documents, Pace, Words, contrast_tokens
from undertow.kernels.reference import token_contrast as reference

SEED, EPOCH, K, H, SIZE = 11, 3, 60, 5, 7
OFFSET, NOISE = -np.log(3.0), 3.0


@dataclass
class Case:
    """Documents of 0 to 90 words, so that some take several steps; words that take part always, and
    some that do so half of the time.
    """

    starts: NDArray[np.int64]
    words: NDArray[np.int32]
    weights: NDArray[np.float32]
    hidden: NDArray[np.float32]
    table: NDArray[np.uint32]
    kept: NDArray[np.uint64]

    def run(self, of_words: float, parts: list[tuple[int, int]]) -> tuple[Words, Documents]:
        """Steps of the kernel, in place."""
        words = Words(self.weights, np.ones(K, np.float32), self.table, self.kept)
        documents = Documents(np.arange(SIZE) + 20, self.starts, self.words)
        self.squares = np.ones(SIZE, np.float32)
        pace = Pace(*map(np.float32, (0.1, of_words, OFFSET, NOISE)))
        order = np.arange(SIZE)[::-1].copy()
        for first, last in parts:
            state = (words, self.hidden, self.squares, pace)
            contrast_tokens(first, last, order, np.uint64(SEED), EPOCH, documents, *state)
        return words, documents


def make_case() -> Case:
    generator = np.random.default_rng(0)
    lengths = np.array([40, 1, 0, 90, 33, 64, 5])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    words = generator.integers(0, K, starts[-1]).astype(np.int32)
    weights = generator.normal(0, 0.5, (K, H)).astype(np.float32)
    hidden = generator.normal(0, 1, (SIZE, H)).astype(np.float32)
    kept = np.where(np.arange(K) % 3 == 0, 2**31, 2**32).astype(np.uint64)
    table = build_alias_table(generator.dirichlet(np.ones(K)))
    return Case(starts, words, weights, hidden, table, kept)


def by_reference(case: Case, of_words: float) -> tuple[NDArray[np.float64], ...]:
    """The same steps in float64: weights, hidden vectors, squares of both."""
    weights, hidden = case.weights.astype(np.float64), case.hidden.astype(np.float64)
    word_squares, squares = np.ones(K), np.ones(SIZE)
    pace = reference.Pace(0.1, of_words, OFFSET, NOISE)
    for d in reversed(range(SIZE)):
        own = case.words[case.starts[d] : case.starts[d + 1]].astype(np.int64)
        real = reference.tokens(SEED, EPOCH, d + 20, own, case.kept)
        false = reference.noise(SEED, EPOCH, d + 20, len(real), case.table)
        squares[d] = reference.document_steps(
            weights, word_squares, hidden[d], squares[d], real, false, pace
        )
    return weights, hidden, word_squares, squares


@pytest.mark.parametrize("of_words", [0.0, 0.2])
def test_the_kernel_takes_the_oracles_steps(of_words: float) -> None:
    """Some 500 steps, each of sums of a few dozen single-precision terms of order one, whose
    errors of 6e-8 add up and are multiplied by slopes below 1.
    """
    case = make_case()
    wanted = by_reference(case, of_words)
    words, _ = case.run(of_words, [(0, SIZE)])
    found = (words.weights, case.hidden, words.squares, case.squares)
    for own, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(own, other, atol=3e-5, rtol=3e-5)
    assert np.abs(case.hidden - make_case().hidden).max() > 0.05  # the steps were not nothing
    assert (np.abs(words.weights - make_case().weights).max() > 0.05) == (of_words > 0)


def test_documents_do_not_touch_each_other_while_words_stand_still() -> None:
    whole, parts = make_case(), make_case()
    whole.run(0.0, [(0, SIZE)])
    parts.run(0.0, [(4, SIZE), (0, 4)])
    np.testing.assert_array_equal(whole.hidden, parts.hidden)


def test_slopes_lead_up_the_objective() -> None:
    """Gradients by h and by the rows of W, against central differences (error of order eps^2)."""
    generator = np.random.default_rng(1)
    weights, hidden = generator.normal(size=(8, H)), generator.normal(size=H)
    real, false = np.array([0, 3, 5]), np.array([5, 2, 2])
    pace, eps = reference.Pace(0.1, 0.1, OFFSET, NOISE), 1e-5
    slope = reference.slopes(weights, hidden, real, false, pace)
    rows = np.concatenate([real, false])
    by_hidden = slope @ weights[rows]
    by_weights = np.zeros_like(weights)
    np.add.at(by_weights, rows, slope[:, None] * hidden)
    for array, gradient in ((hidden, by_hidden), (weights, by_weights)):
        for place in np.ndindex(array.shape):
            before = array[place]
            array[place] = before + eps
            up = reference.objective(weights, hidden, real, false, pace)
            array[place] = before - eps
            down = reference.objective(weights, hidden, real, false, pace)
            array[place] = before
            assert (up - down) / (2 * eps) == pytest.approx(gradient[place], abs=1e-7)


def test_words_take_part_as_often_as_they_should_in_any_order() -> None:
    """Two words of four: one always, one a quarter of the time; each order as often."""
    kept = np.array([2**32, 2**30], dtype=np.uint64)
    words, seen = np.array([0, 1]), np.zeros(3)
    number = 4000
    for document in range(number):
        taken = reference.tokens(SEED, 0, document, words, kept).tolist()
        seen[{(0,): 0, (0, 1): 1, (1, 0): 2}[tuple(taken)]] += 1
    assert_fits(seen, np.array([0.75, 0.125, 0.125]))


def test_noise_is_drawn_from_the_table() -> None:
    shares = np.array([0.5, 0.3, 0.15, 0.05])
    drawn = reference.noise(SEED, 0, 0, 20_000, build_alias_table(shares))
    assert_fits(np.bincount(drawn, minlength=4).astype(float), shares)
