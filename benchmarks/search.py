"""Search: how good each mode is, how many bytes a document takes, how long a question takes, and
what is missed.

    UNDERTOW_DATA=/folder python -m benchmarks.search [--sizes 100000 1000000] [--questions 500]
    [--skip-quality]
        [--model MODEL] [--json FILE]

Quality: see `benchmarks.search_quality`.
Size and speed: made-up posts, each of 60 words drawn with replacement from one training post, so
that no two are equal and topics are as in the real ones. Questions are 10 words of a test post in a
row, or its first 100 words. Times are from the text of a question to ten documents with their
texts, without and with reasons, one question after the other. Without --model one is trained first,
as `undertow fit 20newsgroups --stop-words english --stemmer english` would.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console

from benchmarks import machine, newsgroups_data
from benchmarks.search_quality import judged, newsgroups, reviews, sheet, summary
from benchmarks.tables import Sheet, figure, printed
from undertow import TopicModel, load
from undertow.corpus import open_corpus
from undertow.fulltext.full_text import best
from undertow.search import Index
from undertow.search.folder.layout import WORDS, size_on_disk
from undertow.search.ranking.modes import MODES, SHARPNESS
from undertow.search.ranking.questions import asked_in_words
from undertow.vectors.joining import unit

QUESTIONS = 200  # a kind and mode,
EXPLAINED = 50  # and with reasons
LENGTH = 60  # words of a made-up post
AT_ONCE = 50_000  # posts that are made up at a time
KINDS = {"10 words": 10, "100 words": 100}


def trained(posts: pl.DataFrame, topics: int = 256, epochs: Any = "auto") -> TopicModel:
    """A model of the training posts."""
    words = {"vocabulary_size": 20_000, "stop_words": "english", "stemmer": "english"}
    return TopicModel(topics, **words, max_epochs=epochs, random_state=0).fit(posts)  # type: ignore[arg-type]


def quality(
    folder: Path, questions: int, found: dict[str, Any], show: Callable[[Sheet], object]
) -> None:
    """The three tasks on both data sets, each with a model of its own; what is found is put into
    `found`.
    """
    sets = {
        "20 Newsgroups": (newsgroups_data.FILE_NAME, newsgroups),
        "IMDB": ("imdb.parquet", reviews),
    }
    for name, (file, as_part) in sets.items():
        table = pl.read_parquet(newsgroups_data.data_file().with_name(file))
        train, test = (
            as_part(
                table.filter(pl.col("split") == part).sample(fraction=1.0, shuffle=True, seed=0)
            )
            for part in ("train", "test")
        )
        model = TopicModel(random_state=0).fit(train.texts)
        tasks = judged(train, test, model, folder / name, questions)
        found[name] = {task: summary(figures) for task, figures in tasks.items()}
        show(sheet(name, len(train.texts), questions, found[name]))


def make_up(train: pl.DataFrame, documents: int, file: Path) -> None:
    """A Parquet file of resampled posts."""
    generator = random.Random(0)
    posts = [words for words in (text.split() for text in train["text"]) if words]
    folder = file.parent / "parts"
    folder.mkdir()
    for first in range(0, documents, AT_ONCE):
        number = min(AT_ONCE, documents - first)
        texts = [
            " ".join(generator.choices(post, k=LENGTH))
            for post in generator.choices(posts, k=number)
        ]
        ids = [str(place) for place in range(first, first + number)]
        pl.DataFrame({"id": ids, "text": texts}).write_parquet(
            folder / f"{first:09}.parquet", compression="lz4"
        )
    pl.scan_parquet(folder / "*.parquet").sink_parquet(file)


def size_and_speed(
    model: TopicModel, train: pl.DataFrame, test: pl.DataFrame, documents: int, folder: Path
) -> dict[str, Any]:
    """Bytes, seconds of indexing, latencies and recall at one size."""
    make_up(train, documents, folder / "posts.parquet")
    began = time.perf_counter()
    index = Index.create(folder / "index", model, open_corpus(folder / "posts.parquet"))
    seconds = time.perf_counter() - began
    asked = {kind: questions(test, words) for kind, words in KINDS.items()}
    times = {
        kind: {mode: _latencies(index, texts, mode) for mode in MODES}
        for kind, texts in asked.items()
    }
    units = model.softmax_.n_components
    on_disk = index.info()["bytes"]
    return {
        "documents": documents,
        "index_seconds": seconds,
        "bytes_on_disk": on_disk / documents,
        "bytes_vector": 2 * units,
        "bytes_code": -(-units // 8),
        "bytes_words": size_on_disk(folder / "index" / WORDS) / documents,
        "text_bytes": int(
            pl.scan_parquet(folder / "posts.parquet")
            .select(pl.col("text").str.len_bytes().mean())
            .collect()
            .item()
        ),
        "recall_at_10": {kind: recall(index, texts) for kind, texts in asked.items()},
        "milliseconds": times,
    }


def questions(test: pl.DataFrame, words: int) -> list[str]:
    """The body of test posts, from behind the header on, cut to so many words."""
    bodies = [
        text.partition("\n\n")[2].split()
        for text in test.sample(fraction=1.0, shuffle=True, seed=1)["text"]
    ]
    return [" ".join(body[:words]) for body in bodies if len(body) >= words][:QUESTIONS]


def _latencies(index: Index, texts: Sequence[str], mode: str) -> dict[str, dict[str, float]]:
    plain, explained = (
        latency(index, texts, mode, False),
        latency(index, texts[:EXPLAINED], mode, True),
    )
    return {"plain": plain, "with_reasons": explained}


def latency(index: Index, texts: Sequence[str], mode: str, reasons: bool) -> dict[str, float]:
    for text in texts[:10]:
        index.search(text, 10, mode=mode, reasons=reasons)
    taken = []
    for text in texts:
        began = time.perf_counter()
        index.search(text, 10, mode=mode, reasons=reasons)
        taken.append(1000 * (time.perf_counter() - began))
    return {"p50": float(np.percentile(taken, 50)), "p99": float(np.percentile(taken, 99))}


class Exact:
    """Rankings by the true vectors of all documents, which are held in memory."""

    def __init__(self, index: Index) -> None:
        self._ranker, self._encoder = index._versions.current.ranker, index._encoder
        self.full = self._ranker.derived.text
        rows, vectors = zip(*index._versions.current.store.encoded("vector"), strict=True)
        self._vectors = np.zeros((len(self.full.rows), vectors[0].shape[1]), dtype=np.float32)
        for places, part in zip(map(self.full.places, rows), vectors, strict=True):
            self._vectors[places] = unit(part.astype(np.float32))

    def best(self, text: str, mode: str, n: int = 10) -> NDArray[np.int64]:
        """Places of the best documents."""
        question = asked_in_words(text, self.full, self._encoder).question
        cosines = self._vectors @ question.vector
        if mode == "semantic" or not question.words:
            return best(cosines, n)
        scored = self._ranker.score(question, "text")
        scores = question.share_known * cosines / cosines.max()
        if scored.best_words:
            scores += question.weight_of_words * (scored.scores / scored.best_words) ** SHARPNESS
        return best(scores, n)


def recall(index: Index, texts: Sequence[str]) -> dict[str, float]:
    """How many of the ten documents that the true vectors rank first are found."""
    exact, shares = Exact(index), {"hybrid": list[float](), "semantic": list[float]()}
    for text in texts:
        for mode, found in shares.items():
            hits = index.search(text, 10, mode=mode, duplicates=True, reasons=False)
            best_rows = exact.full.rows[exact.best(text, mode)]
            wanted = {
                document["id"] for document in index._versions.current.store.whole(best_rows)[0]
            }
            found.append(len(wanted & {hit.id for hit in hits}) / max(len(wanted), 1))
    return {mode: float(np.mean(found)) for mode, found in shares.items()}


def size_sheet(facts: dict[str, Any]) -> Sheet:
    rows = []
    for kind, modes in facts["milliseconds"].items():
        for mode, times in modes.items():
            cells = [times["plain"]["p50"], times["plain"]["p99"], times["with_reasons"]["p50"]]
            rows.append(
                [
                    f"{mode}, {kind}",
                    *map(figure, cells),
                    figure(facts["recall_at_10"][kind].get(mode)),
                ]
            )
    columns = ["mode, question", "p50, ms", "p99, ms", "p50 with reasons", "recall@10"]
    notes = [
        f"indexed in {facts['index_seconds']:.0f} s; {facts['bytes_on_disk']:,.0f} bytes a "
        f"document on disk, "
        f"of which text {facts['text_bytes']:,}, vector {facts['bytes_vector']}, code "
        f"{facts['bytes_code']}, "
        f"word lists and small vectors {facts['bytes_words']:,.0f}"
    ]
    return Sheet(f"{facts['documents']:,} documents", columns, rows, notes)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--skip-quality", action="store_true")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    console = Console(width=180)
    found: dict[str, Any] = {"machine": machine.describe(), "sizes": []}

    def show(made: Sheet) -> None:
        console.print(printed(made))
        if options.json:
            options.json.write_text(json.dumps(found, indent=1) + "\n")

    console.print(found["machine"])
    if not options.skip_quality:
        with tempfile.TemporaryDirectory() as name:
            found["quality"] = {}
            quality(Path(name), options.questions, found["quality"], show)
    if not options.sizes:
        return
    posts = pl.read_parquet(newsgroups_data.data_file())
    train, test = (posts.filter(pl.col("split") == part) for part in ("train", "test"))
    model = load(options.model) if options.model else trained(train)
    assert isinstance(model, TopicModel)
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as name:
            found["sizes"].append(size_and_speed(model, train, test, size, Path(name)))
        show(size_sheet(found["sizes"][-1]))


if __name__ == "__main__":
    main()
