"""Search: how good each mode is, how many bytes a document takes, how long a question takes, and how much ANN misses.

    UNDERTOW_DATA=/folder python -m benchmarks.search [--sizes 100000 1000000] [--skip-quality]
        [--model MODEL] [--json FILE]

Quality: 20 Newsgroups, an index of the training posts, questions are test posts, relevant are posts of the same group.
Size and speed: made-up posts, each of 60 words drawn with replacement from one training post, so that no two are equal
and topics are as in the real ones. Questions are 10 words of a test post in a row, or its first 100 words. Times are
from the text of a question to ten documents with their texts, without and with reasons, one question after the other.
Without --model one is trained first, as `undertow fit 20newsgroups --stop-words english --stemmer english` would.
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
from benchmarks.tables import Sheet, figure, printed
from undertow import ReplicatedSoftmax, TopicModel, Vectorizer, load
from undertow.corpus import open_corpus
from undertow.search import Index
from undertow.search._held import HeldVectors
from undertow.search._modes import MODES
from undertow.tasks import mean_average_precision

QUESTIONS = 200  # a kind and mode,
EXPLAINED = 50  # and with reasons
JUDGED = 300  # questions that quality is measured with
WORDS = 60  # of a made-up post
AT_ONCE = 50_000  # posts that are made up at a time
KINDS = {"10 words": 10, "100 words": 100}


def trained(posts: pl.DataFrame, topics: int = 128, epochs: Any = "auto") -> TopicModel:
    """A model of the training posts."""
    vectorizer = Vectorizer(20_000, stop_words="english", stemmer="english")
    softmax = ReplicatedSoftmax(topics, max_epochs=epochs)
    return TopicModel(topics, vectorizer=vectorizer, softmax=softmax, random_state=0).fit(posts)


def quality(model: TopicModel, train: pl.DataFrame, test: pl.DataFrame, folder: Path) -> dict[str, Any]:
    """MAP and precision at 10 of each mode over a sample of questions; rankings are of all documents."""
    train = train.sample(fraction=1.0, shuffle=True, seed=0)  # equal codes come in the order of the documents
    index = Index.create(folder / "news", model, train)
    view = index._versions.current
    asked = test.sample(min(JUDGED, test.height), seed=0)
    found: dict[str, tuple[list[float], list[float]]] = {mode: ([], []) for mode in MODES}
    labels = dict(zip(view.store.row_numbers().tolist(), train["label"], strict=True))
    for text, label in asked.select("text", "label").iter_rows():
        question = index._question(view, text[:100_000], None)
        for mode, (areas, firsts) in found.items():
            rows, _ = view.ranker.find(question, mode, train.height, None)
            relevant = np.array([labels[int(row)] == label for row in rows], dtype=bool)
            areas.append(average_precision(relevant, int((train["label"] == label).sum())))
            firsts.append(float(relevant[:10].mean()) if len(relevant) else 0.0)
    facts = {mode: {"map": float(np.mean(a)), "precision_at_10": float(np.mean(p))} for mode, (a, p) in found.items()}
    return {
        "documents": len(index),
        "questions": asked.height,
        "modes": facts,
        **precision_loss(model, train, asked),
    }


def average_precision(relevant: NDArray[np.bool_], total: int) -> float:
    """Of a ranking that may end early: what is not in it is never found."""
    places = np.flatnonzero(relevant) + 1
    return float((np.arange(1, len(places) + 1) / places).sum() / total)


def precision_loss(model: TopicModel, train: pl.DataFrame, asked: pl.DataFrame) -> dict[str, float]:
    """MAP of strengths as they are and in half precision, as the index keeps them."""
    documents, questions = (model.encode(part["text"], "strength") for part in (train, asked))
    unit = documents / np.linalg.norm(documents, axis=1, keepdims=True).clip(1e-30)
    labels = (asked["label"].to_numpy(), train["label"].to_numpy())
    return {
        f"map_float{bits}": mean_average_precision(questions, labels[0], unit.astype(kind), labels[1])
        for bits, kind in ((32, np.float32), (16, np.float16))
    }


def make_up(train: pl.DataFrame, documents: int, file: Path) -> None:
    """A Parquet file of resampled posts."""
    generator = random.Random(0)
    posts = [words for words in (text.split() for text in train["text"]) if words]
    folder = file.parent / "parts"
    folder.mkdir()
    for first in range(0, documents, AT_ONCE):
        number = min(AT_ONCE, documents - first)
        texts = [" ".join(generator.choices(post, k=WORDS)) for post in generator.choices(posts, k=number)]
        ids = [str(place) for place in range(first, first + number)]
        pl.DataFrame({"id": ids, "text": texts}).write_parquet(folder / f"{first:09}.parquet", compression="lz4")
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
    times = {kind: {mode: _latencies(index, texts, mode) for mode in MODES} for kind, texts in asked.items()}
    units = model.softmax_.n_components
    on_disk = index.info()["bytes"]
    return {
        "documents": documents,
        "index_seconds": seconds,
        "bytes_on_disk": on_disk / documents,
        "bytes_vector": 2 * units,
        "bytes_code": -(-units // 8),
        "text_bytes": int(
            pl.scan_parquet(folder / "posts.parquet").select(pl.col("text").str.len_bytes().mean()).collect().item()
        ),
        "ann": index.info()["vector_index"],
        "recall_at_10": {kind: recall(index, texts) for kind, texts in asked.items()},
        "milliseconds": times,
    }


def questions(test: pl.DataFrame, words: int) -> list[str]:
    """The body of test posts, from behind the header on, cut to so many words."""
    bodies = [text.partition("\n\n")[2].split() for text in test.sample(fraction=1.0, shuffle=True, seed=1)["text"]]
    return [" ".join(body[:words]) for body in bodies if len(body) >= words][:QUESTIONS]


def _latencies(index: Index, texts: Sequence[str], mode: str) -> dict[str, dict[str, float]]:
    plain, explained = latency(index, texts, mode, False), latency(index, texts[:EXPLAINED], mode, True)
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


def recall(index: Index, texts: Sequence[str]) -> float:
    """How many of the ten nearest vectors semantic search finds."""
    view = index._versions.current
    held, shares = HeldVectors.of(view.store), []
    for text in texts:
        question = index._question(view, text, None)
        if question.known:
            exact, _ = held.nearest(question.encoded.vectors[0], 10, None)
            found, _ = view.ranker.find(question, "semantic", 10, None)
            shares.append(len(np.intersect1d(exact, found)) / max(len(exact), 1))
    return float(np.mean(shares))


def sheets(found: dict[str, Any]) -> list[Sheet]:
    made = [_quality_sheet(found["quality"])] if "quality" in found else []
    return [*made, *(_size_sheet(facts) for facts in found["sizes"])]


def _quality_sheet(good: dict[str, Any]) -> Sheet:
    rows = [[mode, figure(facts["map"]), figure(facts["precision_at_10"])] for mode, facts in good["modes"].items()]
    halves = f"MAP of vectors in 32 bits {good['map_float32']:.4f}, in 16 bits {good['map_float16']:.4f}"
    title = f"{good['questions']} test posts ask {good['documents']:,} training posts of 20 Newsgroups"
    return Sheet(title, ["mode", "MAP", "precision at 10"], rows, [halves])


def _size_sheet(facts: dict[str, Any]) -> Sheet:
    rows = []
    for kind, modes in facts["milliseconds"].items():
        for mode, times in modes.items():
            cells = [times["plain"]["p50"], times["plain"]["p99"], times["with_reasons"]["p50"]]
            known = figure(facts["recall_at_10"][kind]) if mode == "semantic" else ""
            rows.append([f"{mode}, {kind}", *(figure(cell) for cell in cells), known])
    columns = ["mode, question", "p50, ms", "p99, ms", "p50 with reasons", "recall@10"]
    notes = [
        f"indexed in {facts['index_seconds']:.0f} s; {facts['bytes_on_disk']:,.0f} bytes a document on disk, "
        f"of which text {facts['text_bytes']:,}, vector {facts['bytes_vector']}, code {facts['bytes_code']}; "
        + ("semantic by the vector index" if facts["ann"] else "semantic exact")
    ]
    return Sheet(f"{facts['documents']:,} documents", columns, rows, notes)


def measure(
    model: TopicModel,
    posts: pl.DataFrame,
    sizes: Sequence[int],
    *,
    judge: bool,
    show: Callable[[dict[str, Any]], object],
) -> dict[str, Any]:
    """Everything; what is found so far is shown after each part."""
    train, test = (posts.filter(pl.col("split") == part) for part in ("train", "test"))
    found: dict[str, Any] = {"machine": machine.describe(), "sizes": []}
    if judge:
        with tempfile.TemporaryDirectory() as name:
            found["quality"] = quality(model, train, test, Path(name))
        show(found)
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            found["sizes"].append(size_and_speed(model, train, test, size, Path(name)))
        show(found)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--skip-quality", action="store_true")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    posts = pl.read_parquet(newsgroups_data.data_file())
    model = load(options.model) if options.model else trained(posts.filter(pl.col("split") == "train"))
    assert isinstance(model, TopicModel)
    console = Console(width=120)

    def show(found: dict[str, Any]) -> None:
        console.print(printed(sheets(found)[-1]))
        if options.json:
            options.json.write_text(json.dumps(found, indent=1) + "\n")

    console.print(machine.describe())
    measure(model, posts, options.sizes, judge=not options.skip_quality, show=show)


if __name__ == "__main__":
    main()
