"""What all cores bring: training, encoding and counting words on 1, 2, 4 and more threads, up to
the cores of the machine.

    python -m benchmarks.all_cores [--quick] [--only train fit encode words] [--json FILE]

- train: `learn.train` on 131,072 documents of 84 words by Zipf's law, at 2,000 and at 200,000
  words; the same run of 4 replicas (what "auto" takes for so many) and of 16 on any number of
  threads, two epochs after a first one. More threads than replicas work in teams.
- fit: `ReplicatedSoftmax.fit` on the same documents, three epochs, from counts to a model.
- encode: posteriors of 200,000 documents by the engine, and `transform` of the estimator.
- words: `Vectorizer.fit_transform` of 100,000 made-up texts.

What a machine lacks the libraries for is left out, with a line that says so. `times one` is what
the threads bring over one. About three minutes on 16 cores; nothing else should run meanwhile.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import machine
from benchmarks.step import zipf_counts
from undertow.counts import CountBatch, CsrSource, idf_weights, word_distribution
from undertow.engines import find_engine
from undertow.kernels.cores import cores
from undertow.learn import Run, Settings, train
from undertow.model import Parameters, initial_parameters

VOCABULARIES = (2_000, 200_000)
REPLICAS, UNITS = (4, 16), 128
FIT_EPOCHS = 3
Row = dict[str, Any]
NEEDS = {"train": (), "fit": ("sklearn",), "encode": ("sklearn",), "words": ("polars", "sklearn")}


class Bench:
    """What is measured on, made once for each vocabulary."""

    def __init__(self, words: int, documents: int) -> None:
        self.words = words
        self.counts = _checked(zipf_counts(words, documents))
        self.tokens = int(self.counts.data.sum())
        self.weights, self.p = idf_weights(self.counts), word_distribution(self.counts)
        self.source = CsrSource(self.counts, self.weights)

    def parameters(self) -> Parameters:
        """Those that a run begins with."""
        return initial_parameters(UNITS, self.p, self.weights, 0)

    def run(self, threads: int, settings: Settings) -> Run:
        """A run that has not begun."""
        return Run(
            self.parameters(),
            self.p,
            settings,
            documents=self.counts.shape[0],
            longest=self.source.longest,
            threads=threads,
        )


def _checked(counts: sparse.csr_array) -> sparse.csr_array:
    """With row starts and columns of 32 bits, as the package holds counts."""
    parts = (counts.data, counts.indices.astype(np.int32), counts.indptr.astype(np.int32))
    return sparse.csr_array(parts, shape=counts.shape)


def training(bench: Bench, replicas: int) -> Iterator[Row]:
    """The same run on more and more threads."""
    settings = Settings(replicas=replicas, planned_steps=1000)
    for threads in machine.thread_counts():
        run = train(bench.run(threads, settings), bench.source, epochs=1)
        began = time.perf_counter()
        train(run, bench.source, epochs=3)
        seconds, name = time.perf_counter() - began, f"train, {replicas} replicas"
        yield _row(name, bench.words, threads, seconds, 2 * bench.tokens)


def alone(bench: Bench) -> Iterator[Row]:
    """One thread without replicas, for comparison; one epoch after a first."""
    run = train(bench.run(1, Settings(planned_steps=10_000)), bench.source, epochs=1)
    began = time.perf_counter()
    train(run, bench.source, epochs=2)
    yield _row("no replicas", bench.words, 1, time.perf_counter() - began, bench.tokens)


def fitting(bench: Bench) -> Iterator[Row]:
    """From counts to a model, and of it the epochs alone."""
    from undertow.estimators import ReplicatedSoftmax

    for threads in sorted({1, 4, cores()} & {*machine.thread_counts(), cores()}):
        model = ReplicatedSoftmax(UNITS, max_epochs=FIT_EPOCHS, random_state=0, n_jobs=threads)
        began = time.perf_counter()
        model.fit(bench.counts)
        seconds, tokens = time.perf_counter() - began, sum(r.tokens for r in model.history_)
        yield _row("fit", bench.words, threads, seconds, tokens)
        epochs = sum(record.seconds for record in model.history_)
        yield _row("its epochs", bench.words, threads, epochs, tokens)


def encoding(bench: Bench, documents: int) -> Iterator[Row]:
    """Documents to posteriors, and to the vectors of an estimator."""
    from undertow.estimators import ReplicatedSoftmax

    counts = sparse.vstack([bench.counts] * -(-documents // bench.counts.shape[0]), format="csr")
    counts = _checked(counts[:documents])
    batch, parameters = CountBatch.from_csr(counts), bench.parameters()
    model = ReplicatedSoftmax(UNITS, max_epochs=1, random_state=0).fit(counts[:2000])
    for threads in machine.thread_counts():
        engine = find_engine("cpu", threads=threads)
        seconds = _best(partial(engine.posteriors, parameters, batch))
        yield _row("posteriors", bench.words, threads, seconds, documents, "documents")
        model.set_params(n_jobs=threads)
        seconds = _best(partial(model.transform, counts), rounds=2)
        yield _row("transform", bench.words, threads, seconds, documents, "documents")


def counting(texts: int) -> Iterator[Row]:
    """Texts to a vocabulary and counts."""
    from undertow.corpus import Vectorizer

    generator = np.random.default_rng(0)
    ranks = np.minimum(generator.zipf(1.3, texts * 84), 200_000)
    words = np.char.add("w", ranks.astype(str)).reshape(texts, 84)
    made = [" ".join(row) for row in words]
    for threads in machine.thread_counts():
        vectorizer = Vectorizer(50_000, n_jobs=threads)
        seconds = _best(partial(vectorizer.fit_transform, made), rounds=2)
        yield _row("fit_transform of texts", 50_000, threads, seconds, texts, "documents")


def _best(work: Callable[[], Any], rounds: int = 3) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def _row(
    name: str, words: int, threads: int, seconds: float, items: int, of: str = "tokens"
) -> Row:
    return {
        "what": name,
        "words": words,
        "threads": threads,
        "seconds": seconds,
        "of": of,
        "rate": items / seconds,
    }


def measure(parts: list[str], *, quick: bool, show: Callable[[Row], None]) -> list[Row]:
    """All rows, each shown when it is there."""
    found: list[Row] = []

    def keep(rows: Iterator[Row]) -> None:
        for row in rows:
            first = [one for one in found if (one["what"], one["words"]) == _kind(row)]
            row["times_one"] = row["rate"] / (first[0] if first else row)["rate"]
            found.append(row)
            show(row)

    for words in VOCABULARIES if {"train", "fit", "encode"} & {*parts} else ():
        bench = Bench(words, 4_096 if quick else 131_072)
        if "train" in parts:
            keep(alone(bench))
            for replicas in REPLICAS:
                keep(training(bench, replicas))
        if "fit" in parts:
            keep(fitting(bench))
        if "encode" in parts:
            keep(encoding(bench, 5_000 if quick else 200_000))
    if "words" in parts:
        keep(counting(1_000 if quick else 100_000))
    return found


def _kind(row: Row) -> tuple[str, int]:
    return row["what"], row["words"]


def described() -> dict[str, object]:
    """Machine and date, also where the package is not installed but on the path."""
    try:
        return machine.describe()
    except PackageNotFoundError:
        return {"date": time.strftime("%Y-%m-%d", time.gmtime()), "processor": platform.machine()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="few documents: figures mean nothing")
    parser.add_argument("--only", nargs="+", choices=list(NEEDS), default=list(NEEDS))
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    parts = []
    for part in options.only:
        missing = [name for name in NEEDS[part] if importlib.util.find_spec(name) is None]
        if missing:
            print(f"{part} is left out: it needs {', '.join(missing)}")
        else:
            parts.append(part)
    about = {**described(), "cores": cores(), "load": os.getloadavg()[0]}
    print(json.dumps(about))
    print(f"{'':24}{'words':>9}{'threads':>9}{'seconds':>10}{'a second':>24}{'times one':>11}")

    def show(row: Row) -> None:
        rate = f"{row['rate'] / 1e6:.2f} M {row['of']}"
        print(
            f"{row['what']:24}{row['words']:>9,}{row['threads']:>9}{row['seconds']:>10.3f}"
            f"{rate:>24}{row['times_one']:>11.2f}",
            flush=True,
        )

    rows = measure(parts, quick=options.quick, show=show)
    if options.json:
        options.json.write_text(json.dumps({"machine": about, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
