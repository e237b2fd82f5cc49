"""Words that move by Metropolis-Hastings move by the exact transitions, leave the exact conditional
as it is, and end at it.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.engine import Case, make_case
from tests.oracles.goodness import assert_fits, pair_counts
from undertow.engines import Start
from undertow.engines.cpu.offers import Offers
from undertow.kernels.cpu.metropolis import move_words
from undertow.model import Parameters, words_given_hidden

SEED, EPOCH, STEP = 3, 1, 2
DRAWS = 60_000
Array = NDArray[np.float64]


def moved(
    parameters: Parameters,
    p: Array,
    hidden: NDArray[np.float32],
    start: NDArray[np.int32],
    proposals: int,
) -> NDArray[np.int32]:
    """The words of documents of equal length, (documents, tokens), after so many proposals."""
    documents, tokens = start.shape
    words, model = start.copy(), Offers(Start(p, SEED)).beside(parameters)
    starts, ids = np.arange(documents + 1) * tokens, np.arange(documents)
    place = (SEED, EPOCH, STEP, proposals)
    move_words(0, documents, *place, model, hidden, ids, starts, words.reshape(-1))
    return words


def states(units: int) -> NDArray[np.float32]:
    return np.array(list(product([0.0, 1.0], repeat=units)), dtype=np.float32)


def transitions(chances: Array, p: Array) -> Array:
    """P(next word | word) of one proposal, written out."""
    words = len(p)
    matrix = np.zeros((words, words))
    for word in range(words):
        for offered in range(words):
            ratio = chances[offered] * p[word] / (chances[word] * p[offered])
            matrix[word, offered] += p[offered] * min(1.0, ratio)
        matrix[word, word] += 1.0 - matrix[word].sum()
    return matrix


def small(words: int, weighted: bool) -> Case:
    return make_case(words=words, units=2, weighted=weighted, scale=1.5)


def test_the_conditional_is_what_the_written_out_transitions_end_at() -> None:
    """The oracle of the tests below, by itself."""
    case = small(7, weighted=True)
    for chances in words_given_hidden(case.parameters, states(2)):
        np.testing.assert_allclose(chances @ transitions(chances, case.p), chances, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("proposals", [1, 2, 7])
@pytest.mark.parametrize("words", [2, 7, 20])
def test_tokens_move_by_the_exact_transitions(words: int, proposals: int, weighted: bool) -> None:
    """From one word on, in each hidden state: row of the enumerated matrix's power."""
    case = small(words, weighted)
    for number, chances in enumerate(words_given_hidden(case.parameters, states(2))):
        for begin in (0, words - 1):
            start = np.full((100, DRAWS // 100), begin, dtype=np.int32)
            hidden = np.tile(states(2)[number], (100, 1))
            drawn = moved(case.parameters, case.p, hidden, start, proposals)
            expected = np.linalg.matrix_power(transitions(chances, case.p), proposals)[begin]
            assert_fits(np.bincount(drawn.ravel(), minlength=words), expected)


@pytest.mark.parametrize("weighted", [False, True])
def test_many_proposals_end_at_the_exact_conditional(weighted: bool) -> None:
    """So many that what is left of the start, the second eigenvalue's power, is below 10^-4: that
    adds far less than 1 to a chi-square of so many draws.
    """
    case = small(7, weighted)
    for number, chances in enumerate(words_given_hidden(case.parameters, states(2))):
        sizes = np.sort(np.abs(np.linalg.eigvals(transitions(chances, case.p))))
        proposals = int(np.ceil(np.log(1e-4) / np.log(sizes[-2])))
        assert proposals < 500
        start = np.zeros((100, DRAWS // 400), dtype=np.int32)
        hidden = np.tile(states(2)[number], (100, 1))
        drawn = moved(case.parameters, case.p, hidden, start, proposals)
        assert_fits(np.bincount(drawn.ravel(), minlength=7), chances)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("proposals", [1, 5])
def test_exact_draws_from_a_large_vocabulary_stay_exact(proposals: int, weighted: bool) -> None:
    """Stationarity with 9,000 words: the likely ones for themselves, the others by hundreds."""
    generator, words = np.random.default_rng(1), 9000
    p = 1.0 / np.arange(1.0, words + 1.0)
    p /= p.sum()
    case = make_case(words=5)
    weights = generator.uniform(0.2, 1.5, words) if weighted else np.ones(words)
    parameters = Parameters(
        weights=generator.normal(0.0, 1.0, (words, 3)).astype(np.float32),
        hidden_bias=case.parameters.hidden_bias,
        visible_bias=(np.log(p) + generator.normal(0.0, 1.0, words)).astype(np.float32),
        word_weights=weights.astype(np.float32),
    )
    hidden = np.array([[1.0, 0.0, 1.0]], dtype=np.float32)
    chances = words_given_hidden(parameters, hidden)[0]
    cells = np.arange(words) // 100
    likely = np.argsort(-chances)[:50]
    cells[likely] = 90 + np.arange(50)
    start = generator.choice(words, size=(1, DRAWS), p=chances).astype(np.int32)
    drawn = moved(parameters, p, hidden, start, proposals)
    assert (drawn != start).mean() > 0.05  # they do move
    assert_fits(np.bincount(cells[drawn.ravel()], minlength=140), np.bincount(cells, chances))


def test_tokens_of_a_document_are_independent() -> None:
    case = small(7, weighted=True)
    hidden = np.tile(np.array([1.0, 0.0], dtype=np.float32), (DRAWS // 4, 1))
    drawn = moved(case.parameters, case.p, hidden, np.zeros((DRAWS // 4, 4), dtype=np.int32), 3)
    chances = words_given_hidden(case.parameters, hidden[:1])[0]
    expected = np.linalg.matrix_power(transitions(chances, case.p), 3)[0]
    for first, second in ((0, 1), (1, 2)):
        pairs = pair_counts(drawn[:, first], drawn[:, second], 7)
        assert_fits(pairs, np.outer(expected, expected))


def test_proposals_one_after_the_other_are_independent() -> None:
    """Where units say nothing and b is log p, every offer is taken: then the word after two
    proposals says nothing of the word after the first.
    """
    case = small(7, weighted=False)
    nothing = Parameters(
        np.zeros((7, 2), dtype=np.float32),
        np.zeros(2, dtype=np.float32),
        np.log(case.p).astype(np.float32),
        np.ones(7, dtype=np.float32),
    )
    hidden, start = np.ones((100, 2), dtype=np.float32), np.zeros((100, 2000), dtype=np.int32)
    first, second = (moved(nothing, case.p, hidden, start, proposals) for proposals in (1, 2))
    assert_fits(pair_counts(first, second, 7), np.outer(case.p, case.p))
