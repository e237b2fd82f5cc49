"""The model, and what it says of documents, against sums over all word sequences and all hidden
states, at tiny size.

The oracle and the enumeration are both in float64 and sum at most 5^4 * 2^3 terms of moderate size,
so they agree to 5000 * 2^-53 < 1e-12; the single-precision functions agree to their rounding
bounds.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.engine import Case, make_case
from tests.oracles.enumeration import Joint, enumerate_joint
from tests.oracles.rounding import input_bounds, posterior_bounds, score_bounds
from undertow import model, vectors
from undertow.kernels.reference import energies

DOUBLE = 1e-12
SHAPES = [(1, 1, 3), (2, 1, 4), (4, 2, 4), (5, 3, 1), (5, 3, 3), (5, 3, 4)]  # K, H, D
every_model = pytest.mark.parametrize(
    ("shape", "weighted"), [*product(SHAPES, [False, True])], ids=lambda value: str(value)
)


@cache
def _tiny(shape: tuple[int, int, int], weighted: bool) -> tuple[Case, Joint]:
    """A model with every sequence of D words as its documents; where there are three words, one may
    weigh nothing.
    """
    words, units, tokens = shape
    parameters = make_case(
        words=words, units=units, weighted=weighted, scale=0.9, seed=sum(shape)
    ).parameters
    joint = enumerate_joint(parameters, tokens)
    assert (parameters.word_weights == 0).any() == (weighted and words > 2)
    return Case(parameters, np.full(words, 1 / words), joint.counts), joint


def _arrays(case: Case) -> tuple[NDArray[np.float64], ...]:
    theirs = case.model(np.zeros(1))
    return theirs.W, theirs.a, theirs.b, theirs.w


@every_model
def test_energy_is_the_sum_over_tokens(shape: tuple[int, int, int], weighted: bool) -> None:
    case, joint = _tiny(shape, weighted)
    W, a, b, w = _arrays(case)
    for column, h in enumerate(joint.hidden):
        energy = energies.energy(w * joint.counts, h, W, a, b)
        np.testing.assert_allclose(energy, -joint.minus_energies[:, column], rtol=0, atol=DOUBLE)


@every_model
def test_free_energy_is_minus_log_of_the_sum_over_hidden_states(
    shape: tuple[int, int, int], weighted: bool
) -> None:
    case, joint = _tiny(shape, weighted)
    W, a, b, w = _arrays(case)
    exact = energies.free_energy(w * joint.counts, W, a, b)
    np.testing.assert_allclose(exact, joint.free_energies, rtol=0, atol=DOUBLE)
    ours = vectors.free_energies(case.parameters, case.batch())
    assert (np.abs(ours - joint.free_energies) <= score_bounds(case) + DOUBLE).all()


@every_model
def test_normaliser_sums_over_all_sequences(shape: tuple[int, int, int], weighted: bool) -> None:
    case, joint = _tiny(shape, weighted)
    _, _, log_z = model.exact_log_probabilities(case.parameters, shape[2])
    assert log_z == pytest.approx(joint.log_z, abs=DOUBLE)


@every_model
def test_probability_of_a_bag_is_that_of_its_sequences(
    shape: tuple[int, int, int], weighted: bool
) -> None:
    case, joint = _tiny(shape, weighted)
    bags, log_probabilities, _ = model.exact_log_probabilities(case.parameters, shape[2])
    probabilities = np.exp(log_probabilities)
    assert probabilities.sum() == pytest.approx(1.0, abs=DOUBLE)
    assert (
        len({tuple(bag) for bag in bags.tolist()})
        == len(bags)
        == len({tuple(c) for c in joint.counts.tolist()})
    )
    of_sequences = joint.by_bag(np.exp(-joint.free_energies - joint.log_z), bags)
    np.testing.assert_allclose(probabilities, of_sequences, rtol=0, atol=DOUBLE)


@every_model
def test_hidden_given_words_is_a_ratio_of_the_joint(
    shape: tuple[int, int, int], weighted: bool
) -> None:
    """P(h | V) is the product of the posteriors, unit by unit: both the marginals and their
    independence.
    """
    case, joint = _tiny(shape, weighted)
    W, a, _, w = _arrays(case)
    on = energies.posterior(w * joint.counts, W, a)[:, None, :]
    h = joint.hidden[None, :, :]
    np.testing.assert_allclose(
        (on * h + (1 - on) * (1 - h)).prod(axis=2), joint.hidden_given_words, rtol=0, atol=DOUBLE
    )
    ours = vectors.posteriors(case.parameters, case.batch())
    assert (
        np.abs(ours - joint.hidden_given_words @ joint.hidden) <= posterior_bounds(case) + DOUBLE
    ).all()


@every_model
def test_words_given_hidden_is_a_ratio_of_the_joint(
    shape: tuple[int, int, int], weighted: bool
) -> None:
    """P(sequence | h) is the product over its tokens of P(word | h)."""
    case, joint = _tiny(shape, weighted)
    of_words = model.words_given_hidden(case.parameters, joint.hidden)
    of_sequences = of_words[:, joint.sequences].prod(axis=2).T
    np.testing.assert_allclose(of_sequences, joint.sequences_given_hidden, rtol=0, atol=DOUBLE)


@pytest.mark.parametrize("weighted", [False, True])
def test_hidden_bias_belongs_to_the_word_logits_when_words_are_weighted(weighted: bool) -> None:
    """Without weights a.h cancels (the paper's Eq. 3); with weights leaving it out is far outside
    the tolerance.
    """
    case, joint = _tiny((5, 3, 1), weighted)
    W, _, b, w = _arrays(case)
    logits = w * (joint.hidden @ W.T + b)
    without = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    error = np.abs(without.T - joint.sequences_given_hidden).max()
    assert error > 1e-3 if weighted else error < DOUBLE


@pytest.mark.parametrize("weighted", [False, True])
def test_activations_are_inputs_per_length(weighted: bool) -> None:
    """The posterior's log-odds, from the enumeration, divided by L."""
    case, joint = _tiny((4, 2, 4), weighted)
    lengths = (case.model(np.zeros(1)).w * joint.counts).sum(axis=1, keepdims=True)
    on = joint.hidden_given_words @ joint.hidden
    with np.errstate(invalid="ignore"):
        expected = np.where(lengths > 0, (np.log(on) - np.log1p(-on)) / lengths, 0.0)
        allowed = np.where(lengths > 0, input_bounds(case) / lengths, 0.0)
    ours = vectors.activations(case.parameters, case.batch())
    assert (
        np.abs(ours - expected) <= allowed + 1e-10
    ).all()  # log-odds of probabilities above 1e-3 lose 3 digits


@every_model
def test_frozen_normaliser_is_exact_only_without_hidden_units(
    shape: tuple[int, int, int], weighted: bool
) -> None:
    """With W = 0 and a = 0 all words are independent, log Z_D = H log 2 + D logsumexp(b): exactly
    the frozen one.
    """
    case, joint = _tiny(shape, weighted)
    theirs, tokens = case.parameters, shape[2]
    flat = model.Parameters(
        np.zeros_like(theirs.weights),
        np.zeros_like(theirs.hidden_bias),
        theirs.visible_bias,
        theirs.word_weights,
    )
    frozen = float(model.frozen_log_normaliser(flat, np.array([float(tokens)]))[0])
    exact = model.exact_log_probabilities(flat, tokens)[2]
    assert (abs(frozen - exact) < DOUBLE) == (not weighted)
    assert (
        abs(frozen - joint.log_z) > 1e-3
    )  # hidden units that matter: a heuristic, not the normaliser
