"""The regression check: the ratios of a run beside those of the last recorded one.

    python -m benchmarks.regress RUN.json [--against RECORDED.json]

Seconds depend on the machine and on who else uses it; ratios of times that took turns hardly do. A
ratio that is more than a quarter worse fails the check.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.figures import look_up
from benchmarks.records import last_recorded
from benchmarks.tables import Sheet, figure, printed

LOSS = 0.25


@dataclass(frozen=True)
class Ratio:
    """A figure without a unit, and whether more of it is better."""

    name: str
    path: str
    more_is_better: bool


RATIOS = (
    Ratio("alpha-NCE's step over the yardstick", "steps/over_yardstick", False),
    Ratio("alpha-NCE's step over its floor", "floor/measured_over_floor", False),
    Ratio("K=20,000 over K=2,000", "steps/growth/20000", False),
    Ratio("K=200,000 over K=2,000", "steps/growth/200000", False),
    Ratio("K=1,000,000 over K=2,000", "steps/growth/1000000", False),
    Ratio("k=25 over k=1", "growth/noises/growth/25", False),
    Ratio("k=100 over k=1", "growth/noises/growth/100", False),
    Ratio("CD-1 over alpha-NCE, K=2,000", "divergence/cd1_over_alpha_nce/2000", True),
    Ratio("CD-1 over alpha-NCE, K=20,000", "divergence/cd1_over_alpha_nce/20000", True),
    Ratio("CD-1 over alpha-NCE, K=200,000", "divergence/cd1_over_alpha_nce/200000", True),
    Ratio("CD-5 over alpha-NCE, K=200,000", "divergence/cd5_over_alpha_nce/200000", True),
    Ratio("two threads over one, K=2,000", "threads/gain/2000", True),
    Ratio("two threads over one, K=200,000", "threads/gain/200000", True),
    Ratio("two threads over one, worst case", "threads/lowest_gain", True),
    Ratio("inference, engine over the yardstick", "inference/over_yardstick/engine", True),
    Ratio("inference, estimator over the yardstick", "inference/over_yardstick/estimator", True),
    Ratio(
        "encoding of short texts over CountVectorizer", "encoding/over_counting/short texts", True
    ),
    Ratio("encoding of reviews over CountVectorizer", "encoding/over_counting/reviews", True),
    Ratio("time per document, 10,000 over 2,500", "documents/growth/undertow/10000", False),
    Ratio("time to MAP .259 over LSA's training", "quality/over_lsa/0.259", False),
    Ratio("time to MAP .38 over LSA's training", "quality/over_lsa/0.380", False),
    Ratio("best MAP", "quality/systems/undertow/best_map", True),
    Ratio("undertow --help over a bare Python", "start/help_over_python", False),
)


@dataclass(frozen=True)
class Comparison:
    """A ratio then and now; `change` is above 0 for a gain and below for a loss, None where either
    is missing.
    """

    ratio: Ratio
    then: float | None
    now: float | None

    @property
    def change(self) -> float | None:
        """The share gained, below 0 for a loss."""
        if self.then is None or self.now is None or self.then <= 0:
            return None
        grown = self.now / self.then - 1.0
        return grown if self.ratio.more_is_better else -grown

    @property
    def worse(self) -> bool:
        """Whether it is a loss of more than a quarter."""
        return self.change is not None and self.change < -LOSS

    @property
    def verdict(self) -> str:
        """In words."""
        if self.then is None:
            return "new" if self.now is not None else "never measured"
        if self.now is None:
            return "MISSING in this run"
        return "WORSE" if self.worse else "ok"


def compare(
    run: dict[str, Any], recorded: dict[str, Any], ratios: Sequence[Ratio] = RATIOS
) -> list[Comparison]:
    """All ratios of two runs."""
    return [
        Comparison(ratio, look_up(recorded, ratio.path), look_up(run, ratio.path))
        for ratio in ratios
    ]


def sheet(comparisons: Sequence[Comparison], recorded: dict[str, Any]) -> Sheet:
    """What was compared, with what."""
    rows = [
        [
            comparison.ratio.name,
            figure(comparison.then),
            figure(comparison.now),
            "" if comparison.change is None else f"{comparison.change:+.0%}",
            comparison.verdict,
        ]
        for comparison in comparisons
    ]
    machine = recorded.get("machine", {})
    notes = [
        f"Recorded {machine.get('date')} on {machine.get('processor')}, {machine.get('cores')} "
        f"cores."
    ]
    return Sheet(
        "Ratios, compared with the last recorded run",
        ["", "then", "now", "gain", "verdict"],
        rows,
        notes,
    )


def check(run: dict[str, Any], recorded: dict[str, Any] | None, console: Console) -> int:
    """Prints the comparison; 1 where something is worse, 0 otherwise."""
    if recorded is None:
        console.print("no recorded run to compare with: record one by make bench RECORD=1")
        return 0
    comparisons = compare(run, recorded)
    console.print(printed(sheet(comparisons, recorded)))
    worse = [comparison.ratio.name for comparison in comparisons if comparison.worse]
    absent = [
        comparison.ratio.name
        for comparison in comparisons
        if comparison.now is None and comparison.then
    ]
    if absent:
        console.print(f"recorded, but not measured in this run: {', '.join(absent)}")
    console.print(
        f"more than {LOSS:.0%} worse: {', '.join(worse)}"
        if worse
        else f"nothing is {LOSS:.0%} worse"
    )
    return int(bool(worse))


def main() -> int:
    """Compares files."""
    parser = argparse.ArgumentParser(description="Compare the ratios of a run with a recorded one")
    parser.add_argument("run", type=Path, help="JSON of a run")
    parser.add_argument(
        "--against",
        type=Path,
        help="JSON of the run to compare with; default: the last recorded one",
    )
    options = parser.parse_args()
    recorded = (
        json.loads(options.against.read_text())
        if options.against
        else last_recorded(besides=options.run)
    )
    return check(json.loads(options.run.read_text()), recorded, Console())


if __name__ == "__main__":
    sys.exit(main())
