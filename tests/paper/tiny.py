"""The smallest scale: made-up documents, a few units, two epochs. Everything runs in seconds and
means nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from undertow.paper.cells import Record
from undertow.paper.reproduce import Outcome, reproduce
from undertow.paper.scale import Scale

TINY = Scale(
    "tiny",
    seeds=1,
    most_words=60,
    most_hidden=8,
    most_epochs=2,
    made_up=True,
    levels=(0.0, 0.5),
    lda_passes=1,
    timed_words=(20, 60),
    timed_words_further=(200,),
    timed_real_words=60,
    timed_gibbs_steps=(1, 2),
    timed_noises=(1, 3),
    timed_family=(20, 200),
    timed_steps=3,
    timed_threads=1,
    temperatures=10,
    chains=4,
)


def run_tiny(
    what: str, out: Path, *, scale: Scale = TINY, jobs: int = 1, **options: Any
) -> Outcome:
    return reproduce(
        what,
        scale=scale,
        out=out,
        page=out / "page.md",
        command=lambda name: f"undertow paper {name}",
        jobs=jobs,
        **options,
    )


def record(**figures: Any) -> Record:
    """A record that holds nothing but figures."""
    return Record(settings={}, figures=figures, seconds=0.0, date="2026-01-01", machine={})
