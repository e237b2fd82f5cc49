"""Gibbs steps draw from the exact conditionals, and leave the exact distribution of a tiny model as
it is.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.engine import make_case
from tests.oracles.enumeration import enumerate_joint
from tests.oracles.goodness import assert_fits, pair_counts
from undertow.kernels.cpu import gibbs
from undertow.kernels.randomness import CHUNK
from undertow.model import Parameters, exact_log_probabilities, words_given_hidden
from undertow.vectors import sample_documents

SEED, EPOCH, STEP = 3, 1, 2
Array = NDArray[np.float64]


def _hidden(posteriors: Array, documents: int) -> NDArray[np.float32]:
    chances = np.tile(posteriors.astype(np.float32), (documents, 1))
    hidden = np.full(chances.shape, np.nan, dtype=np.float32)
    gibbs.draw_hidden(0, documents, SEED, EPOCH, STEP, np.arange(documents), chances, hidden)
    return hidden


def test_hidden_units_are_on_with_their_probability_and_independent() -> None:
    """All patterns of six units: four share a call of Philox, the other two come from the next."""
    on = np.array([0.5, 0.25, 0.75, 0.9, 0.4, 0.6])
    patterns = np.array(list(product([0, 1], repeat=6)))
    chances = np.where(patterns == 1, on, 1 - on).prod(axis=1)
    drawn = _hidden(on, 200_000)
    assert set(np.unique(drawn)) == {0.0, 1.0}
    assert_fits(
        np.bincount(drawn.astype(np.int64) @ (1 << np.arange(6)[::-1]), minlength=64), chances
    )


def test_certain_units_are_certain() -> None:
    drawn = _hidden(np.array([0.0, 1.0, 0.0, 1.0, 1.0]), 20_000)
    assert (drawn == [0.0, 1.0, 0.0, 1.0, 1.0]).all()


def _words(parameters: Parameters, hidden: NDArray[np.float32], tokens: int) -> NDArray[np.int32]:
    """Words of documents of equal length, (documents, tokens)."""
    documents = len(hidden)
    words = np.full((documents, tokens), -1, dtype=np.int32)
    chain = gibbs.Chain(np.arange(documents), np.arange(documents + 1) * tokens, words.ravel())
    gibbs.draw_words(gibbs.Place(SEED, EPOCH, STEP), parameters, hidden, chain, 1)
    return words


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("words", [1, 2, 7, 64, 65])
def test_words_follow_their_distribution(words: int, weighted: bool) -> None:
    """Each hidden state of a small model, with more documents than one block; weights have a zero
    among them.
    """
    parameters = make_case(words=words, units=2, weighted=weighted, scale=1.5).parameters
    states = np.array(list(product([0.0, 1.0], repeat=2)), dtype=np.float32)
    drawn = _words(parameters, np.tile(states, (30, 1)), 2001).reshape(30, 4, 2001)
    for state, chances in enumerate(words_given_hidden(parameters, states)):
        assert_fits(np.bincount(drawn[:, state].ravel(), minlength=words), chances)


@pytest.mark.parametrize("vocabulary", [10, 9000])
def test_tokens_of_a_document_are_independent(vocabulary: int) -> None:
    """Two tokens share a call of Philox, and each uses a number to choose a chunk and another to
    choose in it: pairs of the ten likely words, with the rest as an eleventh.
    """
    parameters = (
        _large(vocabulary, "rising", weighted=False)
        if vocabulary > 10
        else make_case(words=10).parameters
    )
    hidden = np.ones((1, parameters.units), dtype=np.float32)
    chances = words_given_hidden(parameters, hidden)[0]
    likely = np.argsort(-chances)[:10]
    cells = np.full(vocabulary, 10)
    cells[likely] = np.arange(10)
    cell_chances = np.bincount(cells, weights=chances, minlength=11)
    drawn = cells[_words(parameters, hidden, 200_000)].reshape(-1, 4)
    for first, second in ((0, 1), (1, 2)):
        assert_fits(
            pair_counts(drawn[:, first], drawn[:, second], 11), np.outer(cell_chances, cell_chances)
        )


def _likely(vocabulary: int) -> NDArray[np.int64]:
    """Ten or eleven words of each chunk, and the last word of all."""
    words = np.arange(vocabulary)
    return np.union1d(words[(words % CHUNK) % 400 == 7], words[-1:])


def _large(vocabulary: int, peaks: str, *, weighted: bool) -> Parameters:
    """A vocabulary of several chunks: a few likely words in each, with peaks that rise, fall or
    stay from chunk to chunk; idf-like weights, zero for every tenth word.
    """
    generator = np.random.default_rng(1)
    words = np.arange(vocabulary)
    chunk = words // CHUNK
    bias = generator.normal(0.0, 1.0, vocabulary)
    heavy = _likely(vocabulary)
    bias[heavy] += 6.0
    bias += {"rising": 1.5, "falling": -1.5, "level": 0.0}[peaks] * chunk
    weights = (
        generator.uniform(0.2, 1.5, vocabulary) * (words % 10 != 0)
        if weighted
        else np.ones(vocabulary)
    )
    weights[heavy] = np.maximum(weights[heavy], 1.0)
    return Parameters(
        weights=generator.normal(0.0, 0.5, (vocabulary, 3)).astype(np.float32),
        hidden_bias=np.array([0.8, -0.5, 0.3], dtype=np.float32),
        visible_bias=bias.astype(np.float32),
        word_weights=weights.astype(np.float32),
    )


def _cells(parameters: Parameters) -> NDArray[np.int64]:
    """Likely words for themselves, the others together with those near them."""
    words = np.arange(parameters.words)
    cells: NDArray[np.int64] = words // 100
    likely = _likely(parameters.words)
    cells[likely] = cells.max() + 1 + np.arange(len(likely))
    return cells


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("peaks", ["rising", "falling", "level"])
@pytest.mark.parametrize("vocabulary", [4096, 4097, 9000])
def test_words_of_a_large_vocabulary_follow_their_distribution(
    vocabulary: int, peaks: str, weighted: bool
) -> None:
    """One full chunk, a second chunk of one word, and three chunks."""
    parameters = _large(vocabulary, peaks, weighted=weighted)
    states = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]], dtype=np.float32)
    cells = _cells(parameters)
    drawn = _words(parameters, states, 100_000)
    assert drawn.min() >= 0
    for row, chances in enumerate(words_given_hidden(parameters, states)):
        expected = np.bincount(cells, weights=chances)
        assert_fits(np.bincount(cells[drawn[row]], minlength=len(expected)), expected)


def test_far_apart_logits_draw_the_likely_word() -> None:
    """A chunk whose weight is nothing beside the others is never taken, whichever comes first."""
    for likely in (5, 4100, 8999):
        parameters = _large(9000, "level", weighted=False)
        parameters.visible_bias[likely] = 200.0
        assert (_words(parameters, np.zeros((1, 3), dtype=np.float32), 5000) == likely).all()


CHAINS, TOKENS = 60_000, 3


def _chain_case(weighted: bool) -> tuple[Parameters, NDArray[np.int64], Array, Array]:
    """A tiny model, its bags with their exact probabilities, and the exact transitions between
    them.
    """
    parameters = make_case(words=3, units=2, weighted=weighted, scale=1.5, seed=4).parameters
    bags, log_probabilities, _ = exact_log_probabilities(parameters, TOKENS)
    return (
        parameters,
        bags,
        np.exp(log_probabilities),
        enumerate_joint(parameters, TOKENS).bag_transitions(bags),
    )


def _as_words(bags: NDArray[np.int64]) -> NDArray[np.int32]:
    return np.array([np.repeat(np.arange(bags.shape[1]), bag) for bag in bags], dtype=np.int32)


def _run(
    parameters: Parameters, bags: NDArray[np.int64], start: NDArray[np.int32] | None, n_steps: int
) -> Array:
    """How many of the chains are at each bag after some steps."""
    given = None if start is None else start.ravel()
    batch = sample_documents(parameters, [TOKENS] * CHAINS, n_steps=n_steps, seed=8, start=given)
    words = batch.words.reshape(-1, TOKENS)
    counts = np.stack([(words == word).sum(axis=1) for word in range(parameters.words)], axis=1)
    reached = np.array([(counts == bag).all(axis=1).sum() for bag in bags], dtype=np.float64)
    assert reached.sum() == CHAINS
    return reached


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_steps", [1, 4])
def test_exact_draws_stay_exact(n_steps: int, weighted: bool) -> None:
    """Stationarity: chains that start at the model's distribution have it after any number of
    steps.
    """
    parameters, bags, chances, _ = _chain_case(weighted)
    drawn = np.random.default_rng(2).choice(len(bags), size=CHAINS, p=chances)
    assert_fits(_run(parameters, bags, _as_words(bags)[drawn], n_steps), chances)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_steps", [1, 2, 3])
def test_chains_move_by_the_exact_transitions(n_steps: int, weighted: bool) -> None:
    """From one document, the distribution after n steps is row n of the enumerated transition
    matrix's powers: a chain that stood still, or moved by another conditional, would not have it.
    """
    parameters, bags, _, transitions = _chain_case(weighted)
    for begin in (0, len(bags) - 1):
        expected = np.linalg.matrix_power(transitions, n_steps)[begin]
        assert_fits(
            _run(parameters, bags, np.tile(_as_words(bags)[begin], (CHAINS, 1)), n_steps), expected
        )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_steps", [1, 2])
def test_chains_without_a_start_begin_at_fair_hidden_units(n_steps: int, weighted: bool) -> None:
    parameters, bags, _, transitions = _chain_case(weighted)
    joint = enumerate_joint(parameters, TOKENS)
    first = joint.by_bag(joint.sequences_given_hidden, bags).mean(axis=1)
    assert_fits(
        _run(parameters, bags, None, n_steps),
        first @ np.linalg.matrix_power(transitions, n_steps - 1),
    )


def test_stationarity_would_notice_a_missing_hidden_bias() -> None:
    """The exact distribution is not stationary under word logits without a.h: the test above has
    the power to see it.

    n sum (p P' - p)^2 / p is the excess of the statistic over its expectation (9 degrees of
    freedom, limit 45).
    """
    parameters, bags, chances, _ = _chain_case(weighted=True)
    joint = enumerate_joint(parameters, TOKENS)
    w, W, b = (
        a.astype(np.float64)
        for a in (parameters.word_weights, parameters.weights, parameters.visible_bias)
    )
    logits = w * (joint.hidden @ W.T + b)
    wrong = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    up = joint.by_bag(
        joint.hidden_given_words * np.exp(-joint.free_energies - joint.log_z)[:, None], bags
    ).sum(axis=0)
    moved = joint.by_bag(wrong[:, joint.sequences].prod(axis=2).T, bags) @ up
    assert CHAINS * ((moved - chances) ** 2 / chances).sum() > 90
