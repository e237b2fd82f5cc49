"""Log-probabilities and perplexity of an estimator, against sums over all sequences."""

from __future__ import annotations

import logging
import re

import numpy as np
import pytest

from tests.oracles.engine import make_case
from tests.oracles.enumeration import Joint, enumerate_joint
from undertow import AlphaNCE, ReplicatedSoftmax, TopicModel
from undertow._errors import InvalidInput
from undertow.learn import ContrastiveDivergence
from undertow.model import Parameters
from undertow.vectors import LogNormalisers
from undertow.vectors.likelihood import perplexity_of

WORDS, TOKENS = 4, 3
SINGLE = 2e-5  # free energies are computed in single precision; sums of a few terms of order one


def tiny(*, weighted: bool) -> tuple[ReplicatedSoftmax, Joint]:
    """An estimator whose parameters are known, and all its documents of three words."""
    parameters = make_case(
        words=WORDS, units=3, weighted=weighted, scale=0.9, seed=6, documents=8
    ).parameters
    return holding(parameters), enumerate_joint(parameters, TOKENS)


def holding(parameters: Parameters) -> ReplicatedSoftmax:
    counts = np.eye(parameters.words, dtype=np.int64) + 1
    model = ReplicatedSoftmax(
        parameters.units, learner="cd", count_transform=None, weighting=None, max_epochs=1
    )
    model.fit(counts).parameters_ = parameters
    return model


@pytest.mark.parametrize("weighted", [False, True])
def test_log_likelihood_is_that_of_every_sequence(weighted: bool) -> None:
    """The same for every order of the words, and the probabilities of all sequences sum to 1."""
    model, joint = tiny(weighted=weighted)
    found = model.log_likelihood(joint.counts)
    np.testing.assert_allclose(found, -joint.free_energies - joint.log_z, rtol=0, atol=SINGLE)
    assert np.exp(found).sum() == pytest.approx(1.0, abs=SINGLE)


def test_lengths_may_be_mixed_and_empty_documents_are_certain() -> None:
    model, _ = tiny(weighted=True)
    counts = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [5, 4, 0, 1], [0, 0, 1, 0]])
    found = model.log_likelihood(counts)
    assert found[0] == 0.0
    for row in (1, 2, 3):
        alone = model.log_likelihood(counts[row : row + 1])[0]
        assert found[row] == pytest.approx(alone, rel=1e-12)  # Z_1 alone is a sum over words
    assert model.log_likelihood(counts[:1]).tolist() == [0.0]


def test_the_count_transform_comes_first() -> None:
    model, _ = tiny(weighted=False)
    damped = np.array([[2, 1, 0, 0]])
    expected = model.log_likelihood(damped)
    model.count_transform = "log"  # ceil(log(1 + 5)) = 2
    np.testing.assert_array_equal(model.log_likelihood([[5, 1, 0, 0]]), expected)


def test_perplexity_is_the_mean_of_log_probabilities_per_word() -> None:
    model, _ = tiny(weighted=True)
    counts = np.array([[3, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0], [2, 2, 2, 2]])
    tokens = np.array([4, 1, 8])
    each = model.log_likelihood(counts)[[0, 2, 3]] / tokens
    found = model.perplexity(counts)
    assert float(found) == found.value == pytest.approx(np.exp(-each.mean()), rel=1e-12)
    assert (found.low, found.high, found.from_above) == (found.value,) * 3
    assert found.exact
    assert (found.documents, found.tokens) == (3, 13)
    shares = np.log(model.noise_distribution_)
    unigram = (counts @ shares)[[0, 2, 3]] / tokens
    assert found.unigram == pytest.approx(np.exp(-unigram.mean()), rel=1e-12)
    error = each.std(ddof=1) / np.sqrt(3)
    assert np.log(found.sampled_high / found.value) == pytest.approx(4.302653 * error, rel=1e-6)
    assert found.calibrated is False  # CD draws words without their weights


def test_annealing_comes_to_the_same() -> None:
    model, joint = tiny(weighted=True)
    exact = model.perplexity(joint.counts)
    found = model.perplexity(
        joint.counts, method="annealing", n_temperatures=100, confidence=0.999, random_state=0
    )
    assert not found.exact
    assert found.low <= exact.value <= found.high
    assert found.low < found.value < found.high < 1.05 * found.low
    again = model.perplexity(
        joint.counts, method="annealing", n_temperatures=100, confidence=0.999, random_state=0
    )
    assert again == found


@pytest.mark.parametrize("above", [-3.0, 3.0])
def test_other_documents_add_to_what_annealing_leaves_open(above: float) -> None:
    """Two sides of a right angle: the spread over documents, and the way to either end."""
    up = np.zeros((20, 1))
    log_z = LogNormalisers(np.array([5]), up, up + above)
    energies, tokens, unigram = np.array([20.0, 21.0, 25.0]), np.full(3, 5), np.full(3, -30.0)
    found = perplexity_of(energies, unigram, tokens, log_z, confidence=0.95, calibrated=True)
    assert np.log(found.value) == pytest.approx(22.0 / 5.0)
    spread = 4.302653 * (energies / 5.0).std(ddof=1) / np.sqrt(3)
    low, high = min(above, 0.0) / 5.0, max(above, 0.0) / 5.0
    assert np.log(found.low / found.value) == pytest.approx(low)
    assert np.log(found.high / found.value) == pytest.approx(high)
    assert np.log(found.sampled_low / found.value) == pytest.approx(-np.hypot(spread, low))
    assert np.log(found.sampled_high / found.value) == pytest.approx(np.hypot(spread, high))


def test_one_document_has_no_spread() -> None:
    model, _ = tiny(weighted=False)
    found = model.perplexity([[1, 1, 0, 0]])
    assert (found.sampled_low, found.sampled_high) == (0.0, np.inf)


def test_refusals() -> None:
    model, _ = tiny(weighted=False)
    message = "X must hold a document with a word, got empty ones alone"
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        model.perplexity(np.zeros((2, WORDS), dtype=np.int64))
    with pytest.raises(InvalidInput, match=r"^confidence must be in \(0, 1\), got 1"):
        model.perplexity(np.ones((2, WORDS), dtype=np.int64), confidence=1)


CALIBRATED = [
    ("cd", None, True),
    ("pcd", None, True),
    ("cd", "idf", False),
    (ContrastiveDivergence(words="exact"), "idf", True),
    ("nce", None, True),
    ("nce", "idf", False),
    ("mh-cd", None, True),
    ("mh-cd", "idf", False),
    ("ratio-matching", None, True),
    ("ratio-matching", "idf", False),
    ("alpha-nce", None, False),
    (AlphaNCE(uniform=False, noise_level=0.0, sharpness=1.0), None, False),  # log Z is frozen
]


@pytest.mark.parametrize(("learner", "weighting", "calibrated"), CALIBRATED)
def test_what_is_not_calibrated_says_so(
    learner: object, weighting: str | None, calibrated: bool, caplog: pytest.LogCaptureFixture
) -> None:
    counts = np.random.default_rng(0).poisson(1.0, (30, 4))
    counts[0] = [1, 0, 0, 0]
    model = ReplicatedSoftmax(2, learner=learner, weighting=weighting, max_epochs=1).fit(counts)
    assert model.calibrated_ is calibrated
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="undertow"):
        model.free_energy(counts)
        model.sample([3])
    said = [record.getMessage().split(" of ")[0] for record in caplog.records]
    assert said == ([] if calibrated else ["Free energies", "Samples"])
    caplog.clear()
    model.log_likelihood(counts)  # this holds for every model
    assert not caplog.records


def test_texts_are_counts_of_their_words() -> None:
    texts = ["a rocket flew to the moon", "ripe apples and pears", "moon rocket"] * 5
    model = TopicModel(4, learner="cd", weighting=None, max_epochs=2, random_state=0).fit(texts)
    counts = model.counts(texts)
    np.testing.assert_array_equal(
        model.log_likelihood(texts), model.softmax_.log_likelihood(counts)
    )
    assert model.perplexity(texts) == model.softmax_.perplexity(counts)
