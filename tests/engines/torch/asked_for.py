"""The kernels that a card would be asked for, where there is none: Triton looks at the arguments of
each, may compile it for an H100 or H200, and launches nothing.

    TRITON_INTERPRET=0 python -m tests.engines.torch.asked_for [--compile UNITS ...]

prints, as JSON, how many kinds of each kernel stretches of several lengths and epochs ask for, and
the bytes of shared memory that the largest takes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from typing import Any

import numpy as np
import torch
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.jit import JITFunction

from tests.oracles.engine import make_case
from undertow.engines import AdamRule, Noise, Objective, Pressure, Steps
from undertow.engines.torch import triton_draws, triton_encode
from undertow.engines.torch.device_source import documents_of_stretch
from undertow.engines.torch.stretch import HALVES, Plan, State, Stretches
from undertow.kernels.cpu.alias import build_alias_table

HOPPER = GPUTarget("cuda", 90, 32)
LEVELS: tuple[Any, ...] = (0.5, (0.2, 0.9))
kinds: dict[str, set[str]] = defaultdict(set)
shared: dict[str, int] = defaultdict(int)


class NoCard:
    """What Triton asks its driver before it compiles."""

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_current_target(self) -> GPUTarget:
        return HOPPER


def watch(compiles: bool) -> None:
    """Counts what is asked for, from now on."""
    driver.set_active(NoCard())
    run: Any = JITFunction.run

    def ask(self: Any, *given: Any, grid: Any, warmup: bool, **more: Any) -> Any:
        found = run(self, *given, grid=grid, warmup=True, **more)
        if found is not None:
            name = self.fn.__name__
            shared[name] = max(shared[name], found.metadata.shared)
        return found

    def note(key: str, fn: Any, **more: Any) -> bool:
        kinds[fn.name.rpartition(".")[2]].add(key)
        return not compiles  # true: it is not to be compiled

    JITFunction.run = ask
    knobs.runtime.jit_cache_hook = note


def ask_for_all(units: int) -> None:
    """Stretches of 40 documents a step, in several epochs and lengths; draws; encoding."""
    case = make_case(words=50, units=units, documents=400, most_tokens=12, free_bias=False)
    batch, own = case.batch(), case.parameters
    weights, bias, word_weights = (
        torch.from_numpy(array) for array in (own.weights, own.hidden_bias, own.word_weights)
    )
    moments = torch.zeros(own.words, 2), torch.zeros(units, dtype=torch.float64)
    averages = weights.clone(), torch.zeros(own.words, dtype=torch.int64), bias.clone()
    flags = torch.zeros(own.words, dtype=torch.bool)
    state = State(weights, flags, word_weights, bias, *moments, *averages)
    table = torch.from_numpy(build_alias_table(case.p).astype(np.int64))
    stretches = Stretches(state, table, 7)
    for epoch in (0, 1, 2, 16):
        for last in (40, 113, 200, 400):
            batches = [batch.part(at, min(at + 40, last)) for at in range(0, last, 40)]
            documents = documents_of_stretch(batches, np.arange(len(batches)), weights.device)
            for level in LEVELS:
                steps = steps_of(len(batches), level)
                stretches.take(documents, stretches.shape(documents, steps), epoch, steps)
    for count in (1, 16, 17):
        numbers = torch.zeros(count, dtype=torch.int64)
        triton_draws.four_numbers(7, numbers, numbers, numbers, numbers)
    words = torch.zeros(16, dtype=torch.int64)
    starts = torch.arange(17)
    triton_encode.posteriors_of(weights, word_weights, bias, starts, words, words)


def steps_of(count: int, level: Any) -> Steps:
    """As a run with averages takes them."""
    rules = tuple(AdamRule(0.01, 0.01, 0.999, 0.0, 1e-4, n + 1) for n in range(count))
    noise, objective = Noise(5, False, 64), Objective(True, 10.0)
    return Steps(level, noise, objective, Pressure(0.1, 1.0), rules, 0.999)


def main() -> None:
    """Prints what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--compile", type=int, nargs="*", default=[])
    sizes = parser.parse_args().compile
    watch(bool(sizes))
    kind: Any = Plan
    make = kind.__init__

    def make_for_a_card(self: Any, *given: Any) -> None:
        make(self, *given)
        self._halves = HALVES

    kind.__init__ = make_for_a_card
    for units in sizes or [100]:
        ask_for_all(units)
    found = {name: [len(kinds[name]), shared[name]] for name in kinds}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
