"""Patterns of LIKE: runs of wildcards merged, and counted.

What a pattern costs grows with its wildcards, times the length of every text: 500 times `%_` kept a
machine busy for a minute.
"""

from __future__ import annotations

import re

MOST = 100  # in one filter, after runs are merged
RUN = re.compile(r"\\.|[%_]+", re.DOTALL)


def merged(pattern: str) -> str:
    """The same pattern with each run of wildcards as its single letters and then one "%", if it
    has any: "%_%%_" is "__%".
    """
    return RUN.sub(_shortest, pattern)


def wildcards(pattern: str) -> int:
    """How many there are once runs are merged; letters behind a backslash are none."""
    return sum(len(run) for run in RUN.findall(merged(pattern)) if not run.startswith("\\"))


def _shortest(run: re.Match[str]) -> str:
    written = run[0]
    if written.startswith("\\"):
        return written
    return "_" * written.count("_") + "%" * ("%" in written)
