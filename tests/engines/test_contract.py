"""What every engine does, whatever it is made of. A third engine is one more line in `ENGINES`; one
that lives elsewhere is named by the environment: UNDERTOW_ENGINE=package.module:what_makes_it.

Bounds come from the rounding of single precision: sums of a few dozen terms of order one are off by
some 2^-24 each, and what is derived from them by a small multiple. Draws are whole numbers, and the
same to the last one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.engine import EPOCH, PLACE, SEED, Case, make_case, oracle_draws
from undertow.counts import CountBatch, CsrSource, checked_counts, idf_weights, word_distribution
from undertow.engines import (
    AVERAGE,
    OPTIMIZER,
    AdamRule,
    Engine,
    Gradient,
    MomentumRule,
    Place,
    Pressure,
    Session,
    find_engine,
)
from undertow.engines.devices import has_card
from undertow.kernels.cpu.alias import build_alias_table
from undertow.kernels.reference import (
    energies,
    gibbs,
    metropolis,
    objectives,
    ratio_matching,
)
from undertow.kernels.reference.steps import retained
from undertow.learn import (
    SGD,
    Adam,
    AlphaNCE,
    ContrastiveDivergence,
    MetropolisDivergence,
    RatioMatching,
    Run,
    Settings,
    Sparsity,
    train,
)
from undertow.learn.averaging import RunningAverage
from undertow.learn.learner import Corpus, Learner
from undertow.learn.optimizer import Moment, Optimizer
from undertow.model import initial_parameters
from undertow.vectors import VECTOR_KINDS, Balance, Measures, encode, sample_documents

ENGINES: dict[str, Callable[[], Engine]] = {
    "cpu": lambda: find_engine("cpu", threads=1),
    "cpu, three threads": lambda: find_engine("cpu", threads=3),
    "torch": lambda: find_engine("torch"),
    "torch, cuda": lambda: find_engine("torch", device="cuda"),
    "reference": lambda: find_engine("reference"),
}
if own := os.environ.get("UNDERTOW_ENGINE"):
    home, _, made_by = own.partition(":")
    ENGINES[own] = getattr(import_module(home), made_by)
SINGLE = 2e-5  # sums of a few dozen single-precision terms of order one

without_card = pytest.mark.skipif(not has_card(), reason="torch sees no card")
engines = pytest.mark.parametrize(
    "engine",
    [pytest.param(name, id=name, marks=without_card if "cuda" in name else ()) for name in ENGINES],
    indirect=True,
)


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param.startswith("torch"):
        request.getfixturevalue("torch_alone")
    return ENGINES[request.param]()


def begin(engine: Engine, case: Case) -> Session:
    return engine.begin(case.parameters.copy(), case.start)


def learned_gradient(
    engine: Engine, case: Case, learner: Learner, pressure: Pressure, held: dict[str, Any]
) -> Gradient:
    session = begin(engine, case)
    step = learner.begin(session, case.corpus, pressure)
    session.restore(held)
    return step.gradient(case.batch(), PLACE)


def written_out(gradient: Gradient, words: int) -> NDArray[np.float64]:
    touched, rows = gradient.rows()
    assert len(np.unique(touched)) == len(touched)
    out = np.zeros((words, rows.shape[1]))
    out[touched] = rows
    return out


# The gradients of the learners


@engines
@pytest.mark.parametrize("learned", [False, True], ids=["frozen", "learned"])
@pytest.mark.parametrize("noise", ["windows", "independent"])
@pytest.mark.parametrize("level", [0.0, 0.5, (0.2, 0.9)], ids=str)
def test_contrast(engine: Engine, level: Any, noise: Any, learned: bool) -> None:
    """Keeping, drawing and contrasting give the gradient of the objective at the oracle's draws."""
    case = make_case(words=20, documents=40, most_tokens=30, scale=0.3)
    pressure = Pressure(0.1, 2.0)
    options = AlphaNCE(n_noise=4, noise_level=level, noise=noise, stream_length=20, sharpness=2.0)
    corrections, held = np.zeros(case.corpus.longest + 1), {}
    if learned:
        options = replace(options, visible_bias="learned", normaliser="learned")
        corrections[1:] = np.random.default_rng(5).normal(0.0, 0.4, len(corrections) - 1)
        held = {"learner.corrections": corrections}
    gradient = learned_gradient(engine, case, options, pressure, held)
    model = case.model(corrections)
    loss, expected = objectives.alpha_nce(
        model, oracle_draws(case, options), uniform=True, sharpness=2.0
    )
    penalty, pressed_W, pressed_a = objectives.sparsity(model, case.counts, target=0.1, cost=2.0)
    assert gradient.finite
    assert gradient.loss == pytest.approx(loss + penalty, abs=SINGLE)
    np.testing.assert_allclose(written_out(gradient, 20), expected.W + pressed_W, atol=SINGLE)
    dense = gradient.dense()
    np.testing.assert_allclose(dense["hidden_bias"], expected.a + pressed_a, atol=SINGLE)
    on = energies.posterior(model.w * case.counts, model.W, model.a)
    np.testing.assert_allclose(gradient.activity, on.mean(axis=0), atol=SINGLE)
    assert set(dense) == {"hidden_bias"} | (
        {"visible_bias", "learner.corrections"} if learned else set()
    )
    if learned:
        np.testing.assert_allclose(dense["visible_bias"], expected.b, atol=SINGLE)
        np.testing.assert_allclose(dense["learner.corrections"], expected.corrections, atol=SINGLE)


@engines
def test_a_row_is_touched_where_a_word_occurs(engine: Engine) -> None:
    """In a document or in its noise, also one of weight 0: optimizers shrink what is touched."""
    case = make_case(words=40, documents=3, most_tokens=4)
    options = AlphaNCE(n_noise=2, noise_level=0.0, stream_length=4)
    gradient = learned_gradient(engine, case, options, Pressure(0.1, 0.0), {})
    drawn = oracle_draws(case, options)
    occurs = drawn.documents.any(axis=0) | drawn.noise.any(axis=(0, 1))
    assert sorted(gradient.rows()[0]) == np.flatnonzero(occurs).tolist()
    assert not occurs.all()


@engines
@pytest.mark.parametrize("words", ["unweighted", "exact"])
def test_divergence(engine: Engine, words: Any) -> None:
    """The gradient is that of the samples which the engine's own Gibbs step draws."""
    case = make_case(words=20, documents=40, most_tokens=30)
    options = ContrastiveDivergence(words=words)
    gradient = learned_gradient(engine, case, options, Pressure(0.1, 0.0), {})
    ours = case.parameters
    if words == "unweighted":
        ours = replace(
            ours,
            hidden_bias=np.zeros_like(ours.hidden_bias),
            word_weights=np.ones_like(ours.word_weights),
        )
    on, _ = engine.posteriors(case.parameters, case.batch())
    tokens = case.counts.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(tokens)])
    places = np.zeros(starts[-1], dtype=np.int32)
    batch = CountBatch(np.arange(40), starts, places, np.ones_like(places))
    drawn = engine.sample(ours, on, batch, Place(EPOCH, 0), SEED)
    samples = np.zeros_like(case.counts)
    np.add.at(samples, (np.repeat(np.arange(40), tokens), drawn.words), 1)
    W, a, b = objectives.divergence(case.model(np.zeros(1)), case.counts, samples)
    np.testing.assert_allclose(written_out(gradient, 20), W, atol=SINGLE)
    np.testing.assert_allclose(gradient.dense()["hidden_bias"], a, atol=SINGLE)
    np.testing.assert_allclose(gradient.dense()["visible_bias"], b, atol=SINGLE)


@engines
def test_chains_go_on_from_where_they_were_left(engine: Engine) -> None:
    """Units that stand for certain give words for certain: those that the chains hold."""
    case = make_case(words=4, units=2, documents=5, weighted=False)
    session = begin(engine, case)
    sure = np.array([[60.0, -60.0], [60.0, -60.0], [-60.0, 60.0], [-60.0, 60.0]])
    session.restore(
        {
            "parameters.weights": sure,
            "parameters.visible_bias": np.zeros(4),
            "parameters.hidden_bias": np.zeros(2),
        }
    )
    options = ContrastiveDivergence(persistent=True)
    step = options.begin(session, case.corpus, Pressure(0.1, 0.0))
    left = np.packbits(np.tile([[True, False]], (5, 1)), axis=1)
    session.restore({"learner.chains": left, "learner.chains.started": np.ones(5)})
    gradient = step.gradient(case.batch(), PLACE)
    b = gradient.dense()["visible_bias"] * 5 + case.counts.sum(axis=0)
    assert b[2:] == pytest.approx([0.0, 0.0], abs=1e-4)  # no chain drew words of the other unit
    assert session.arrays()["learner.chains.started"].all()
    np.testing.assert_array_equal(session.arrays()["learner.chains"], left)


@engines
@pytest.mark.parametrize("words", ["unweighted", "exact"])
def test_divergence_by_metropolis_hastings(engine: Engine, words: Any) -> None:
    """The gradient is that of the samples which the oracle's words move to."""
    case = make_case(words=20, documents=40, most_tokens=30)
    options = MetropolisDivergence(proposals=3, words=words)
    gradient = learned_gradient(engine, case, options, Pressure(0.1, 0.0), {})
    model, table = case.model(np.zeros(1)), build_alias_table(case.p)
    on = energies.posterior(model.w * case.counts, model.W, model.a)
    hidden = gibbs.hidden_units(SEED, EPOCH, 0, np.arange(40), on)
    a, w = (
        (model.a, model.w) if words == "exact" else (np.zeros_like(model.a), np.ones_like(model.w))
    )
    pulls = energies.word_logits(hidden, model.W, a, model.b, w) - np.log(case.p)
    samples = np.zeros_like(case.counts)
    for d, counts in enumerate(case.counts):
        own = np.repeat(np.arange(20), counts)
        moved = metropolis.moved_words((SEED, EPOCH, 0), d, own, pulls[d], table, 3)
        np.add.at(samples[d], moved, 1)
    W, bias, b = objectives.divergence(model, case.counts, samples)
    np.testing.assert_allclose(written_out(gradient, 20), W, atol=SINGLE)
    np.testing.assert_allclose(gradient.dense()["hidden_bias"], bias, atol=SINGLE)
    np.testing.assert_allclose(gradient.dense()["visible_bias"], b, atol=SINGLE)


@engines
@pytest.mark.parametrize("learned", [False, True], ids=["frozen", "learned"])
@pytest.mark.parametrize("neighbours", ["proposal", "uniform"])
def test_ratio_matching(engine: Engine, neighbours: Any, learned: bool) -> None:
    """The gradient of the objective at the neighbours that the oracle draws."""
    case, m = make_case(words=20, documents=40, most_tokens=30), 7
    options = RatioMatching(m, neighbours, "learned" if learned else "frozen")
    gradient = learned_gradient(engine, case, options, Pressure(0.1, 2.0), {})
    model, uniform = case.model(np.zeros(1)), neighbours == "uniform"
    table = None if uniform else build_alias_table(case.p)
    pairs = [
        ratio_matching.drawn(SEED, EPOCH, d, counts, table, m)
        for d, counts in enumerate(case.counts)
    ]
    removed, added = np.array(pairs).reshape(-1, 2).T
    replacements = ratio_matching.Replacements(
        np.repeat(np.arange(40), m), removed, added, np.full(40 * m, 1.0 / (40 * m))
    )
    loss, W, a, b = ratio_matching.ratio_matching(model, case.counts, replacements, uniform=uniform)
    penalty, pressed_W, pressed_a = objectives.sparsity(model, case.counts, target=0.1, cost=2.0)
    assert gradient.loss == pytest.approx(loss + penalty, abs=SINGLE)
    np.testing.assert_allclose(written_out(gradient, 20), W + pressed_W, atol=SINGLE)
    dense = gradient.dense()
    np.testing.assert_allclose(dense["hidden_bias"], a + pressed_a, atol=SINGLE)
    assert set(dense) == {"hidden_bias"} | ({"visible_bias"} if learned else set())
    if learned:
        np.testing.assert_allclose(dense["visible_bias"], b, atol=SINGLE)
    occurring = np.union1d(np.flatnonzero(case.counts.any(axis=0)), added)
    assert sorted(gradient.rows()[0]) == occurring.tolist()


@engines
def test_gathered(engine: Engine) -> None:
    """A gradient of one's own is what it was given, words that repeat added up."""
    session = begin(engine, make_case())
    gradient = session.gather(
        np.array([3, 1, 3], dtype=np.int32),
        np.arange(9.0).reshape(3, 3),
        {"hidden_bias": np.ones(3)},
        loss=0.5,
        activity=np.full(3, 0.25),
    )
    words, rows = gradient.rows()
    order = np.argsort(words)
    assert words[order].tolist() == [1, 3]
    np.testing.assert_array_equal(rows[order], [[3, 4, 5], [6, 8, 10]])
    np.testing.assert_array_equal(gradient.dense()["hidden_bias"], np.ones(3))
    assert (gradient.loss, gradient.finite) == (0.5, True)


@engines
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_gradient_that_is_not_finite_says_so(engine: Engine, wrong: float) -> None:
    session = begin(engine, make_case())
    gradient = session.gather(
        np.array([0], dtype=np.int32), np.ones((1, 3)), {}, loss=wrong, activity=np.ones(3)
    )
    assert not gradient.finite


@engines
def test_what_an_optimizer_of_ones_own_holds_is_its_own(engine: Engine) -> None:
    """It changes in place what it held, and finds it so afterwards."""
    session = begin(engine, make_case())
    for name, shape in {"optimizer.table": (5, 3), "optimizer.number": ()}.items():
        session.hold(name, np.zeros(shape))
        session.arrays()[name][...] += 2.0
        assert (session.arrays()[name] == 2.0).all()
        assert session.arrays()[name].shape == shape
    session.restore({"optimizer.number": np.array(3.0)})
    assert session.arrays()["optimizer.number"] == 3.0


# Optimizers and averages, on gradients that are given


def given(session: Session, generator: np.random.Generator) -> tuple[Gradient, Any, Any]:
    """Slopes of three of the words, of the hidden bias and of the visible bias."""
    words = generator.permutation(5)[:3].astype(np.int32)
    slopes = generator.uniform(0.5, 1.5, (3, 3))
    dense = {"hidden_bias": generator.uniform(0.5, 1.5, 3)}
    gradient = session.gather(words, slopes, dense, loss=0.0, activity=np.ones(3))
    return gradient, (words, slopes), dense


@engines
@pytest.mark.parametrize("moments", ["row", "element"])
def test_adam(engine: Engine, moments: Any) -> None:
    """Rows by the textbook, each with a step count of its own; the hidden bias at its own rate."""
    case = make_case()
    session, generator = begin(engine, case), np.random.default_rng(1)
    Adam(moments=moments).begin(session)
    momentum = 0.8 if moments == "element" else 0.0
    W, a = (array.astype(np.float64) for array in (case.parameters.weights, np.zeros(3)))
    a += case.parameters.hidden_bias
    first, second, times = np.zeros((5, 3)), np.zeros((5, 3)), np.zeros(5)
    bias_square = np.zeros(3)
    for step in range(1, 6):
        gradient, (words, slopes), dense = given(session, generator)
        session.adam(gradient, AdamRule(0.1, 0.5, 0.9, momentum, 0.01, step))
        for word, slope in zip(words, slopes, strict=True):
            slope = slope + 0.01 * W[word]
            square = np.full(3, np.mean(slope**2)) if moments == "row" else slope**2
            first[word] = momentum * first[word] + (1 - momentum) * slope
            second[word] = 0.9 * second[word] + 0.1 * square
            times[word] += 1
            mean = first[word] / (1 - momentum ** times[word])
            W[word] -= 0.1 * mean / np.sqrt(second[word] / (1 - 0.9 ** times[word]))
        bias_square = 0.9 * bias_square + 0.1 * dense["hidden_bias"] ** 2
        a -= 0.05 * dense["hidden_bias"] / np.sqrt(bias_square / (1 - 0.9**step))
    np.testing.assert_allclose(session.arrays()["parameters.weights"], W, atol=SINGLE)
    np.testing.assert_allclose(session.arrays()["parameters.hidden_bias"], a, atol=SINGLE)


@engines
def test_momentum(engine: Engine) -> None:
    """Rows that no word touches coast on; momentum changes where the rule says."""
    case = make_case()
    session, generator = begin(engine, case), np.random.default_rng(1)
    SGD().begin(session)
    W, velocity = case.parameters.weights.astype(np.float64), np.zeros((5, 3))
    a, speed = case.parameters.hidden_bias.astype(np.float64), np.zeros(3)
    paces = [0.5, 0.5, 0.9, 0.9, 0.9]
    for now, coming in pairwise(paces):
        gradient, (words, slopes), dense = given(session, generator)
        session.momentum(gradient, MomentumRule(0.1, 0.5, now, coming, 0.01))
        velocity *= now
        velocity[words] -= 0.1 * (slopes + 0.01 * W[words])
        W += velocity
        speed = now * speed - 0.05 * dense["hidden_bias"]
        a += speed
    np.testing.assert_allclose(session.arrays()["parameters.weights"], W, atol=SINGLE)
    np.testing.assert_allclose(session.arrays()["parameters.hidden_bias"], a, atol=SINGLE)


@engines
def test_move(engine: Engine) -> None:
    case = make_case()
    session = begin(engine, case)
    session.hold("mine", np.zeros(2), learned=True)
    session.move(
        np.array([4, 2], dtype=np.int32),
        np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]),
        {"hidden_bias": np.ones(3), "mine": np.array([3.0, 4.0])},
    )
    arrays = session.arrays()
    moved = arrays["parameters.weights"] - case.parameters.weights
    expected = np.zeros((5, 3))
    expected[4, 0], expected[2, 1] = 1.0, 2.0
    np.testing.assert_allclose(moved, expected, atol=1e-6)
    np.testing.assert_allclose(
        arrays["parameters.hidden_bias"], case.parameters.hidden_bias + 1.0, atol=1e-6
    )
    np.testing.assert_array_equal(arrays["mine"], [3.0, 4.0])


@engines
@pytest.mark.parametrize("optimizer", [Adam(), Adam(moments="element"), SGD()], ids=str)
def test_averages_are_those_of_every_step(engine: Engine, optimizer: Optimizer) -> None:
    """Rows are brought up to date late, and yet to what doing it at every step gives."""
    decay, case = 0.8, make_case()
    session, generator = begin(engine, case), np.random.default_rng(1)
    average, updater = RunningAverage(session, decay), optimizer.begin(session)
    names = ("weights", "hidden_bias")
    expected = {name: getattr(case.parameters, name).astype(np.float64) for name in names}
    for step in range(1, 25):
        gradient, _, _ = given(session, generator)
        average.before_update(None if updater.moves_every_row else gradient, step)
        updater.apply(gradient, Moment(step, None))
        average.after_update(gradient, step)
        stays = retained(step - 1, step, decay)
        for name in names:
            now = session.arrays()[f"parameters.{name}"]
            expected[name] = stays * expected[name] + (1.0 - stays) * now
    found = average.parameters(24)
    for name in names:
        np.testing.assert_allclose(getattr(found, name), expected[name], atol=SINGLE)
    np.testing.assert_array_equal(found.visible_bias, case.parameters.visible_bias)
    again = average.parameters(24)
    np.testing.assert_array_equal(again.weights, found.weights)


# Sessions


@engines
def test_what_is_held_is_kept_and_restored(engine: Engine) -> None:
    session = begin(engine, make_case())
    session.hold("mine", np.arange(3.0), learned=True)
    session.hold("bits", np.zeros(4, dtype=np.uint8))
    assert set(session.learned()) == {"weights", "hidden_bias", "visible_bias", "mine"}
    session.restore({"mine": np.full(3, 7.0), "bits": np.ones(4)})
    arrays = session.arrays()
    np.testing.assert_array_equal(arrays["mine"], np.full(3, 7.0))
    assert arrays["bits"].dtype == np.uint8
    assert arrays["bits"].sum() == 4
    assert {name for name in arrays if name.startswith("parameters.")} == {
        "parameters.weights",
        "parameters.hidden_bias",
        "parameters.visible_bias",
        "parameters.word_weights",
    }


@engines
def test_what_is_not_finite_is_named(engine: Engine) -> None:
    session = begin(engine, make_case())
    assert session.not_finite() == []
    session.hold("mine", np.array([1.0, np.inf]), learned=True)
    session.hold("not mine", np.array([np.nan]))
    session.restore({"parameters.hidden_bias": np.array([0.0, np.nan, 1.0])})
    assert session.not_finite() == ["hidden_bias", "mine"]


@engines
@pytest.mark.parametrize("number", [2e12, -3e30])
def test_what_is_too_large_to_reckon_with_is_named(engine: Engine, number: float) -> None:
    session = begin(engine, make_case())
    session.restore({"parameters.hidden_bias": np.array([0.0, 1e12, 1.0])})
    assert session.not_finite() == []
    session.restore({"parameters.hidden_bias": np.array([0.0, number, 1.0])})
    assert session.not_finite() == ["hidden_bias"]


@engines
def test_a_matrix_of_any_layout_is_learned(engine: Engine) -> None:
    session = begin(engine, make_case())
    session.hold("mine", np.asfortranarray(np.zeros((2, 3))), learned=True)
    Adam(learning_rate=0.1, annealing=0.0).begin(session)
    slopes = {"hidden_bias": np.ones(3), "mine": np.asfortranarray(np.full((2, 3), 2.0))}
    nothing = (np.zeros(1, dtype=np.int32), np.ones((1, 3)))
    gradient = session.gather(*nothing, slopes, loss=0.0, activity=np.ones(3))
    session.adam(gradient, AdamRule(0.1, 1.0, 0.9, 0.0, 0.0, 1))
    np.testing.assert_allclose(session.arrays()["mine"], np.full((2, 3), -0.1), atol=1e-6)


@engines
def test_parameters_are_those_of_now(engine: Engine) -> None:
    session = begin(engine, make_case())
    session.move(np.array([0], dtype=np.int32), np.full((1, 3), 100.0), {})
    assert (session.parameters.weights[0] > 90.0).all()
    assert session.parameters.weights.dtype == np.float32


# Whole runs

RUNS: dict[str, tuple[Learner, Optimizer]] = {
    "alpha-nce": (AlphaNCE(stream_length=64), Adam()),
    "a level per document": (AlphaNCE(stream_length=64, noise_level=(0.3, 0.9)), Adam()),
    "independent noise": (AlphaNCE(n_noise=3, noise="independent"), Adam()),
    "all learned": (
        AlphaNCE(stream_length=64, visible_bias="learned", normaliser="learned"),
        Adam(moments="element", momentum=0.9),
    ),
    "nce": (AlphaNCE(noise_level=0.0, uniform=False, sharpness=1.0), SGD(learning_rate=0.01)),
    "sgd": (AlphaNCE(stream_length=64), SGD(early_steps=3)),
    "cd": (ContrastiveDivergence(n_steps=2), Adam(annealing=0.0)),
    "pcd": (ContrastiveDivergence(persistent=True), SGD(learning_rate=0.01)),
    "mh-cd": (MetropolisDivergence(n_steps=2), Adam(annealing=0.0)),
    "ratio matching": (RatioMatching(), Adam()),
    "ratio matching, all alike": (RatioMatching(5, "uniform", "frozen"), Adam()),
}
CHAINS = (ContrastiveDivergence, MetropolisDivergence)  # learners whose draws go by thresholds


def trained(
    engine: Engine, learner: Learner, optimizer: Optimizer, epochs: int = 2, replicas: int = 1
) -> Run:
    generator = np.random.default_rng(3)
    popularity = 1.0 / np.arange(1, 61)
    rows = [
        generator.multinomial(n, popularity / popularity.sum())
        for n in generator.integers(1, 40, 90)
    ]
    counts = checked_counts(np.array(rows))
    weights, p = idf_weights(counts), word_distribution(counts)
    source = CsrSource(counts, weights)
    settings = Settings(
        learner=learner,
        optimizer=optimizer,
        sparsity=Sparsity(0.1, 0.5),
        averaging=0.9,
        batch_size=40,
        planned_steps=6,
        seed=5,
        replicas=replicas,
        interval=1,
    )
    run = Run(
        initial_parameters(10, p, weights, 5),
        p,
        settings,
        documents=90,
        longest=source.longest,
        engine=engine,
    )
    return train(run, source, epochs=epochs)


@engines
@pytest.mark.parametrize("name", RUNS)
def test_a_run_ends_where_the_reference_ends(engine: Engine, name: str) -> None:
    """Six steps from the same draws. Rounding is all that differs, but for chains: there a number
    that is drawn next to a threshold may fall to the other side, about one word in 10^5 of the
    some 10^4 that are drawn, and moves one document of 40 in one step.
    """
    learner, optimizer = RUNS[name]
    ours = trained(engine, learner, optimizer).result()
    theirs = trained(find_engine("reference"), learner, optimizer).result()
    bound = 0.05 if isinstance(learner, CHAINS) else 2e-4
    for array in ("weights", "hidden_bias", "visible_bias"):
        difference = np.abs(getattr(ours, array) - getattr(theirs, array))
        assert difference.max() < bound, array
    moved = np.abs(ours.weights - trained(engine, learner, optimizer, epochs=0).result().weights)
    assert moved.max() > 0.005  # it is not for want of learning


@engines
@pytest.mark.parametrize("name", RUNS)
def test_a_state_that_is_carried_over_goes_on_alike(engine: Engine, name: str) -> None:
    """A session that is restored to the arrays of another goes on to the same bits."""
    learner, optimizer = RUNS[name]
    whole = trained(engine, learner, optimizer, epochs=3)
    half = trained(engine, learner, optimizer, epochs=2)
    arrays = {key: array.copy() for key, array in half.arrays().items()}
    other = trained(engine, learner, optimizer, epochs=0)
    other.restore(arrays)
    other.epoch, other.steps = half.epoch, half.steps
    source = _source()
    train(other, source, epochs=3)
    for key, array in whole.arrays().items():
        if not key.startswith("tally"):
            np.testing.assert_array_equal(array, other.arrays()[key], err_msg=key)


def _source() -> CsrSource:
    generator = np.random.default_rng(3)
    popularity = 1.0 / np.arange(1, 61)
    rows = [
        generator.multinomial(n, popularity / popularity.sum())
        for n in generator.integers(1, 40, 90)
    ]
    counts = checked_counts(np.array(rows))
    return CsrSource(counts, idf_weights(counts))


# Replicas


@engines
def test_rows_are_taken_out_and_put_in_by_words(engine: Engine) -> None:
    session, words = begin(engine, make_case()), np.array([1, 4], dtype=np.int32)
    session.hold("optimizer.table", np.arange(10.0).reshape(5, 2))
    names = ["parameters.weights", "optimizer.table"]
    before = session.take(names)
    taken = session.take(names, words)
    for name in names:
        np.testing.assert_array_equal(taken[name], before[name][words])
    session.restore({"optimizer.table": np.full((2, 2), 9.0)}, words)
    after = session.take(names)
    assert after["optimizer.table"].tolist() == [[0, 1], [9, 9], [4, 5], [6, 7], [9, 9]]
    np.testing.assert_array_equal(after["parameters.weights"], before["parameters.weights"])
    taken["parameters.weights"][:] = 50.0  # copies: the session has its own
    assert (session.arrays()["parameters.weights"] < 50.0).all()


@engines
@pytest.mark.parametrize("optimizer", [Adam(), Adam(moments="element"), SGD()], ids=str)
def test_what_moved_is_known(engine: Engine, optimizer: Optimizer) -> None:
    """All words at first; then those that a step touched, or all where every row moves."""
    session, generator = begin(engine, make_case()), np.random.default_rng(2)
    updater = optimizer.begin(session)
    assert session.moved().tolist() == [0, 1, 2, 3, 4]
    assert session.moved().tolist() == []
    gradient, (words, _), _ = given(session, generator)
    updater.apply(gradient, Moment(1, None))
    expected = range(5) if updater.moves_every_row else sorted(words.tolist())
    assert session.moved().tolist() == list(expected)
    session.move(np.array([3, 0], dtype=np.int32), np.ones((2, 3)), {})
    found = session.moved()
    assert (found.tolist(), found.dtype.name) == ([0, 3], "int32")


@engines
def test_averages_of_some_words_and_of_everything_else(engine: Engine) -> None:
    """Rows named are brought up to a step; others from a step on during which they stood still."""
    case, decay = make_case(), 0.8
    session = begin(engine, case)
    RunningAverage(session, decay)
    ones = np.ones((5, 3))
    session.move(np.arange(5, dtype=np.int32), ones, {"hidden_bias": np.ones(3)})
    session.average_rows(None, step=6, decay=decay, words=np.array([0, 3], dtype=np.int32))
    session.average_others(None, step=9, decay=decay, since=4)
    arrays, stays = session.arrays(), retained(0, 6, decay)
    rows = case.parameters.weights + (1.0 - stays) * ones
    np.testing.assert_allclose(arrays["average.weights"][[0, 3]], rows[[0, 3]], atol=SINGLE)
    others = [1, 2, 4]
    np.testing.assert_array_equal(
        arrays["average.weights"][others], case.parameters.weights[others]
    )
    assert arrays["average.until"].tolist() == [6, 0, 0, 6, 0]
    bias = case.parameters.hidden_bias + (1.0 - retained(4, 9, decay))
    np.testing.assert_allclose(arrays["average.hidden_bias"], bias, atol=SINGLE)


@engines
def test_replicas_meet_at_the_mean_of_those_that_moved(engine: Engine) -> None:
    """In place, or by taking rows out and putting them in: to the same numbers, and rows that
    nobody moved stay as they are. NumPy in float64 is the oracle.
    """
    case = make_case(words=300, units=7)
    generator = np.random.default_rng(4)
    values = {
        "parameters.weights": generator.normal(size=(3, 300, 7)).astype(np.float32),
        "optimizer.row_moments": generator.normal(size=(3, 300, 2)).astype(np.float32),
    }
    lists = [np.flatnonzero(generator.random(300) < share) for share in (0.0, 0.5, 0.3)]
    sessions = [engine.replica(n, 3).begin(case.parameters.copy(), case.start) for n in range(3)]
    for number, session in enumerate(sessions):
        Adam().begin(session)
        session.restore({name: arrays[number] for name, arrays in values.items()})
    words = [one.astype(np.int32) for one in lists]
    if not engine.meet(sessions, list(values), words):
        return  # it leaves this to `take` and `restore`, which the runs below go by
    for name, arrays in values.items():
        for number, session in enumerate(sessions):
            expected = arrays[number].astype(np.float64)
            for word in range(300):
                bringers = [n for n in range(3) if word in lists[n]]
                if bringers:
                    expected[word] = arrays[bringers, word].astype(np.float64).mean(axis=0)
            np.testing.assert_allclose(session.arrays()[name], expected, atol=1e-6)


@engines
def test_work_of_replicas_is_done_and_its_errors_are_raised(engine: Engine) -> None:
    done: list[int] = []

    def fail() -> None:
        raise ValueError("of a replica")

    engine.together([partial(done.append, number) for number in range(7)])
    assert sorted(done) == list(range(7))
    with pytest.raises(ValueError, match="of a replica"):
        engine.together([fail, partial(done.append, 7)])
    engine.together([])


STRETCHED: dict[str, AlphaNCE] = {
    "windows": AlphaNCE(stream_length=64),
    "independent noise": AlphaNCE(n_noise=3, noise="independent"),
    "a level per document": AlphaNCE(stream_length=64, noise_level=(0.3, 0.9)),
}


@engines
@pytest.mark.parametrize("name", STRETCHED)
def test_a_stretch_is_its_steps_one_by_one(engine: Engine, name: str) -> None:
    """Minibatches of any size, also such as need larger arrays than those before; what was seen is
    their sum.
    """
    learner, adam = STRETCHED[name], Adam(l2=0.01)
    source, case = _source(), make_case(words=60, units=10, documents=2)
    batches = list(source.batches(seed=1, epoch=0, batch_size=8))
    batches += list(source.batches(seed=1, epoch=1, batch_size=35))
    places = [Place(3, number) for number in range(len(batches))]
    moments = [Moment(number + 1, number / 20) for number in range(len(batches))]
    own = engine.replica(0, 1)
    one, all_at_once = (own.begin(case.parameters.copy(), case.start) for _ in range(2))
    first, second = (
        learner.begin(session, case.corpus, Pressure(0.1, 0.5)) for session in (one, all_at_once)
    )
    verbs, ahead = (adam.begin(session) for session in (one, all_at_once))
    rules = tuple(ahead.rule(moment) for moment in moments)
    all_at_once.moved()
    counted = all_at_once.stretch(batches, places, second.steps(rules, 0.0))
    if counted is None:
        return  # an engine that is no quicker by it
    one.moved()
    loss, activity = 0.0, np.zeros(10)
    for batch, place, moment in zip(batches, places, moments, strict=True):
        gradient = first.gradient(batch, place)
        loss += batch.size * gradient.loss
        activity += batch.size * np.asarray(gradient.activity, dtype=np.float64)
        verbs.apply(gradient, moment)
    theirs = all_at_once.arrays()
    for key, array in one.arrays().items():
        np.testing.assert_allclose(theirs[key], array, atol=2e-4, err_msg=key)
    assert counted.finite
    assert counted.loss == pytest.approx(loss, rel=1e-4)
    np.testing.assert_allclose(counted.activity, activity, rtol=1e-3)
    assert one.moved().tolist() == all_at_once.moved().tolist()


@engines
def test_a_stretch_that_diverges_says_so(engine: Engine) -> None:
    learner, adam, case = STRETCHED["windows"], Adam(), make_case(words=60, units=10)
    session = engine.replica(0, 1).begin(case.parameters.copy(), case.start)
    session.restore({"parameters.hidden_bias": np.full(10, np.nan)})
    step, updater = (
        learner.begin(session, case.corpus, Pressure(0.1, 0.0)),
        adam.begin(session),
    )
    batches = list(_source().batches(seed=1, epoch=0, batch_size=45))
    rules = tuple(updater.rule(Moment(number + 1, None)) for number in range(2))
    counted = session.stretch(batches, [Place(0, 0), Place(0, 1)], step.steps(rules, 0.0))
    assert counted is None or not counted.finite


@engines
@pytest.mark.parametrize(
    "name", ["alpha-nce", "all learned", "sgd", "cd", "mh-cd", "ratio matching"]
)
def test_a_run_of_replicas_ends_where_the_reference_ends(engine: Engine, name: str) -> None:
    """As for single runs above; minibatches end unequally: three for two replicas."""
    learner, optimizer = RUNS[name]
    ours = trained(engine, learner, optimizer, replicas=2).result()
    theirs = trained(find_engine("reference"), learner, optimizer, replicas=2).result()
    bound = 0.05 if isinstance(learner, CHAINS) else 2e-4
    for array in ("weights", "hidden_bias", "visible_bias"):
        difference = np.abs(getattr(ours, array) - getattr(theirs, array))
        assert difference.max() < bound, array


# What documents look like


@engines
def test_inputs_posteriors_and_scores(engine: Engine) -> None:
    case = make_case(words=20, documents=9, most_tokens=30)
    model, batch = case.model(np.zeros(1)), case.batch()
    u = model.w * case.counts
    sums, lengths = engine.inputs(case.parameters.weights, case.parameters.word_weights, batch)
    np.testing.assert_allclose(sums, u @ model.W, atol=SINGLE)
    np.testing.assert_allclose(lengths, energies.lengths(u), atol=SINGLE)
    on, scores = engine.posteriors(case.parameters, batch)
    np.testing.assert_allclose(on, energies.posterior(u, model.W, model.a), atol=SINGLE)
    np.testing.assert_allclose(scores, energies.score(u, model.W, model.a), atol=2 * SINGLE)
    assert [array.dtype.name for array in (sums, lengths, on)] == ["float32", "float64", "float32"]


@engines
def test_arrays_that_are_held_give_the_same_vectors(engine: Engine) -> None:
    case = make_case(words=60, units=7, documents=12)
    weights, word_weights = case.parameters.weights, case.parameters.word_weights
    free = engine.inputs(weights, word_weights, case.batch())
    with engine.holding([weights, word_weights]):
        held = engine.inputs(weights, word_weights, case.batch())
        with pytest.raises(ZeroDivisionError):  # errors are not kept back
            1 / 0  # noqa: B018
    np.testing.assert_allclose(held[0], free[0], atol=SINGLE)
    np.testing.assert_allclose(held[1], free[1], atol=SINGLE)


@engines
@pytest.mark.parametrize("kind", VECTOR_KINDS)
def test_every_kind_of_vector(engine: Engine, kind: str) -> None:
    case = make_case(words=20, units=9, documents=9, most_tokens=30)
    generator = np.random.default_rng(2)
    directions = generator.normal(size=(20, 4)).astype(np.float32)
    balance = Balance(2.0, np.full(9, 0.1, np.float32), directions)
    measures = Measures(11.0, balance)
    ours = encode(kind, case.parameters, case.batch(), measures, engine=engine)
    theirs = encode(kind, case.parameters, case.batch(), measures, engine=find_engine("reference"))
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    np.testing.assert_allclose(ours, theirs, atol=2 * SINGLE)


@engines
def test_samples_have_the_lengths_asked_for(engine: Engine) -> None:
    case = make_case()
    drawn = sample_documents(case.parameters, [3, 1, 7], n_steps=4, seed=1, engine=engine)
    assert np.diff(drawn.starts).tolist() == [3, 1, 7]
    assert drawn.words.min() >= 0
    assert drawn.words.max() < case.parameters.words


@engines
def test_words_are_drawn_as_the_model_says(engine: Engine) -> None:
    """Shares of 20,000 words: the deviation of a share is at most sqrt(1/4 / 20,000) = .0035, and
    five of them are one false alarm in 10^6.
    """
    case = make_case(words=4, units=2, documents=1)
    ids, tokens = np.arange(1), 20_000
    batch = CountBatch(
        ids, np.array([0, tokens]), np.zeros(tokens, np.int32), np.ones(tokens, np.int32)
    )
    chances = np.array([[1.0, 0.0]], dtype=np.float32)  # which units are on is no chance
    drawn = engine.sample(case.parameters, chances, batch, Place(0, 0), 3)
    model = case.model(np.zeros(1))
    expected = energies.words_given_hidden(
        np.array([[1.0, 0.0]]), model.W, model.a, model.b, model.w
    )[0]
    shares = np.bincount(drawn.words, minlength=4) / tokens
    assert np.abs(shares - expected).max() < 5 * 0.0035


def test_names_that_engines_and_learners_agree_on() -> None:
    session = begin(find_engine("cpu"), make_case())
    RunningAverage(session, 0.9)
    Adam().begin(session)
    held = [name for name in session.arrays() if not name.startswith("parameters.")]
    assert all(name.startswith((AVERAGE, OPTIMIZER)) for name in held)
    assert Corpus(1, 1).documents == 1
