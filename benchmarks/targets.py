"""What undertow is meant to reach on two cores, as data, and whether a run reached it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from benchmarks.figures import look_up
from benchmarks.tables import Sheet, figure


@dataclass(frozen=True)
class Target:
    """A figure of the results and its bound."""

    name: str
    path: str
    kind: Literal["at least", "at most"]
    bound: float

    def met(self, measured: float) -> bool:
        """Whether a figure is on the right side of the bound."""
        return measured >= self.bound if self.kind == "at least" else measured <= self.bound


TARGETS = (
    Target("alpha-NCE, tokens a second, K=2,000", "steps/loop_tokens_per_second", "at least", 5e6),
    Target("alpha-NCE, time of a step over its floor", "floor/measured_over_floor", "at most", 3.0),
    Target("alpha-NCE, K=200,000 over K=2,000", "steps/growth/200000", "at most", 1.3),
    Target("alpha-NCE, K=1,000,000 over K=2,000", "steps/growth/1000000", "at most", 1.8),
    Target("alpha-NCE, k=100 over k=1", "growth/noises/growth/100", "at most", 2.5),
    Target("CD-1 over alpha-NCE, K=20,000", "divergence/cd1_over_alpha_nce/20000", "at least", 8.0),
    Target(
        "CD-1 over alpha-NCE, K=200,000", "divergence/cd1_over_alpha_nce/200000", "at least", 80.0
    ),
    Target(
        "CD-5 over alpha-NCE, K=200,000", "divergence/cd5_over_alpha_nce/200000", "at least", 400.0
    ),
    Target("two threads over one, K=2,000", "threads/gain/2000", "at least", 1.7),
    Target("two threads over one, K=200,000", "threads/gain/200000", "at least", 1.7),
    Target("two threads over one, worst case", "threads/lowest_gain", "at least", 1.0),
    # .97: medians of the same thing twice differ by that much
    Target("more threads over fewer, worst case", "threads/lowest_over_fewer", "at least", 0.97),
    Target("estimator, K=200,000 over K=2,000", "estimator/epoch/growth/200000", "at most", 1.8),
    Target("estimator, K=1,000,000 over K=2,000", "estimator/epoch/growth/1000000", "at most", 2.2),
    Target(
        "inference from counts, documents a second",
        "inference/documents_per_second/estimator",
        "at least",
        5e5,
    ),
    Target(
        "encoding of short texts, texts a second",
        "encoding/texts_per_second/short texts",
        "at least",
        1e5,
    ),
    Target(
        "seconds of training to MAP .259, posteriors",
        "quality/systems/undertow/seconds_to/posterior/0.259",
        "at most",
        2.0,
    ),
    Target(
        "seconds of training to MAP .38, posteriors",
        "quality/systems/undertow/seconds_to/posterior/0.380",
        "at most",
        10.0,
    ),
    Target("import undertow, seconds", "start/import_seconds", "at most", 0.2),
    Target("undertow --help, seconds", "start/help_seconds", "at most", 0.5),
    Target(
        "first fit of all, seconds more than a later one",
        "start/compilation_seconds",
        "at most",
        6.0,
    ),
    Target(
        "first fit of all says that it compiles (1: yes)",
        "start/says_that_it_compiles",
        "at least",
        1.0,
    ),
)


def judged(results: dict[str, Any]) -> list[dict[str, Any]]:
    """A record per target, for the JSON file; `met` is None where nothing was measured."""
    records = []
    for target in TARGETS:
        measured = look_up(results, target.path)
        met = None if measured is None else target.met(measured)
        bound = {"kind": target.kind, "bound": target.bound}
        records.append(
            {"name": target.name, "path": target.path, **bound, "measured": measured, "met": met}
        )
    return records


def sheet(records: list[dict[str, Any]]) -> Sheet:
    """Target, figure, met or not."""
    words = {True: "met", False: "NOT MET", None: "not measured"}
    rows = [
        [
            record["name"],
            f"{record['kind']} {figure(record['bound'])}",
            figure(record["measured"]),
            words[record["met"]],
        ]
        for record in records
    ]
    return Sheet("Targets (two cores)", ["", "target", "measured", "met?"], rows)
