"""How long commands keep people waiting, by the clock, from the shell's return key to the end of
the process.

    python -m benchmarks.start [INDEX] [--rounds 7]

The index is one of 20 Newsgroups with 128 units, made for the occasion, unless another is given.
Commands take turns, and the first round, which warms the disk's cache, does not count.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUESTION = "a rocket to the moon"
UNDERTOW = (sys.executable, "-c", "from undertow.cli import main; main()")
LIMITS = {"question": 1.0, "slip": 0.3}  # seconds: what was promised
COMMANDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("question", ("search", "{index}", QUESTION)),
    ("question", ("search", "{index}", QUESTION, "--mode", "text")),
    ("question", ("search", "{index}", QUESTION, "--mode", "hybrid")),
    ("slip", ("--help",)),
    ("slip", ("search", "--help")),
    ("slip", ("fit", "--help")),
    ("slip", ("search", "nowhere", QUESTION)),
    ("slip", ("fit", "nowhere.csv", "--out", "nowhere")),
    ("slip", ("topics", "nowhere")),
    ("slip", ("nonsense",)),
)


def seconds(command: tuple[str, ...], index: Path) -> float:
    """Of one process; whether it succeeds is not asked, since some are slips."""
    words = [word.format(index=index) for word in command]
    began = time.perf_counter()
    subprocess.run([*UNDERTOW, *words], stdin=subprocess.DEVNULL, capture_output=True)
    return time.perf_counter() - began


def medians(index: Path, rounds: int) -> list[tuple[str, str, float]]:
    """Kind, command and median seconds."""
    times: list[list[float]] = [[] for _ in COMMANDS]
    for _ in range(rounds + 1):
        for found, (_, command) in zip(times, COMMANDS, strict=True):
            found.append(seconds(command, index))
    named = [" ".join(word.format(index="INDEX") for word in command) for _, command in COMMANDS]
    return [
        (kind, name, statistics.median(found[1:]))
        for (kind, _), name, found in zip(COMMANDS, named, times, strict=True)
    ]


def made(folder: Path) -> Path:
    """An index of 20 Newsgroups."""
    from undertow import TopicModel
    from undertow.datasets import load_20newsgroups
    from undertow.search import Index

    texts = load_20newsgroups()
    model = TopicModel(128, stop_words="english", max_epochs=2, random_state=0).fit(texts)
    Index.create(folder / "index", model, texts)
    return folder / "index"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("index", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = medians(asked.index or made(Path(name)), asked.rounds)
    print(f"| undertow ... | median of {asked.rounds}, s | promised, s |\n| --- | ---: | ---: |")
    for kind, command, median in found:
        print(f"| `{command}` | {median:.2f} | {LIMITS[kind]:.1f} |")


if __name__ == "__main__":
    main()
