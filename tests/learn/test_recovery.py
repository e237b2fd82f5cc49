"""What kind of estimator each learner is.

Plain NCE with the exact log Z has the gradient of maximum likelihood in the limit of many noise
documents. Plain NCE, CD (also by Metropolis-Hastings), PCD and ratio matching bring
a model closer to the distribution of the data. alpha-NCE
with the uniform contrastive estimate does not have to: its optimum has log-ratios about D times too
sharp, so it is tested by its objective alone.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from tests.oracles.engine import NO_PRESSURE, Case, dense_rows, make_case
from undertow.counts import CsrSource, checked_counts, word_distribution
from undertow.engines import Place
from undertow.kernels.reference import objectives
from undertow.kernels.reference.energies import lengths, posterior, sigmoid
from undertow.learn import (
    Adam,
    AlphaNCE,
    ContrastiveDivergence,
    Learner,
    MetropolisDivergence,
    RatioMatching,
    Run,
    Settings,
    Sparsity,
    train,
)
from undertow.learn.alpha_nce import CORRECTIONS
from undertow.model import Parameters, exact_log_probabilities, initial_parameters
from undertow.model.partition import all_documents

TOKENS = 3
PLAIN = {"noise_level": 0.0, "uniform": False, "sharpness": 1.0}


def exact_corrections(case: Case) -> NDArray[np.float64]:
    """c_D for which the frozen log Z becomes the exact one."""
    parameters = case.parameters
    log_sum = np.log(np.exp(parameters.visible_bias.astype(np.float64)).sum())
    exact = [exact_log_probabilities(parameters, tokens)[2] for tokens in range(TOKENS + 1)]
    frozen = parameters.units * np.log(2.0) + np.arange(TOKENS + 1) * log_sum
    return np.asarray(exact, dtype=np.float64) - np.asarray(frozen, dtype=np.float64)


def likelihood_gradient(case: Case) -> NDArray[np.float64]:
    """Gradient of the mean negative log-likelihood with respect to W, by enumeration."""
    model = case.model(np.zeros(1))
    bags, log_p, _ = exact_log_probabilities(case.parameters, TOKENS)
    terms = []
    for counts, weight in (
        (bags, np.exp(log_p)),
        (case.counts, np.full(len(case.counts), 1.0 / len(case.counts))),
    ):
        u = model.w * counts
        terms.append(np.einsum("n,nk,nh->kh", weight, u, posterior(u, model.W, model.a)))
    difference: NDArray[np.float64] = terms[0] - terms[1]
    return difference


def expected_nce_gradient(case: Case, n_noise: int) -> NDArray[np.float64]:
    """The mean over all noise of plain NCE's gradient with respect to W, by enumeration."""
    model = case.model(exact_corrections(case))
    bags, log_orderings = all_documents(case.parameters.words, TOKENS)
    noise_share = np.exp(log_orderings + bags @ np.log(case.p))
    total = np.zeros_like(model.W)
    for counts, weight, sign in (
        (case.counts, np.full(len(case.counts), 1.0 / len(case.counts)), -1.0),
        (bags, n_noise * noise_share, 1.0),
    ):
        ratios, _ = objectives.log_ratios(model, np.zeros_like(counts), counts, uniform=False)
        slope = sign * weight * sigmoid(sign * (ratios - np.log(n_noise)))
        u = model.w * counts
        total += np.einsum("n,nk,nh->kh", slope, u, posterior(u, model.W, model.a))
    return total


@pytest.fixture
def case() -> Case:
    drawn = make_case(words=4, units=2, documents=8)
    counts = np.random.default_rng(1).multinomial(TOKENS, drawn.p, size=8)
    weights = np.ones(4, dtype=np.float32)
    parameters = drawn.parameters
    return Case(
        Parameters(parameters.weights, parameters.hidden_bias, parameters.visible_bias, weights),
        drawn.p,
        counts,
    )


def test_plain_nce_tends_to_maximum_likelihood(case: Case) -> None:
    """The difference falls as 1 / k: to first order, each tenfold k divides it by ten."""
    exact = likelihood_gradient(case)
    errors = [np.abs(expected_nce_gradient(case, k) - exact).max() for k in (100, 1_000, 10_000)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[0] / errors[2] == pytest.approx(100.0, rel=0.2)
    assert errors[2] < 1e-3 * np.abs(exact).max()


@pytest.mark.parametrize("noise", ["windows", "independent"])
def test_the_step_of_plain_nce_has_that_expectation(case: Case, noise: str) -> None:
    options = AlphaNCE(n_noise=50, noise=noise, stream_length=2048, normaliser="learned", **PLAIN)  # type: ignore[arg-type]
    session = case.session()
    step = options.begin(session, case.corpus, NO_PRESSURE)
    session.restore({CORRECTIONS: exact_corrections(case)})
    drawn = np.array(
        [dense_rows(step.gradient(case.batch(), Place(epoch, 0)), 4) for epoch in range(400)]
    )
    error = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    assert lengths(np.asarray(case.counts, dtype=np.float64)).max() == TOKENS
    # 8 numbers, 5 standard errors each: a false alarm once in a hundred thousand.
    assert (np.abs(drawn.mean(axis=0) - expected_nce_gradient(case, 50)) < 5.0 * error).all()


LEARNERS: dict[str, Learner] = {
    "nce": AlphaNCE(
        n_noise=25,
        visible_bias="learned",
        normaliser="learned",
        stream_length=2048,
        **PLAIN,  # type: ignore[arg-type]
    ),
    "cd": ContrastiveDivergence(n_steps=5),
    "pcd": ContrastiveDivergence(persistent=True),
    "mh-cd": MetropolisDivergence(n_steps=5, proposals=10),
    "ratio matching": RatioMatching(visible_bias="learned"),
    "ratio matching, all words alike": RatioMatching(25, "uniform", "learned"),
}


def known_model() -> Parameters:
    """A model with two clear topics over four words."""
    return Parameters(
        weights=np.array([[1.5, -1.0], [1.2, -0.8], [-1.0, 1.5], [-0.8, 1.2]], dtype=np.float32),
        hidden_bias=np.zeros(2, dtype=np.float32),
        visible_bias=np.log([0.4, 0.3, 0.2, 0.1]).astype(np.float32),
        word_weights=np.ones(4, dtype=np.float32),
    )


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", LEARNERS)
def test_learner_approaches_a_known_model(name: str, seed: int) -> None:
    """By far, and for any seed: the average of the last thousand steps takes their noise out."""
    tokens = 4
    bags, log_p, _ = exact_log_probabilities(known_model(), tokens)
    rows = np.random.default_rng(0).choice(len(bags), size=3000, p=np.exp(log_p))
    counts = checked_counts(bags[rows])
    p = word_distribution(counts)

    def divergence(parameters: Parameters) -> float:
        return float(np.exp(log_p) @ (log_p - exact_log_probabilities(parameters, tokens)[1]))

    optimizer = Adam(learning_rate=0.01, l2=0.0, hidden_bias_rate=1.0)
    settings = Settings(
        learner=LEARNERS[name],
        optimizer=optimizer,
        sparsity=Sparsity(cost=0.0),
        averaging=0.999,
        seed=seed,
    )
    run = Run(
        initial_parameters(2, p, np.ones(4), seed),
        p,
        settings,
        documents=3000,
        longest=tokens,
        threads=1,
    )
    before = divergence(run.parameters)
    train(run, CsrSource(sparse.csr_array(counts)), epochs=40)
    after = divergence(run.result())
    # Sampling 3,000 documents alone costs about (bags - 1) / (2 * 3000) = 0.006; the noise of the
    # steps as much again.
    assert before > 0.2
    assert after < 0.1 * before, (before, after)
