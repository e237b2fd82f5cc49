"""What a session of PyTorch holds, and where; and what its sums do to bits and to memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from tests.oracles.engine import PLACE, make_case
from undertow.counts import CsrSource, checked_counts
from undertow.engines import Engine, Noise, Objective, Place, Pressure, Steps, find_engine
from undertow.learn import Adam, AlphaNCE, Moment, Run, Settings, train

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from undertow.engines.torch import noise_contrast, sums  # noqa: E402 - needs torch
from undertow.engines.torch.documents import to_device, to_host  # noqa: E402
from undertow.engines.torch.held import Held  # noqa: E402
from undertow.engines.torch.session import TorchSession  # noqa: E402

pytestmark = pytest.mark.usefixtures("torch_alone")
CPU = torch.device("cpu")
devices = pytest.mark.parametrize(
    "device",
    [
        "cpu",
        pytest.param(
            "cuda",
            marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no card"),
        ),
    ],
)


@devices
def test_what_no_verb_asks_for_stays_on_the_host(device: str) -> None:
    held = Held(torch.device(device))
    held.hold("mine", np.zeros(3))
    held.hold("name", np.array(["no tensor of this"]))
    shown = held.arrays()["mine"]
    shown += 2.0
    assert held.arrays()["mine"] is shown
    assert held.arrays()["name"][0] == "no tensor of this"
    held["mine"].add_(1.0)  # as a verb does that is told the name
    assert held.arrays()["mine"].tolist() == [3.0, 3.0, 3.0]
    held.restore({"mine": np.arange(3)})
    assert held["mine"].tolist() == [0.0, 1.0, 2.0]
    assert "mine" in held
    assert "other" not in held


@devices
def test_what_is_held_goes_to_the_device_once(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And to the same numbers; afterwards it is sent again."""
    from undertow.engines.torch import engine as module

    case, sent = make_case(words=40, units=3, documents=2), list[int]()

    def watched(array: Any, *others: Any) -> Any:
        sent.append(id(array))
        return to_device(array, *others)

    engine, batch = find_engine("torch", device=device), case.batch()
    weights, word_weights = case.parameters.weights, case.parameters.word_weights
    assert len(batch.words) < len(weights)  # else all rows are sent in any case
    before = engine.inputs(weights, word_weights, batch), engine.posteriors(case.parameters, batch)
    monkeypatch.setattr(module, "to_device", watched)
    with engine.holding([weights, word_weights]):
        for _ in range(3):
            found = (
                engine.inputs(weights, word_weights, batch),
                engine.posteriors(case.parameters, batch),
            )
            for ours, theirs in zip(found, before, strict=True):
                np.testing.assert_allclose(ours[0], theirs[0], atol=1e-6)
                np.testing.assert_allclose(ours[1], theirs[1], atol=1e-6)
    assert [sent.count(id(array)) for array in (weights, word_weights)] == [1, 1]
    sent.clear()
    engine.inputs(weights, word_weights, batch)
    assert len(sent) == 2  # the rows of the words that there are, and their weights
    weights += 1.0
    after, _ = engine.inputs(weights, word_weights, batch)
    assert not np.allclose(after, before[0][0])


@devices
def test_the_parameters_given_stay_as_they_are(device: str) -> None:
    case = make_case()
    before = case.parameters.copy()
    session = find_engine("torch", device=device).begin(case.parameters, case.start)
    session.move(np.array([1], np.int32), np.ones((1, 3)), {"hidden_bias": np.ones(3)})
    session.restore({"parameters.visible_bias": np.zeros(5)})
    for name, array in before.arrays().items():
        np.testing.assert_array_equal(getattr(case.parameters, name), array)
    assert not session.parameters.visible_bias.any()


@devices
def test_chains_are_left_as_the_reference_leaves_them(device: str) -> None:
    """Documents that were not in a minibatch have none yet; the others go on from theirs."""
    case = make_case(words=9, units=11, documents=20)
    found = []
    for engine in (find_engine("torch", device=device), find_engine("reference")):
        session = engine.begin(case.parameters.copy(), case.start)
        session.hold("chains", np.zeros((20, 2), np.uint8))
        session.hold("chains.started", np.zeros(20, np.uint8))
        for epoch, (first, last) in enumerate([(3, 12), (5, 20)]):
            seen = session.see(case.batch().part(first, last))
            session.gibbs(seen, Place(epoch, 0), steps=2, weighted=True, chains="chains")
        found.append(session.arrays())
    ours, theirs = found
    assert ours["chains.started"].tolist() == [0] * 3 + [1] * 17
    np.testing.assert_array_equal(ours["chains"], theirs["chains"])


@devices
@pytest.mark.parametrize("filled", [0, 1, 3])
def test_documents_without_words(filled: int, device: str) -> None:
    """And some of few words of many, whose rows alone are taken to the device."""
    case = make_case(words=60, documents=3)
    case.counts[filled:] = 0
    arrays = (case.parameters.weights.astype(np.float64), case.parameters.word_weights)

    def said(engine: Engine) -> list[Any]:
        batch = case.batch()
        return [*engine.posteriors(case.parameters, batch), *engine.inputs(*arrays, batch)]

    ours, theirs = said(find_engine("torch", device=device)), said(find_engine("reference"))
    for one, other in zip(ours, theirs, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, atol=2e-5)


def test_arrays_that_must_not_be_written_to_are_taken() -> None:
    array = np.arange(6.0).reshape(2, 3)
    array.flags.writeable = False
    tensor = to_device(array.T, CPU, torch.float32)
    assert tensor.tolist() == array.T.tolist()
    assert to_host(to_device(np.array(2.0), CPU)).shape == ()


def test_steps_in_advance_are_for_cards() -> None:
    case = make_case()
    session = find_engine("torch").begin(case.parameters, case.start)
    objective, pressure = Objective(True, 2.0), Pressure(0.1, 0.0)
    steps = Steps(0.5, Noise(2), objective, pressure, (), 0.0)
    assert session.stretch([case.batch()], [PLACE], steps) is None
    source = object()
    assert find_engine("torch").source(source) is source  # type: ignore[arg-type]


@pytest.mark.parametrize("sizes", [[0], [1, 0, 5], [63, 64, 65, 1, 1000]], ids=str)
def test_grouped_rows(sizes: list[int]) -> None:
    """Sums of many terms are sums of sums; words without any are not there."""
    generator = np.random.default_rng(0)
    keys = np.repeat(np.arange(len(sizes)) * 3, sizes)
    keys = torch.from_numpy(generator.permutation(keys))
    table = torch.from_numpy(generator.integers(-9, 9, (7, 4)).astype(np.float32))
    rows = torch.from_numpy(generator.integers(0, 7, len(keys)))
    coefficients = torch.from_numpy(generator.integers(1, 4, len(keys)).astype(np.float32))
    groups = sums.grouped_by(keys)
    expected = torch.zeros((3 * len(sizes), 4))
    expected.index_add_(0, keys, coefficients[:, None] * table[rows])
    assert groups.keys.tolist() == [3 * i for i, size in enumerate(sizes) if size]
    found = sums.grouped_rows(groups, table, rows, coefficients)
    np.testing.assert_array_equal(found, expected[groups.keys])


@pytest.mark.parametrize("shape", [(1, 5), (5,), (3, 4, 2), (4, 1)], ids=str)
def test_running_sums(shape: tuple[int, ...]) -> None:
    values = torch.arange(float(np.prod(shape))).reshape(shape)
    for dim in range(len(shape)):
        np.testing.assert_array_equal(sums.running_sums(values, dim), values.cumsum(dim))


@devices
@pytest.mark.parametrize("independent", [False, True])
def test_the_same_bits_again(independent: bool, device: str) -> None:
    case = make_case(words=50, units=8, documents=200, most_tokens=60)
    engine = find_engine("torch", device=device)
    found = []
    for _ in range(2):
        session = engine.begin(case.parameters, case.start)
        kept = session.keep_words(case.batch(), PLACE, 0.5)
        drawn = session.draw_noise(kept, Noise(5, independent, 64))
        gradient = session.contrast(drawn, Objective(True, 2.0), Pressure(0.1, 1.0))
        found.append(gradient.rows()[1].tobytes() + gradient.dense()["hidden_bias"].tobytes())
    assert found[0] == found[1]


class _Largest(TorchDispatchMode):  # type: ignore[misc]
    """How many elements the largest tensor has that an operation makes."""

    def __init__(self, known: Iterable[Any]) -> None:
        super().__init__()
        self.elements, self._known = 0, {tensor.data_ptr() for tensor in known}

    def __torch_dispatch__(
        self, operation: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        found = operation(*args, **(kwargs or {}))
        for one in found if isinstance(found, (tuple, list)) else [found]:
            if isinstance(one, torch.Tensor) and one.data_ptr() not in self._known:
                self.elements = max(self.elements, one.numel())
        return found


def test_a_step_does_not_grow_with_the_vocabulary() -> None:
    """From the second step on, when tables of words are made."""
    case = make_case(words=50_000, units=4, documents=8, most_tokens=9)
    run = Run(
        case.parameters.copy(),
        case.p,
        Settings(AlphaNCE(n_noise=5, stream_length=64), Adam()),
        documents=8,
        longest=case.corpus.longest,
        engine="torch",
    )
    source = CsrSource(checked_counts(case.counts))
    train(run, source, epochs=1)
    session = run.session
    assert isinstance(session, TorchSession)
    assert run.average is not None
    tensors = [session.held[name] for name in session.held.arrays()]
    largest = _Largest([*session.values.values(), *tensors, session.table, session.flags])
    with largest:
        gradient = run.step.gradient(case.batch(), Place(1, 0))
        run.average.before_update(gradient, 2)
        run.updater.apply(gradient, Moment(2, None))
        run.average.after_update(gradient, 2)
    assert 0 < largest.elements < 10_000


def test_replicas_meet_without_a_copy_of_all_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that moved go to the host, and what stands still is not worked out anew."""
    case = make_case(words=30, units=4, documents=12, most_tokens=9)
    settings = Settings(AlphaNCE(n_noise=2, stream_length=64), batch_size=3, replicas=2)
    sizes = {"documents": 12, "longest": case.corpus.longest}
    run = Run(case.parameters.copy(), case.p, settings, **sizes, engine="torch")
    batches = [case.batch().part(first, first + 3) for first in (0, 3, 6, 9)]
    run.advance(batches[:2])
    run.meet()

    def refused(*given: Any) -> Any:
        raise AssertionError("all of W, or all words, for a meeting")

    monkeypatch.setattr(TorchSession, "parameters", property(refused))
    monkeypatch.setattr(noise_contrast, "gains_of", refused)
    run.advance(batches[2:])
    run.meet()
    assert run.steps == 2


def test_gains_follow_biases_that_are_restored() -> None:
    case = make_case(free_bias=False)
    session = find_engine("torch").begin(case.parameters, case.start)
    assert isinstance(session, TorchSession)
    assert session.biases_are_noise
    session.restore({"parameters.visible_bias": np.arange(5.0, dtype=np.float32)})
    assert not session.biases_are_noise


def test_no_table_of_documents_and_words() -> None:
    case = make_case(words=9_000, units=4, documents=64, most_tokens=9)
    session = find_engine("torch").begin(case.parameters, case.start)
    largest = _Largest([])
    with largest:
        seen = session.see(case.batch())
        sample = session.gibbs(seen, PLACE, steps=2, weighted=True)
        session.difference(seen, sample, Pressure(0.1, 1.0))
    assert largest.elements < 64 * 9_000 / 2


def test_no_table_of_chunks_and_the_tokens_of_long_documents() -> None:
    """Ten chunks of words: a token's numbers are those of one chunk at a time."""
    case = make_case(words=20_000, units=4, documents=2, most_tokens=9)
    case.counts[:, :200] = 200
    session = find_engine("torch").begin(case.parameters, case.start)
    largest = _Largest([])
    with largest:
        session.gibbs(session.see(case.batch()), PLACE, steps=1, weighted=True)
    tokens = int(case.counts.sum())
    assert largest.elements <= 4 * tokens
