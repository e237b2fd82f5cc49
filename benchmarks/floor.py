"""The floor of a training step: how fast it could be if every kernel did nothing but its
exponentials or its bytes.

For each kernel the exponentials, random numbers and bytes of one minibatch are counted from the
arrays it works on, and divided by what this machine manages when it does nothing else
(`benchmarks.limits`, measured in the same run). A kernel cannot be quicker than the slower of the
two, and the step not quicker than the sum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from benchmarks import apart, limits
from benchmarks.effort import Effort
from benchmarks.progress import Say
from benchmarks.step import StepTimer, bare, interleaved
from benchmarks.tables import Sheet, figure
from undertow.learn import ContrastiveDivergence

ROW = 4 * limits.UNITS  # bytes
VOCABULARIES = (2_000, 200_000)
IN_MEMORY = 16 * 2**20  # bytes of W from which on a row that is read first comes from memory


@dataclass
class Work:
    """What a kernel must do: bytes by the rate they move at, and what it computes."""

    bytes: dict[str, float] = field(default_factory=dict)
    exponentials: float = 0.0
    random_numbers: float = 0.0

    def seconds(self, rates: dict[str, float]) -> float:
        """The time this takes at least: computing and moving may overlap."""
        moving = sum(amount / rates[f"bytes_{place}"] for place, amount in self.bytes.items())
        computing = (
            self.exponentials / rates["exponentials"]
            + self.random_numbers / rates["random_numbers"]
        )
        return max(moving, computing)


def work_of(step: dict[str, Any], vocabulary_size: int) -> dict[str, Work]:
    """The work of each kernel of alpha-NCE, counted from the arrays of one minibatch."""
    documents, n_noise = step["noise"].begins.shape
    noise_words = int(step["stream"].row_starts[-1]) - (len(step["stream"].row_starts) - 1)
    entries, touched = int(step["entries"].counts.sum()), int(step["rows"].sizes.sum())
    tokens, noises = int(step["documents"].counts.sum()), documents * n_noise
    of_documents = entries - noise_words
    # A row of W comes from where W is when a step reads it first, and from the shared cache
    # afterwards.
    source = "memory" if vocabulary_size * ROW > IN_MEMORY else "shared"
    first_reads = touched * of_documents / entries, touched * noise_words / entries
    return {
        "keep tokens": Work(random_numbers=tokens),
        "entries": Work({"shared": 24.0 * entries}),
        "inputs": Work(_reads(of_documents, first_reads[0], source)),
        "draw stream": Work({source: 64.0 * noise_words}, random_numbers=2 * noise_words),
        "prefix sums": Work(
            _reads(noise_words, first_reads[1], source) | {"changed_core": ROW * noise_words}
        ),
        "draw windows": Work(random_numbers=noises),
        "contrast": Work(
            {"core": 2.0 * noises * ROW, "changed_core": 2.0 * noises * ROW},
            exponentials=(documents * (n_noise + 2)) * limits.UNITS,
        ),
        "sweep": Work({"changed_core": ROW * noise_words}),
        "group": Work({"shared": 48.0 * entries}),
        "sums": Work(),
        "adam": Work({"shared": ROW * entries, "changed_shared": ROW * touched}),
    }


def _reads(rows: float, first: float, source: str) -> dict[str, float]:
    if source == "shared":
        return {"shared": ROW * rows}
    return {"shared": ROW * (rows - first), source: ROW * first}


def divergence_floor(
    vocabulary_size: int, documents: int, rates: dict[str, float], products: float
) -> float:
    """Seconds of CD-1 at least: a matrix product and an exponential for every document and word."""
    logits = documents * vocabulary_size
    return 2.0 * logits * limits.UNITS / products + logits / rates["exponentials"]


def measure(effort: Effort, say: Say) -> dict[str, Any]:
    """Limits, floors and times, kernel by kernel with one thread and of the whole step with two."""
    say("what this machine can do at best")
    rates, products = limits.measure(), limits.products(2)
    found: dict[str, Any] = {"rates": rates, "products": products, "kernels": {}, "step": {}}
    for size in VOCABULARIES:
        say(f"kernel by kernel at K={size:,}")
        seconds, step = apart.kernel_seconds(size)
        work = work_of(step, size)
        found["kernels"][str(size)] = {
            name: {"ms": 1e3 * seconds[name], "floor_ms": 1e3 * work[name].seconds(rates["1"])}
            for name in work
        }
        timers = {
            "alpha_nce": StepTimer(size, bare()),
            "cd1": StepTimer(size, bare(ContrastiveDivergence()), skipped=1),
        }
        interleaved(
            timers,
            rounds=effort.rounds,
            steps=lambda kind: effort.steps if kind == "alpha_nce" else 2,
        )
        floors = {
            "alpha_nce": sum(kernel.seconds(rates["2"]) for kernel in work.values()),
            "cd1": divergence_floor(size, len(step["documents"].ids), rates["2"], products),
        }
        found["step"][str(size)] = {
            kind: _over(1e3 * floors[kind], timer.median) for kind, timer in timers.items()
        }
    return found | {
        "measured_over_floor": found["step"][str(VOCABULARIES[0])]["alpha_nce"]["over_floor"]
    }


def _over(floor_ms: float, ms: float) -> dict[str, float]:
    return {"ms": ms, "floor_ms": floor_ms, "over_floor": ms / floor_ms}


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """The machine's limits, the kernels, and the whole steps."""
    names = list(found["rates"]["1"])
    limit_rows = [
        [name.replace("_", " "), *(figure(found["rates"][n][name] / 1e9) for n in ("1", "2"))]
        for name in names
    ]
    limit_rows.append(["matrix products, operations", "", figure(found["products"] / 1e9)])
    kernel_rows = [
        [
            name,
            *(cell for size in found["kernels"] for cell in _cells(found["kernels"][size][name])),
        ]
        for name in next(iter(found["kernels"].values()))
    ]
    step_rows = [
        [
            f"{label}, K={int(size):,}",
            figure(one["floor_ms"]),
            figure(one["ms"]),
            figure(one["over_floor"]),
        ]
        for size, kinds in found["step"].items()
        for label, one in (("alpha-NCE", kinds["alpha_nce"]), ("CD-1", kinds["cd1"]))
    ]
    headings = [
        f"{what}, K={int(size):,}"
        for size in found["kernels"]
        for what in ("floor ms", "ms", "times")
    ]
    return [
        Sheet(
            "What the machine does at best, thousand million a second",
            ["", "one thread", "two"],
            limit_rows,
        ),
        Sheet("alpha-NCE kernel by kernel, one thread", ["", *headings], kernel_rows),
        Sheet(
            "Whole steps with two threads over their floor",
            ["", "floor ms", "ms", "times the floor"],
            step_rows,
        ),
    ]


def _cells(kernel: dict[str, float]) -> list[str]:
    floor, taken = kernel["floor_ms"], kernel["ms"]
    return [figure(floor), figure(taken), figure(taken / floor) if floor > 0 else ""]
