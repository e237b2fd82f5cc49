"""All systems on one corpus, and how fast they make vectors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.encoders import own
from benchmarks.encoders.corpora import Corpus, Part
from benchmarks.encoders.figures import COLUMNS, Encoded, judged
from benchmarks.encoders.peers import Encode, LeftOut, Peers, cached
from benchmarks.peers.launch import Failed
from benchmarks.progress import Say, silent
from benchmarks.tables import Sheet, figure

UNITS = (256, 512)
SPEED = 500  # documents
MINILM, WORDLLAMA, WEIGHED = "MiniLM", "wordllama-256", "wordllama-256, idf"
SHOWN = {  # columns of the table
    "short MAP": "subject: MAP",
    "short P@10": "subject: P@10",
}


@dataclass(frozen=True)
class Setting:
    """Where peers' vectors come from, and how large undertow's models and LSA are."""

    peers: Peers
    cache: Path
    units: tuple[int, ...] = UNITS
    lsa: int = own.LSA


def measure(
    corpus: Corpus, documents: int | None, setting: Setting, say: Say = silent
) -> dict[str, Any]:
    """Figures of each system that learned from, or looks among, so many documents (None: all)."""
    few = replace(corpus, train=corpus.train.head(documents or len(corpus.train.texts)))
    found: dict[str, dict[str, float]] = {}
    skipped: dict[str, str] = {}
    kept: dict[str, Encoded] = {}
    for name, encode in systems(corpus, few, setting, kept):
        say(f"{corpus.name}, {len(few.train.texts):,} documents: {name}")
        try:
            kept[name] = encode()
        except (LeftOut, Failed) as reason:
            skipped[name] = str(reason)
            continue
        found[name] = judged(kept[name], few)
    size = {"documents": len(few.train.texts), "asked": len(few.test.texts)}
    short = len(few.short.texts) if few.short else 0
    return {"corpus": corpus.name, "short": short, "systems": found, "skipped": skipped, **size}


def systems(
    corpus: Corpus, few: Corpus, setting: Setting, kept: dict[str, Encoded]
) -> Iterator[tuple[str, Callable[[], Encoded]]]:
    """Names, and what makes their vectors; `kept` has those of the systems before, which may be
    joined.
    """
    words, counts = own.counted(few.train.texts)
    for units in setting.units:
        yield f"undertow-{units}", partial(undertow_vectors, few, words, counts, units)
    yield MINILM, lambda: pretrained(corpus, few, setting.cache / "minilm", setting.peers.minilm)
    yield (
        WORDLLAMA,
        lambda: pretrained(corpus, few, setting.cache / "wordllama", setting.peers.wordllama),
    )
    weighed = partial(setting.peers.wordllama, idf_of=few.train.texts)
    folder = setting.cache / f"wordllama-idf-{len(few.train.texts)}"
    yield WEIGHED, lambda: pretrained(corpus, few, folder, weighed)
    yield (
        f"LSA-{setting.lsa}",
        lambda: each(few, own.lsa(words, counts, setting.lsa), own.transformed),
    )
    yield "tf-idf words", lambda: each(few, own.tf_idf(words, counts), own.transformed)
    ours = f"undertow-{setting.units[0]}"
    yield f"{ours} + {MINILM}", lambda: side_by_side(kept, ours, MINILM)


def undertow_vectors(corpus: Corpus, words: Any, counts: Any, units: int) -> Encoded:
    """Vectors of all parts by undertow."""
    return each(corpus, own.undertow(words, counts, units), own.own_vectors)


def each(
    corpus: Corpus, model: own.Model, encode: Callable[[own.Model, Sequence[str]], Any]
) -> Encoded:
    """Vectors of all parts by a model of ours."""
    return Encoded(*(encode(model, part.texts) for part in corpus.parts))


def pretrained(corpus: Corpus, few: Corpus, folder: Path, encode: Encode) -> Encoded:
    """Vectors of all parts out of the cache, or by an encoder."""
    return Encoded(
        *(
            cached(folder, whole, len(part.texts), encode)
            for whole, part in zip(corpus.parts, few.parts, strict=True)
        )
    )


def side_by_side(kept: dict[str, Encoded], first: str, second: str) -> Encoded:
    """Two kinds of vectors joined."""
    if second not in kept:
        raise LeftOut(f"{second} is left out")
    pairs = [
        (getattr(kept[first], part), getattr(kept[second], part))
        for part in ("train", "test", "short")
    ]
    return Encoded(*(own.joined(*pair) for pair in pairs if pair[0] is not None))


def speed(corpus: Corpus, setting: Setting, say: Say = silent) -> dict[str, Any]:
    """Documents a second from text to vector, with all cores; models are loaded or learned
    before.
    """
    learn, asked = corpus.train.head(SPEED), corpus.test.head(SPEED)
    words, counts = own.counted(learn.texts)
    rates: dict[str, float] = {}
    skipped: dict[str, str] = {}
    for name, encode in timed_systems(learn, words, counts, setting):
        say(f"speed: {name}")
        try:
            rates[name] = len(asked.texts) / encode(asked.texts)
        except (LeftOut, Failed) as reason:
            skipped[name] = str(reason)
    return {
        "corpus": corpus.name,
        "documents": len(asked.texts),
        "rates": rates,
        "skipped": skipped,
    }


def timed_systems(
    learn: Part, words: Any, counts: Any, setting: Setting
) -> Iterator[tuple[str, Callable[[Sequence[str]], float]]]:
    """Names, and what tells the seconds of encoding texts."""
    for units in setting.units:
        yield f"undertow-{units}", timed(own.undertow(words, counts, units), own.own_vectors)
    yield MINILM, lambda texts: setting.peers.minilm(texts)[1]
    yield WORDLLAMA, lambda texts: setting.peers.wordllama(texts)[1]
    yield WEIGHED, lambda texts: setting.peers.wordllama(texts, learn.texts)[1]
    yield f"LSA-{setting.lsa}", timed(own.lsa(words, counts, setting.lsa), own.transformed)
    yield "tf-idf words", timed(own.tf_idf(words, counts), own.transformed)


def timed(
    model: own.Model, encode: Callable[[own.Model, Sequence[str]], Any]
) -> Callable[[Sequence[str]], float]:
    """The seconds of a second run: the first may load compiled code."""

    def seconds(texts: Sequence[str]) -> float:
        encode(model, texts)
        began = time.perf_counter()
        encode(model, texts)
        return time.perf_counter() - began

    return seconds


def sheet(found: dict[str, Any]) -> Sheet:
    """A row per system."""
    there = [
        column
        for column in COLUMNS
        if any(column in figures for figures in found["systems"].values())
    ]
    rows = [
        [name, *(f"{figures[column]:.3f}" if column in figures else "" for column in there)]
        for name, figures in found["systems"].items()
    ]
    title = (
        f"{found['corpus']}: {found['documents']:,} training documents, {found['asked']:,} test "
        f"documents"
    )
    notes = [f"{name}: left out, {reason}." for name, reason in found["skipped"].items()]
    if found["short"]:
        notes = [f"{found['short']:,} subjects ask.", *notes]
    return Sheet(title, ["vectors", *(SHOWN.get(column, column) for column in there)], rows, notes)


def speed_sheet(found: dict[str, Any]) -> Sheet:
    """A row per system."""
    rows = [[name, figure(rate)] for name, rate in found["rates"].items()]
    notes = [f"{name}: left out, {reason}." for name, reason in found["skipped"].items()]
    return Sheet(
        f"Documents a second: {found['documents']} of {found['corpus']}",
        ["vectors", "documents/s"],
        rows,
        notes,
    )
