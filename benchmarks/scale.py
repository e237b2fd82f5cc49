"""Time and memory of fitting corpora that are larger than memory, from Parquet shards to a model.

    python -m benchmarks.scale [--sizes 50000 500000 5000000] [--json FILE] [--folder FOLDER]

The texts are film reviews (imdb.parquet in the folder that the environment variable UNDERTOW_DATA
names, its test part left out), cut into pieces of about 100 words; a corpus is drawn from these
pieces with replacement and written as shards of 50,000 documents. Each size is fitted in a process
of its own, so that its peak memory is its own: a new vocabulary of 20,000 words, 128 topics, one
epoch, and so little memory granted that even the smallest corpus goes to disk. FOLDER (default: the
system's temporary folder) needs about 0.8 kB a document, and gets it back in the end.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks import machine

SIZES = (50_000, 500_000, 5_000_000)
SHARD = 50_000  # documents
PIECE = 100  # words
WORDS, TOPICS = 20_000, 128
GRANTED = "16MB"
BYTES_A_DOCUMENT = 800  # of disk: the shards, the counts of all words, and the spool
WARM_UP = 2_000  # documents of a first fit, after which all kernels are compiled


def pieces(file: Path) -> pl.Series:
    """Training texts, cut every 100 words; what is left over at the end, if short, is passed
    over.
    """
    texts = pl.read_parquet(file, columns=["split", "text"]).filter(pl.col("split") != "test")[
        "text"
    ]
    words = (
        texts.to_frame()
        .with_row_index("review")
        .select("review", pl.col("text").str.split(" "))
        .explode("text")
    )
    place = pl.int_range(pl.len()).over("review") // PIECE
    cut = words.group_by("review", place.alias("place"), maintain_order=True).agg("text")
    return cut.filter(pl.col("text").list.len() > PIECE // 2)["text"].list.join(" ")


def write_corpus(folder: Path, found: pl.Series, documents: int) -> int:
    """Shards of pieces drawn with replacement, by a seed of their own; gives the bytes of all."""
    folder.mkdir()
    for number, first in enumerate(range(0, documents, SHARD)):
        rows = np.random.default_rng(number).integers(
            len(found), size=min(SHARD, documents - first)
        )
        shard = found.gather(rows).alias("text").to_frame()
        shard.write_parquet(folder / f"{number:05d}.parquet", compression_level=1)
    return sum(file.stat().st_size for file in folder.iterdir())


def fit(shards: str, scratch: str) -> dict[str, float]:
    """In a process of its own: times and peak memory of one fit."""
    from undertow.corpus import open_corpus
    from undertow.estimators import TopicModel

    model = TopicModel(
        TOPICS, vocabulary_size=WORDS, max_epochs=1, random_state=0, memory_limit=GRANTED
    ).set_params(scratch_folder=scratch)
    corpus = open_corpus(shards)
    before, began = peak_bytes(), time.perf_counter()
    model.fit(corpus)
    seconds, record = time.perf_counter() - began, model.softmax_.history_[0]
    return {
        "documents": model.reading_.documents,
        "tokens": record.tokens,
        "reading_seconds": model.reading_.seconds,
        "training_seconds": record.seconds,
        "other_seconds": seconds - model.reading_.seconds - record.seconds,
        "waited_share": record.waited / record.seconds,
        "documents_per_second": model.reading_.documents / record.seconds,
        "tokens_per_second": record.tokens / record.seconds,
        "spool_bytes": model.reading_.scratch_bytes,
        "bytes_before": before,
        "peak_bytes": peak_bytes(),
    }


def peak_bytes() -> int:
    """The most memory that this process has had since it began; Linux' getrusage would count its
    parent's as well.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * int(status.read_text().partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # macOS: in bytes


def measured(shards: Path, scratch: Path) -> dict[str, Any]:
    """One fit in a new process, with the most disk that it was seen to use."""
    command = [sys.executable, "-m", "benchmarks.scale", "--work", str(shards), str(scratch)]
    most = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            most = max(most, folder_bytes(scratch))
            time.sleep(0.5)
        answer = process.stdout.read() if process.stdout else ""
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return {**json.loads(answer), "scratch_bytes": most, "scratch_left": folder_bytes(scratch)}


def folder_bytes(folder: Path) -> int:
    """What the files in a folder take; some may vanish meanwhile."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(place, name)).st_size
            except FileNotFoundError:
                continue
    return total


def table(results: list[dict[str, Any]]) -> Table:
    """A row a size."""
    out = Table(
        title=(
            f"From shards to {TOPICS} topics over {WORDS:,} words, one epoch, {GRANTED} for counts"
        )
    )
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "documents": lambda r: f"{r['documents']:,}",
        "shards GB": lambda r: f"{r['corpus_bytes'] / 1e9:.2f}",
        "read s": lambda r: f"{r['reading_seconds']:.1f}",
        "train s": lambda r: f"{r['training_seconds']:.1f}",
        "docs/s": lambda r: f"{r['documents_per_second']:,.0f}",
        "M tok/s": lambda r: f"{r['tokens_per_second'] / 1e6:.2f}",
        "waited": lambda r: f"{r['waited_share']:.1%}",
        "peak MB": lambda r: f"{r['peak_bytes'] / 1e6:.0f}",
        "base MB": lambda r: f"{r['bytes_before'] / 1e6:.0f}",
        "disk GB": lambda r: f"{r['scratch_bytes'] / 1e9:.2f}",
    }
    for name in columns:
        out.add_column(name, justify="right")
    for result in results:
        out.add_row(*(show(result) for show in columns.values()))
    return out


def require_room(folder: Path, documents: int) -> None:
    """Refuses before anything is written."""
    needed, free = documents * BYTES_A_DOCUMENT, shutil.disk_usage(folder).free
    if free < needed:
        raise SystemExit(
            f"--folder must have {needed / 1e9:.1f} GB free, got {free / 1e9:.1f} GB in {folder}"
        )


def measure_all(folder: Path, sizes: list[int], console: Console) -> list[dict[str, Any]]:
    results = []
    (folder / "scratch").mkdir()
    with console.status("cutting reviews into pieces"):
        found = pieces(Path(os.environ["UNDERTOW_DATA"]) / "imdb.parquet")
    for size in [WARM_UP, *sizes]:
        shards = folder / f"corpus-{size}"
        with console.status(f"writing {size:,} documents"):
            corpus_bytes = write_corpus(shards, found, size)
        with console.status(f"fitting {size:,} documents"):
            result = {**measured(shards, folder / "scratch"), "corpus_bytes": corpus_bytes}
        shutil.rmtree(shards)
        if size != WARM_UP:
            results.append(result)
            console.print(table(results))
    return results


def main() -> None:
    if sys.argv[1:2] == ["--work"]:
        print(json.dumps(fit(*sys.argv[2:])))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=list(SIZES), help="numbers of documents"
    )
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(tempfile.gettempdir()),
        help="where corpora and scratch go",
    )
    options = parser.parse_args()
    if "UNDERTOW_DATA" not in os.environ:
        parser.error("set UNDERTOW_DATA to the folder of imdb.parquet")
    require_room(options.folder, max(options.sizes))
    console = Console(width=110)
    with tempfile.TemporaryDirectory(prefix="undertow-scale-", dir=options.folder) as name:
        results = measure_all(Path(name), options.sizes, console)
    text = json.dumps(
        {"machine": machine.describe(), "granted": GRANTED, "sizes": results}, indent=2
    )
    console.print_json(text)
    if options.json:
        options.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
