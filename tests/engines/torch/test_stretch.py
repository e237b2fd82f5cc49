"""Stretches of steps in fused kernels, against the same steps taken verb by verb on the CPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
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
from undertow.spool import SpooledSource, SpoolWriter

torch = pytest.importorskip("torch", reason="needs undertow[gpu]")
pytest.importorskip("triton", reason="needs Triton, which comes with torch for cards")
CARD = torch.cuda.is_available()
DEVICE = torch.device("cuda" if CARD else "cpu")

from undertow.engines.torch import TorchEngine, stretch  # noqa: E402
from undertow.engines.torch.device_source import DeviceSource, documents_of_stretch  # noqa: E402
from undertow.engines.torch.session import DOCUMENTS_AT_ONCE, TorchSession  # noqa: E402
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
    session.moved()  # from now on it is noted
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
        tensor(np.zeros(words, dtype=bool)),
        tensor(own.word_weights),
        tensor(own.hidden_bias),
        *moments,
        *averages,
    )


def fused(case: Case, batches: list[CountBatch], steps: Steps) -> tuple[State, Seen]:
    state = state_of(case, steps.averaging)
    table = tensor(build_alias_table(case.p).astype(np.int64))
    documents = documents_of_stretch(batches, np.arange(len(batches)), DEVICE)
    stretches = Stretches(state, table, SEED)
    return state, stretches.take(documents, stretches.shape(documents, steps), EPOCH, steps)


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
    np.testing.assert_array_equal(np.flatnonzero(state.flags.cpu()), session.moved())
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


def test_a_small_minibatch_alone_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a run is resumed before the last of an epoch."""
    monkeypatch.setattr(stretch, "FEW", 10)
    case = make_case(words=20, units=8, documents=19, most_tokens=12, free_bias=False)
    steps = replace(steps_of(2, 0.5, 400, 0.9, True)[0], batch_size=14)
    batches = [case.batch().part(0, 14), case.batch().part(14, 19)]
    whole, _ = fused(case, batches, steps)
    first, _ = fused(case, batches[:1], replace(steps, rules=steps.rules[:1]))
    resumed = Stretches(first, tensor(build_alias_table(case.p).astype(np.int64)), SEED)
    documents = documents_of_stretch(batches[1:], np.array([1]), DEVICE)
    rest = replace(steps, rules=steps.rules[1:])
    resumed.take(documents, resumed.shape(documents, rest), EPOCH, rest)
    assert torch.equal(whole.weights, first.weights)
    assert torch.equal(whole.hidden_bias, first.hidden_bias)


def test_runs_say_their_batch_size(
    in_stretches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not that of the minibatches that a stretch happens to have: here the last two documents."""
    said, tiles = [], stretch.tiles_for

    def noted(batch: int, units: int) -> stretch.Tiles:
        said.append(batch)
        return tiles(batch, units)

    monkeypatch.setattr(stretch, "tiles_for", noted)
    case = small_case()
    source = CsrSource(checked_counts(case.counts))
    run = new_run(case, "torch", source)
    run.batch = 3
    train(run, source, epochs=1)
    assert (in_stretches, said) == ([1], [3])


def test_the_first_step_of_the_hidden_bias_has_the_length_of_the_rate() -> None:
    """Its moment is its mass times its squared gradient: both have to know the decay as exactly.
    Numbers come in single precision on a card alone: the interpreter keeps them as they are.
    """
    case = make_case(words=20, units=8, documents=19, most_tokens=12, free_bias=False)
    case.parameters.hidden_bias[...] = 0.0
    steps, (rule,) = steps_of(1, 0.5, 20, 0.0, True)
    state, _ = fused(case, [case.batch()], replace(steps, rules=(replace(rule, decay=0.999),)))
    lengths = state.hidden_bias.abs().cpu() / (rule.rate * rule.hidden_bias_rate)
    np.testing.assert_allclose(lengths, 1.0, rtol=5e-7)


def test_what_is_not_finite_is_seen() -> None:
    case = make_case(words=20, units=3, documents=10, free_bias=False)
    case.parameters.weights[3, 1] = np.nan
    steps, _ = steps_of(1, 0.5, 20, 0.9, True)
    assert not fused(case, [case.batch()], steps)[1].finite


@pytest.fixture
def in_stretches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sessions take stretches, also where there is no card; the list has their numbers of steps."""
    taken = []

    def take(session: Any, batches: Any, places: Any, steps: Steps) -> Any:
        taken.append(len(batches))
        return stretch.take(session, batches, places, steps)

    def at_once(session: Any, steps: Steps) -> int:
        return DOCUMENTS_AT_ONCE if stretch.is_known(session, steps) else 0

    monkeypatch.setattr(TorchSession, "stretch", take)
    monkeypatch.setattr(TorchSession, "documents_at_once", at_once)
    return taken


def new_run(case: Case, device: str, source: Any) -> Run:
    settings = Settings(AlphaNCE(n_noise=2, stream_length=64), Adam(), batch_size=3)
    engine = find_engine("cpu", threads=1) if device == "cpu" else TorchEngine(DEVICE.type)
    sizes = {"documents": source.documents, "longest": source.longest}
    return Run(case.parameters.copy(), case.p, settings, **sizes, engine=engine)


def run_of(case: Case, device: str, source: Any, epochs: int) -> Run:
    return train(new_run(case, device, source), source, epochs=epochs)


def small_case() -> Case:
    case = make_case(words=60, units=9, documents=11, most_tokens=5, free_bias=False, scale=0.1)
    return replace(
        case, parameters=replace(case.parameters, word_weights=np.ones(60, dtype=np.float32))
    )


def alike(ours: Run, theirs: Run) -> None:
    for name, array in ours.arrays().items():
        if array.dtype.kind == "f":
            np.testing.assert_allclose(array, theirs.arrays()[name], atol=5e-4, err_msg=name)
    assert ours.history[-1].loss == pytest.approx(theirs.history[-1].loss, rel=1e-4)
    assert ours.history[-1].tokens == theirs.history[-1].tokens
    assert ours.steps == theirs.steps


def test_a_run_in_stretches_is_the_run_on_the_cpu(in_stretches: list[int]) -> None:
    """From a source that lies on the device: ids do not begin at 0."""
    case = small_case()
    source = CsrSource(checked_counts(case.counts), first_id=1000)
    lying = DeviceSource(source, DEVICE)
    ours, theirs = run_of(case, "torch", lying, 2), run_of(case, "cpu", source, 2)
    alike(ours, theirs)
    assert in_stretches == [4, 4]


def test_stretches_from_a_spool(in_stretches: list[int], tmp_path: Path) -> None:
    case = small_case()
    writer = SpoolWriter(tmp_path / "counts", 60)
    writer.add(checked_counts(case.counts))
    spool = writer.close()
    found = [run_of(case, device, SpooledSource(spool), 1) for device in ("torch", "cpu")]
    alike(*found)
    assert sum(in_stretches) == 4


def test_long_documents_are_taken_in_parts(
    in_stretches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stretch whose arrays would be too large is halved until they are not, or one step."""
    case = small_case()
    source = CsrSource(checked_counts(case.counts))
    whole = run_of(case, "torch", source, 1)
    steps = []
    run = stretch.Plan.run

    def counted(plan: Any, count: int, rules: Any) -> Any:
        steps.append(count)
        return run(plan, count, rules)

    monkeypatch.setattr(stretch.Plan, "run", counted)
    monkeypatch.setattr(stretch, "MOST", 150)
    parts = run_of(case, "torch", source, 1)
    assert max(steps) < 3
    assert sum(steps) == 4
    for name, array in whole.arrays().items():
        np.testing.assert_array_equal(array, parts.arrays()[name], err_msg=name)
    assert whole.history[-1].loss == pytest.approx(parts.history[-1].loss, rel=1e-12)


@pytest.mark.parametrize("batch_size", [7, 32])
@pytest.mark.parametrize("first_id", [0, 500])
def test_a_source_on_the_device_has_the_same_minibatches(batch_size: int, first_id: int) -> None:
    counts = checked_counts(make_case(words=30, documents=100, most_tokens=20).counts)
    source = CsrSource(counts, first_id=first_id)
    lying = DeviceSource(source, DEVICE)
    asked = {"seed": 5, "epoch": 3, "batch_size": batch_size, "first_batch": 1}
    batches = list(source.batches(**asked))
    numbers = np.arange(len(batches))
    theirs = list(lying.batches(**asked))
    for one, other in zip(batches, theirs, strict=True):
        for name in ("document_ids", "starts", "words", "counts"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert (one.size, one.tokens) == (other.size, other.tokens)
    copied, taken = (documents_of_stretch(part, numbers, DEVICE) for part in (batches, theirs))
    for name in ("ids", "starts", "words", "counts", "tokens", "lengths"):
        np.testing.assert_array_equal(
            to_array(getattr(copied, name)), to_array(getattr(taken, name)), err_msg=name
        )


def to_array(numbers: Any) -> NDArray[Any]:
    found: NDArray[Any] = numbers.cpu().numpy() if isinstance(numbers, torch.Tensor) else numbers
    return found


@on_card
def test_no_stretch_waits_for_the_card() -> None:
    """After an epoch that compiles and records: torch itself looks for what waits."""
    case = small_case()
    source = DeviceSource(CsrSource(checked_counts(case.counts)), DEVICE)
    run = run_of(case, "torch", source, 1)
    asked = {"seed": run.settings.seed, "epoch": 1, "batch_size": run.settings.batch_size}
    batches = list(source.batches(**asked))
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        run.advance(batches)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    run.read()
    assert run.tally.documents == source.documents


@on_card
def test_an_engine_takes_a_source_to_its_card() -> None:
    counts = checked_counts(make_case(words=30, documents=100, most_tokens=20).counts)
    engine = find_engine("torch", device="cuda")
    assert isinstance(engine.source(CsrSource(counts)), DeviceSource)
