"""Many steps of alpha-NCE in one go, on a GPU: laid out together, and then one graph of kernels for
each step.

Nothing waits for the device from one stretch to the next, and no step waits for Python: the graph
is recorded once, and finds the arrays of its step by a counter on the device.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
import triton
from numpy.typing import NDArray
from torch import Tensor

from undertow.engines.names import AVERAGE, AVERAGED_UNTIL, OPTIMIZER
from undertow.engines.protocol import Noise, Objective, Place, Pressure, Steps
from undertow.engines.torch import triton_contrast as kernels
from undertow.engines.torch import triton_rows as rows
from undertow.engines.torch.device_source import documents_of_stretch
from undertow.engines.torch.encoding import MOST_UNITS
from undertow.engines.torch.stretch_layout import PART, Documents, Layout, Shape, shape_of, uploaded

if TYPE_CHECKING:
    from undertow.engines.torch.session import TorchSession

COLUMNS = 32  # hidden units that one program sums over documents or positions
WINDOWS, SWEEP_WARPS = 32, 4  # windows of a part that a program adds up at once
HALVES = 2  # of single precision, in bfloat16, that gradients of windows are added up in
ENTRIES, CHUNKS = 4, 8  # vectors that a program adds to a row at once, and sums of these
WARPS = 64  # of a multiprocessor: as many programs of one warp share the rows of W
MOST = 2**26  # entries, places of noise words and parts of a stretch: about 7 GB of arrays
RECORDING = threading.Lock()  # torch frees memory, and waits for the card, before it records
FEW = 1024  # documents of a minibatch, below which a program takes less at a time


class Tiles(NamedTuple):
    """What a program takes: small minibatches fill a card with many small programs."""

    part: int  # positions of a noise stream that are summed at once
    columns: int  # and hidden units
    documents: int  # noise documents, or words of a document, that are worked on at once
    sum_warps: int
    contrast_warps: int


def tiles_for(batch: int, units: int) -> Tiles:
    """By the size of minibatches, which decides how sums are rounded: that of the run, so that a
    run that is resumed before a smaller one has the same bits. To be measured
    (docs/design_notes.md).
    """
    warps, documents = max(units // 128, 1), max(min(2**13 // units, 16), 4)
    if batch < FEW:
        return Tiles(256, 8, documents, 2, min(4 * warps, 16))
    return Tiles(128, 16, documents, 1, min(warps, 16))


class State(NamedTuple):
    """The arrays of a run that steps change."""

    weights: Tensor  # (K, H)
    flags: Tensor  # (K,) bool: set where a row of W moves
    word_weights: Tensor  # (K,)
    hidden_bias: Tensor  # (H,)
    row_moments: Tensor  # (K, 2)
    hidden_moments: Tensor  # (H,) float64
    average: Tensor | None  # (K, H)
    averaged_until: Tensor | None  # (K,) int64
    hidden_average: Tensor | None  # (H,)


@dataclass(frozen=True)
class Seen:
    """What a stretch saw. To read it is to wait for the device."""

    losses: Tensor
    activities: Tensor
    wrong: Tensor

    def with_others(self, later: Seen) -> Seen:
        """Both stretches as one."""
        pairs = zip(self._tensors, later._tensors, strict=True)
        return Seen(*(ours + theirs for ours, theirs in pairs))

    @property
    def _tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        return self.losses, self.activities, self.wrong

    @cached_property
    def loss(self) -> float:
        """The sum over minibatches of loss x documents."""
        return float(self.losses.sum().item())

    @cached_property
    def activity(self) -> NDArray[np.float64]:
        """(H,) The sum over minibatches of mean activity x documents."""
        seen: NDArray[np.float64] = self.activities.cpu().numpy()
        return seen

    @cached_property
    def finite(self) -> bool:
        """False where training has diverged."""
        return not bool(self.wrong.any().item())


def take(
    session: TorchSession, batches: Sequence[Any], places: Sequence[Place], steps: Steps
) -> Seen | None:
    """The stretch of a session, where fused kernels know these steps; None elsewhere."""
    if not is_known(session, steps):
        return None
    state = _state_of(session)
    stretches = session.stretches
    if stretches is None or not stretches.works_on(state):
        stretches = session.stretches = Stretches(state, session.table, session.start.seed)
    return _in_parts(session, batches, places, steps)


def _in_parts(
    session: TorchSession, batches: Sequence[Any], places: Sequence[Place], steps: Steps
) -> Seen:
    """By halves, where documents are so long that the arrays of a stretch would be too large."""
    stretches: Stretches = session.stretches
    numbers = np.array([place.number for place in places])
    documents = documents_of_stretch(batches, numbers, session.device)
    needed = stretches.shape(documents, steps)
    if needed.elements <= MOST or len(batches) == 1:
        return stretches.take(documents, needed, places[0].epoch, steps)
    del documents  # its memory is free before that of its parts is taken
    halves = slice(len(batches) // 2), slice(len(batches) // 2, None)
    one, other = (
        _in_parts(session, batches[part], places[part], replace(steps, rules=steps.rules[part]))
        for part in halves
    )
    return one.with_others(other)


def is_known(session: TorchSession, steps: Steps) -> bool:
    """Biases that are frozen at log p, noise in windows, and moments per row."""
    objective = steps.objective
    if objective.corrections is not None or objective.learns_visible_bias:
        return False
    if steps.noise.independent or OPTIMIZER + "row_moments" not in session.held:
        return False
    return session.values["weights"].shape[1] <= MOST_UNITS and session.biases_are_noise


def _state_of(session: TorchSession) -> State:
    values, held = session.values, session.held
    averages: tuple[Any, ...] = (None, None, None)
    if AVERAGE + "weights" in held:
        names = (AVERAGE + "weights", AVERAGED_UNTIL, AVERAGE + "hidden_bias")
        averages = tuple(held[name] for name in names)
    return State(
        values["weights"],
        session.flags,
        values["word_weights"],
        values["hidden_bias"],
        held[OPTIMIZER + "row_moments"],
        held[OPTIMIZER + "hidden_bias_moments"],
        *averages,
    )


class Stretches:
    """The stretches of a run: the arrays that they work in, and the graphs of their steps."""

    def __init__(self, state: State, table: Tensor, seed: int) -> None:
        self._state, self._table, self._seed = state, table, seed
        self._plans: dict[tuple[Any, ...], Plan] = {}
        self._batch = 0  # documents of the largest minibatch

    def works_on(self, state: State) -> bool:
        """Whether these are the arrays that the graphs were recorded for."""
        return all(ours is theirs for ours, theirs in zip(self._state, state, strict=True))

    def shape(self, documents: Documents, steps: Steps) -> Shape:
        """What these steps need."""
        self._batch = max(self._batch, int(documents.sizes.max()))
        lowest = min(steps.level) if isinstance(steps.level, tuple) else steps.level
        noise = steps.noise
        return shape_of(documents, self._batch, noise.documents, lowest, noise.stream_length)

    def take(self, documents: Documents, needed: Shape, epoch: int, steps: Steps) -> Seen:
        """All these steps, which need arrays of a `shape`."""
        noise = steps.noise
        plan = self._plan(needed, steps)
        plan.layout.fill(
            documents,
            steps.level,
            noise.stream_length,
            (self._seed, epoch),
            self._table,
            self._state.word_weights,
            self._state.flags,
        )
        return plan.run(len(documents.sizes), steps)

    def _plan(self, needed: Shape, steps: Steps) -> Plan:
        rule = steps.rules[0]
        key = (
            needed.batch, steps.batch_size, steps.noise, steps.objective, steps.pressure,
            steps.averaging, rule.decay, rule.l2, rule.hidden_bias_rate,
        )  # fmt: skip
        plan = self._plans.get(key)
        if plan is None or not plan.layout.shape.holds(needed):
            self._plans.pop(key, None)
            del plan  # its memory is free before that of the next is taken
            self._plans[key] = plan = Plan(needed.with_some_to_spare(), self._state, steps)
        return plan


class Plan:
    """Arrays for stretches of a shape, and the graph of one step."""

    def __init__(self, shape: Shape, state: State, steps: Steps) -> None:
        vocabulary, units = state.weights.shape
        self._state, self._steps, self._units = state, steps, units
        self._device = device = state.weights.device
        self.layout = Layout(shape, vocabulary, device)
        self._on_card = device.type == "cuda"  # kernels can be interpreted on a CPU, for tests
        self._halves = HALVES if self._on_card else 0  # which the interpreter cannot multiply
        self._graph: torch.cuda.CUDAGraph | None = None
        single, columns = torch.float32, -(-units // COLUMNS)

        def new(*size: int, dtype: torch.dtype = single) -> Tensor:
            return torch.zeros(size, dtype=dtype, device=device)

        wide = torch.float64
        self._at = new(1, dtype=torch.int32)
        self._rates, self._masses = new(shape.steps, dtype=wide), new(shape.steps, dtype=wide)
        self._decay = new(1, dtype=wide).fill_(steps.rules[0].decay)
        self._numbers = new(shape.steps, dtype=torch.int64)
        self._shares = new(shape.steps)
        self._table = new(shape.rows, units)
        self._noise_vectors = new(shape.batch * shape.noise, units)
        self._vectors = new(shape.batch + shape.rows, units)
        self._kept_vectors = new(shape.batch, units)
        self._posteriors, self._biases = new(shape.batch, units), new(shape.batch, units)
        self._lengths, self._losses = new(shape.batch), new(shape.batch)
        self._partials = new(shape.shards * (3 * units + 1))
        self._chunk_sums = new(shape.shared_chunks, units)
        self._seen_loss = new(columns, dtype=wide)
        self._seen_activity = new(units, dtype=wide)
        self._wrong = new(columns, dtype=torch.int32)
        count = 1
        if self._on_card:
            count = torch.cuda.get_device_properties(device).multi_processor_count
        self._warps = max(min(triton.next_power_of_2(units) // 128, 8), 1)
        self._programs = WARPS // self._warps * count

    def run(self, count: int, steps: Steps) -> Seen:
        """The first `count` steps of what was laid out."""
        self._set(steps)
        if self._graph is None:
            self._step()  # kernels cannot be compiled or loaded while a graph is recorded
            count -= 1
            if self._on_card and count:
                self._graph = self._record()
        step = self._step if self._graph is None else self._graph.replay
        for _ in range(count):
            step()
        return Seen(self._seen_loss.clone(), self._seen_activity.clone(), self._wrong.clone())

    def _record(self) -> torch.cuda.CUDAGraph:
        graph = torch.cuda.CUDAGraph()
        own = torch.cuda.Stream(self._device)  # torch keeps one for all cards, on the first
        mode = "thread_local"  # other threads may do as they like, but record a graph of their own
        with RECORDING, torch.cuda.graph(graph, stream=own, capture_error_mode=mode):
            self._step()
        return graph

    def _set(self, steps: Steps) -> None:
        """What differs from step to step, and what is counted."""
        rules, decay = steps.rules, steps.averaging
        kept = [min(1.0 - 4.0 / (rule.step + 3.0), decay) for rule in rules]
        masses = [1.0 - rule.decay**rule.step for rule in rules]
        rates = [rule.rate for rule in rules]
        numbers = np.array([rates, masses, kept, [rule.step for rule in rules]])
        found = uploaded(numbers, self._device)
        n = len(rules)
        self._rates[:n], self._masses[:n] = found[0], found[1]
        self._shares[:n], self._numbers[:n] = 1.0 - found[2], found[3].long()
        for counted in (self._at, self._seen_loss, self._seen_activity, self._wrong):
            counted.zero_()

    def _step(self) -> None:
        """One step of alpha-NCE: sums, contrast, pressure, the way back, the update."""
        self._contrast(self._steps.noise, self._steps.objective)
        self._press(self._steps.pressure)
        self._sweep()
        self._move()
        self._at.add_(1)

    def _contrast(self, noise: Noise, objective: Objective) -> None:
        state, layout, shape, units = self._state, self.layout, self.layout.shape, self._units
        rows_of, padded = (self._table, shape.rows), triton.next_power_of_2(units)
        tiles = tiles_for(self._steps.batch_size or shape.batch, padded)
        kernels.sum_streams[(shape.shards, -(-units // tiles.columns))](
            self._at, state.weights, state.word_weights, layout.stream, layout.first_rows,
            layout.lengths, *rows_of, shape.shards, H=units, PART=tiles.part,
            COLUMNS=tiles.columns, num_warps=tiles.sum_warps,
        )  # fmt: skip
        kernels.contrast[(shape.batch,)](
            self._at, layout.sizes, state.weights, state.hidden_bias, layout.starts, layout.words,
            layout.rest_counts, layout.kept_counts, layout.begins, layout.replaced,
            layout.noise_lengths, layout.first_rows, self._table, self._noise_vectors,
            self._vectors, self._kept_vectors, self._posteriors, self._biases, self._lengths,
            self._losses, shape.rows, shape.batch, shape.shards, objective.sharpness,
            math.log(noise.documents), H=units, K=noise.documents, UNIFORM=objective.uniform,
            UNITS=padded, ENTRIES=tiles.documents, NOISES=tiles.documents,
            num_warps=tiles.contrast_warps,
        )  # fmt: skip

    def _press(self, pressure: Pressure) -> None:
        shape, units = self.layout.shape, self._units
        state, rule = self._state, self._steps.rules[0]
        grid = (shape.shards, -(-units // COLUMNS))
        kernels.sum_documents[grid](
            self._at, self.layout.sizes, self._posteriors, self._biases, self._lengths,
            self._losses, self._partials, shape.shards, H=units, COLUMNS=COLUMNS,
        )  # fmt: skip
        average = state.hidden_average
        kernels.press[grid](
            self._at, self.layout.sizes, self._partials, self._posteriors, self._vectors,
            self._kept_vectors, state.hidden_bias, state.hidden_moments,
            state.hidden_bias if average is None else average, self._rates, self._shares,
            self._masses, self._decay, self._seen_loss, self._seen_activity, self._wrong,
            shape.shards, pressure.target, pressure.cost, rule.hidden_bias_rate, H=units,
            COLUMNS=COLUMNS, AVERAGING=average is not None,
        )  # fmt: skip

    def _sweep(self) -> None:
        layout, shape, units = self.layout, self.layout.shape, self._units
        columns = min(max(triton.next_power_of_2(units), 16), 128)
        kernels.sweep[(shape.shards * shape.parts, -(-units // columns))](  # any number of parts
            self._at, layout.first_rows, layout.lengths, layout.nearest, layout.order,
            layout.begins, layout.replaced, self._noise_vectors, self._vectors, shape.rows,
            shape.batch, shape.shards, shape.parts, H=units, K=shape.noise, PART=PART,
            WINDOWS=WINDOWS, COLUMNS=columns, PASSES=self._halves, num_warps=SWEEP_WARPS,
        )  # fmt: skip

    def _move(self) -> None:
        state, layout, steps, units = self._state, self.layout, self._steps, self._units
        rule, average = steps.rules[0], state.average
        log_decay = math.log(steps.averaging) if steps.averaging else 0.0
        turn = math.floor(4.0 / (1.0 - steps.averaging)) - 3 if steps.averaging else 0
        seen = state.averaged_until
        held = (
            state.weights, state.row_moments, state.weights if average is None else average,
            self._numbers if seen is None else seen, self._rates, self._numbers,
        )  # fmt: skip
        numbers = (state.weights.shape[0], rule.decay, rule.l2, turn, log_decay)
        padded = triton.next_power_of_2(units)
        averaging = average is not None
        rows.move_rows[(self._programs,)](
            self._at, layout.first_chunks, layout.chunk_starts, layout.chunk_words, layout.opens,
            layout.slots, layout.entry_rows, layout.entry_rest, layout.entry_kept, self._vectors,
            self._kept_vectors, self._chunk_sums, *held, *numbers, H=units, UNITS=padded,
            ENTRIES=ENTRIES, AVERAGING=averaging, num_warps=self._warps,
        )  # fmt: skip
        rows.move_frequent_rows[(self._programs,)](
            self._at, layout.first_frequent, layout.frequent,
            layout.frequent_chunks, layout.chunk_words, layout.slots, self._chunk_sums,
            layout.shape.shared_chunks, *held, *numbers, H=units,
            UNITS=padded, CHUNKS=CHUNKS, AVERAGING=averaging, num_warps=self._warps,
        )  # fmt: skip
