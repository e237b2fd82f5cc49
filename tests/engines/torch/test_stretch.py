"""Stretches of steps in fused kernels, against the same steps taken verb by verb on the CPU."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.engine import EPOCH, SEED, Case, make_case
from undertow.counts import CountBatch, CsrSource, checked_counts
from undertow.engines import (
    AVERAGE,
    AVERAGED_UNTIL,
    OPTIMIZER,
    PARAMETERS,
    AdamRule,
    Noise,
    Objective,
    Place,
    Pressure,
    Session,
    Steps,
    find_engine,
)
from undertow.kernels.cpu.alias import build_alias_table
from undertow.learn import Adam, AlphaNCE, Run, Settings, train
from undertow.learn.averaging import RunningAverage

torch = pytest.importorskip("torch", reason="needs undertow[gpu]")
pytest.importorskip("triton", reason="needs Triton, which comes with torch for cards")
CARD = torch.cuda.is_available()
DEVICE = torch.device("cuda" if CARD else "cpu")

from undertow.engines.torch.device_source import documents_of_stretch  # noqa: E402
from undertow.engines.torch.stretch import Seen, State, Stretches  # noqa: E402

SINGLE = 2e-5  # sums of a few dozen single-precision terms of order one
on_card = pytest.mark.skipif(not CARD, reason="needs a card")

FORMS: dict[str, dict[str, Any]] = {
    "one step": {},
    "several steps, the last of fewer": {"batch": 14},
    "a level per document": {"words": 40, "units": 10, "level": (0.2, 0.9), "stream": 64},
    "no averages": {"words": 10, "units": 33, "averaging": 0.0},
    "words of many chunks": {"words": 6, "level": 0.0, "uniform": False, "stream": 400},
    "wide": {"units": 130, "most": 8, "stream": 30},
}


def steps_of(
    count: int, level: Any, stream: int, averaging: float, uniform: bool
) -> tuple[Steps, tuple[AdamRule, ...]]:
    rules = tuple(AdamRule(0.02, 0.5, 0.9, 0.0, 1e-3, step) for step in range(1, count + 1))
    objective, pressure = Objective(uniform, 3.0), Pressure(0.1, 2.0)
    return Steps(level, Noise(4, False, stream), objective, pressure, rules, averaging), rules


def verb_by_verb(
    case: Case, batches: list[CountBatch], steps: Steps
) -> tuple[Session, float, NDArray[np.float64]]:
    session = find_engine("cpu", threads=1).begin(case.parameters.copy(), case.start)
    Adam().begin(session)
    average = RunningAverage(session, steps.averaging) if steps.averaging else None
    loss, activity = 0.0, np.zeros(case.parameters.units)
    for number, batch in enumerate(batches):
        kept = session.keep_words(batch, Place(EPOCH, number), steps.level)
        drawn = session.draw_noise(kept, steps.noise)
        gradient = session.contrast(drawn, steps.objective, steps.pressure)
        loss += gradient.loss * batch.size
        activity += gradient.activity.astype(np.float64) * batch.size
        if average:
            average.before_update(gradient, number + 1)
        session.adam(gradient, steps.rules[number])
        if average:
            average.after_update(gradient, number + 1)
    return session, loss, activity


def tensor(array: NDArray[Any]) -> Any:
    return torch.from_numpy(np.array(array)).to(DEVICE)


def state_of(case: Case, averaging: float) -> State:
    own, words = case.parameters.copy(), case.parameters.words
    averages: Any = [
        tensor(array) if averaging else None
        for array in (own.weights, np.zeros(words, dtype=np.int64), own.hidden_bias)
    ]
    moments = tensor(np.zeros((words, 2), dtype=np.float32)), tensor(np.zeros(own.units))
    return State(
        tensor(own.weights),
        tensor(own.word_weights),
        tensor(own.hidden_bias),
        *moments,
        *averages,
    )


def fused(case: Case, batches: list[CountBatch], steps: Steps) -> tuple[State, Seen]:
    state = state_of(case, steps.averaging)
    table = tensor(build_alias_table(case.p).astype(np.int64))
    documents = documents_of_stretch(batches, np.arange(len(batches)), DEVICE)
    return state, Stretches(state, table, SEED).take(documents, EPOCH, steps)


@pytest.mark.parametrize("form", FORMS)
def test_a_stretch_is_its_steps(form: str) -> None:
    """Draws are the same to the last one; sums are rounded in another order."""
    usual = {"words": 20, "units": 3, "documents": 35, "batch": 35, "most": 12, "level": 0.5}
    chosen = {**usual, "stream": 20, "averaging": 0.9, "uniform": True, **FORMS[form]}
    case = make_case(
        words=chosen["words"],
        units=chosen["units"],
        documents=chosen["documents"],
        most_tokens=chosen["most"],
        free_bias=False,
        scale=0.3,
    )
    whole, size = case.batch(), chosen["batch"]
    batches = [whole.part(first, first + size) for first in range(0, whole.size, size)]
    options = (chosen["level"], chosen["stream"], chosen["averaging"], chosen["uniform"])
    steps, _ = steps_of(len(batches), *options)
    session, loss, activity = verb_by_verb(case, batches, steps)
    state, seen = fused(case, batches, steps)
    expected = session.arrays()
    names = {
        PARAMETERS + "weights": state.weights,
        PARAMETERS + "hidden_bias": state.hidden_bias,
        AVERAGE + "weights": state.average,
        AVERAGE + "hidden_bias": state.hidden_average,
    }
    for name, ours in names.items():
        if ours is not None:
            np.testing.assert_allclose(ours.cpu(), expected[name], atol=SINGLE, err_msg=name)
    if state.averaged_until is not None:
        np.testing.assert_array_equal(state.averaged_until.cpu(), expected[AVERAGED_UNTIL])
    moments = (state.row_moments, state.hidden_moments)
    for ours, name in zip(moments, ("row_moments", "hidden_bias_moments"), strict=True):
        np.testing.assert_allclose(ours.cpu(), expected[OPTIMIZER + name], rtol=1e-3, atol=1e-6)
    assert seen.loss == pytest.approx(loss, rel=1e-5)
    np.testing.assert_allclose(seen.activity, activity, rtol=1e-4)
    assert seen.finite


def test_the_same_bits_again() -> None:
    case = make_case(words=20, units=8, documents=20, most_tokens=9, free_bias=False)
    whole = case.batch()
    steps, _ = steps_of(2, 0.5, 20, 0.9, True)
    batches = [whole.part(0, 10), whole.part(10, 20)]
    (one, _), (two, _) = fused(case, batches, steps), fused(case, batches, steps)
    assert torch.equal(one.weights, two.weights)
    assert torch.equal(one.hidden_bias, two.hidden_bias)


def test_what_is_not_finite_is_seen() -> None:
    case = make_case(words=20, units=3, documents=10, free_bias=False)
    case.parameters.weights[3, 1] = np.nan
    steps, _ = steps_of(1, 0.5, 20, 0.9, True)
    assert not fused(case, [case.batch()], steps)[1].finite


@on_card
@pytest.mark.parametrize("batch_size", [7, 32])
def test_a_source_on_the_card_has_the_same_minibatches(batch_size: int) -> None:
    counts = checked_counts(make_case(words=30, documents=100, most_tokens=20).counts)
    source = CsrSource(counts)
    lying = find_engine("torch", device="cuda").source(source)
    assert type(lying) is not CsrSource
    asked = {"seed": 5, "epoch": 3, "batch_size": batch_size, "first_batch": 1}
    pairs = zip(source.batches(**asked), lying.batches(**asked), strict=True)
    for ours, theirs in pairs:
        for name in ("document_ids", "starts", "words", "counts"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
        assert (ours.size, ours.tokens) == (theirs.size, theirs.tokens)


@on_card
def test_a_run_in_stretches_is_the_run_on_the_cpu() -> None:
    case = make_case(words=300, units=20, documents=700, most_tokens=60, free_bias=False, scale=0.1)
    source = CsrSource(checked_counts(case.counts))
    settings = Settings(AlphaNCE(n_noise=5, stream_length=64), Adam(), planned_steps=18)
    found = []
    for engine in (find_engine("cpu", threads=1), find_engine("torch", device="cuda")):
        parameters = replace(case.parameters, word_weights=np.ones(300, dtype=np.float32))
        run = Run(parameters.copy(), case.p, settings, documents=700, longest=60, engine=engine)
        found.append(train(run, engine.source(source), epochs=3))
    ours, theirs = (run.result() for run in found)
    np.testing.assert_allclose(ours.weights, theirs.weights, atol=5e-4)
    np.testing.assert_allclose(ours.hidden_bias, theirs.hidden_bias, atol=5e-4)
    assert found[0].history[-1].loss == pytest.approx(found[1].history[-1].loss, rel=1e-4)
