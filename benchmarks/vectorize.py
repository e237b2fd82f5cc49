"""Speed and memory of `Vectorizer` against scikit-learn's CountVectorizer, and whether the counts
are equal.

    python -m benchmarks.vectorize [DATA FOLDER] [--ngrams N] [--rounds R]

DATA FOLDER holds imdb.parquet and 20newsgroups.parquet (default: the environment variable
UNDERTOW_DATA). Each timing is a process of its own, so that its peak memory is its own; the sides
take turns, and the median counts. Both begin with the file and end with the counts:

- fit: `fit_transform` with all words;
- fixed: `transform` with the vocabulary fixed beforehand (the 50,000 most frequent words), which is
  what the cell by cell comparison is made with;
- stream: undertow only, the fixed vocabulary, chunk by chunk, nothing kept.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from undertow.corpus import Vectorizer, open_corpus

PATTERN = r"[\p{L}\p{N}_]{2,}"  # gives CountVectorizer's default tokens
WORDS = 50_000
SIDES = (
    ("undertow", "fit"),
    ("scikit-learn", "fit"),
    ("undertow", "fixed"),
    ("scikit-learn", "fixed"),
)


def vectorize(side: str, task: str, file: str, words: list[str], ngrams: int) -> Any:
    """The counts of the file, from start to end as a user would have them."""
    fixed = None if task == "fit" else words
    if side == "scikit-learn":
        texts = pl.read_parquet(file, columns=["text"])["text"].to_list()
        theirs = CountVectorizer(vocabulary=fixed, ngram_range=(1, ngrams), dtype=np.int32)
        return theirs.fit_transform(texts)
    ours = Vectorizer(None, vocabulary=fixed, token_pattern=PATTERN, ngram_range=(1, ngrams))
    corpus = open_corpus(file)
    if task == "stream":
        return sum(chunk.counts.nnz for chunk in ours.count_chunks(corpus))
    return ours.fit_transform(corpus)


def work(side: str, task: str, file: str, folder: Path, ngrams: int) -> None:
    """In a process of its own: seconds and peak memory on standard output, the counts into the
    folder.
    """
    if task == "words":
        chosen = Vectorizer(WORDS, token_pattern=PATTERN, ngram_range=(1, ngrams)).fit(
            open_corpus(file)
        )
        (folder / "words.txt").write_text("\n".join(chosen.get_feature_names_out()))
    if task == "equal":
        (folder / "equal.txt").write_text(str(equal(folder)))
    if task in ("words", "equal"):
        print("{}")
        return
    words = (folder / "words.txt").read_text().split("\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, busy = time.perf_counter(), time.process_time()
    counts = vectorize(side, task, file, words, ngrams)
    seconds, busy = time.perf_counter() - began, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if task == "fixed":
        sparse.save_npz(folder / f"{side}.npz", counts, compressed=False)
    memory = {"peak_mib": peak / 1024, "grown_mib": (peak - before) / 1024}
    print(json.dumps({"seconds": seconds, "cpu_seconds": busy} | memory))


def measure(side: str, task: str, file: str, folder: Path, ngrams: int) -> dict[str, float]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.vectorize",
        "--work",
        side,
        task,
        file,
        str(folder),
        str(ngrams),
    ]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, float] = json.loads(answer)
    return result


def equal(folder: Path) -> bool:
    """Whether the counts of both sides are the same, cell by cell."""
    ours, theirs = (
        sparse.load_npz(folder / f"{side}.npz") for side in ("undertow", "scikit-learn")
    )
    same = [
        np.array_equal(getattr(ours, part), getattr(theirs, part))
        for part in ("indptr", "indices", "data")
    ]
    return ours.shape == theirs.shape and all(same)


def compare(file: Path, ngrams: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure("undertow", "words", str(file), folder, ngrams)
        runs: dict[Any, list[dict[str, float]]] = {
            side: [] for side in (*SIDES, ("undertow", "stream"))
        }
        for _ in range(rounds):
            for side, task in runs:
                runs[side, task].append(measure(side, task, str(file), folder, ngrams))
        measure("both", "equal", str(file), folder, ngrams)
        report(file.name, ngrams, runs)
        print(f"  counts equal, cell by cell: {(folder / 'equal.txt').read_text()}")


def report(name: str, ngrams: int, runs: dict[Any, list[dict[str, float]]]) -> None:
    middle = {
        key: {figure: statistics.median(run[figure] for run in found) for figure in found[0]}
        for key, found in runs.items()
    }
    print(f"{name}, n-grams 1 to {ngrams}, median of {len(next(iter(runs.values())))}")
    for (side, task), found in middle.items():
        times = f"{found['seconds']:7.2f} s ({found['cpu_seconds']:.2f} s of processor time)"
        print(
            f"  {task:6} {side:13} {times}   peak {found['peak_mib']:5.0f} MiB, grown by "
            f"{found['grown_mib']:.0f}"
        )
    for task in ("fit", "fixed"):
        ratio = middle["scikit-learn", task]["seconds"] / middle["undertow", task]["seconds"]
        print(f"  {task:6} {ratio:.2f} times as fast")


def main() -> None:
    if sys.argv[1:2] == ["--work"]:
        side, task, file, folder, ngrams = sys.argv[2:]
        work(side, task, file, Path(folder), int(ngrams))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?", type=Path, default=os.environ.get("UNDERTOW_DATA"))
    parser.add_argument("--ngrams", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.data is None:
        parser.error(
            "name the folder of imdb.parquet and 20newsgroups.parquet, or set UNDERTOW_DATA"
        )
    for name in ("imdb.parquet", "20newsgroups.parquet"):
        compare(Path(options.data) / name, options.ngrams, options.rounds)


if __name__ == "__main__":
    main()
