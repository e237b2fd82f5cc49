"""Texts a second from strings to vectors, end to end: short texts, and whole film reviews."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.effort import Effort
from benchmarks.inference import turn_by_turn
from benchmarks.progress import Say, Skipped
from benchmarks.tables import Sheet, columns_of
from undertow.estimators import TopicModel

WORDS = 20_000
PIECE = (10, 20)  # words of a short text, at least and at most
FITTED_ON = 5_000  # reviews: speed does not depend on what was learned


def measure(effort: Effort, say: Say, reviews: list[str] | None = None) -> dict[str, Any]:
    """Rates of `TopicModel.transform`, and the seconds of scikit-learn's counting alone, for the
    ratio.
    """
    reviews = read_reviews(effort) if reviews is None else reviews
    say(f"fitting a topic model on {min(len(reviews), FITTED_ON):,} reviews for an epoch")
    model = fitted(reviews[:FITTED_ON], effort.topics)
    short = list(pieces(reviews, effort.short_texts))
    whole = reviews[: effort.reviews]
    words = model.vectorizer_.get_feature_names_out()
    theirs = CountVectorizer(vocabulary=words, token_pattern=r"(?u)\b\w\w+\b", stop_words="english")
    sizes = {"short texts": short, "reviews": whole}
    found: dict[str, Any] = {"texts_per_second": {}, "words_a_text": {}, "over_counting": {}}
    for name, texts in sizes.items():
        say(f"{len(texts):,} {name} to vectors")
        some = texts[: len(texts) // 10 + 1]
        seconds = turn_by_turn({"ours": partial(model.transform, texts)}, min(effort.rounds, 5))[
            "ours"
        ]
        counting = turn_by_turn({"theirs": partial(theirs.transform, some)}, 2)["theirs"]
        rate = len(texts) / seconds
        found["texts_per_second"][name] = rate
        found["words_a_text"][name] = float(np.mean([text.count(" ") + 1 for text in some]))
        found["over_counting"][name] = rate / (len(some) / counting)
    return found


def fitted(reviews: list[str], topics: int) -> TopicModel:
    """A model as a user would have it, but trained for one epoch only."""
    return TopicModel(
        topics, vocabulary_size=WORDS, stop_words="english", max_epochs=1, random_state=0
    ).fit(reviews)


def read_reviews(effort: Effort) -> list[str]:
    """IMDB's reviews, or an explanation why not."""
    file = Path(os.environ.get("UNDERTOW_DATA", "")) / "imdb.parquet"
    if not os.environ.get("UNDERTOW_DATA") or not file.is_file():
        raise Skipped(
            "set UNDERTOW_DATA to the folder of imdb.parquet to measure the encoding of texts"
        )
    needed = max(
        effort.reviews, FITTED_ON, effort.short_texts // 10
    )  # a review gives more than 10 pieces
    return (
        pl.read_parquet(file, columns=["text"])["text"]
        .head(needed)
        .str.replace_all("<br />", " ")
        .to_list()
    )


def pieces(reviews: list[str], number: int) -> Iterator[str]:
    """Runs of 10 to 20 words cut out of reviews, like sentences and titles; at most `number`."""
    lengths = np.random.default_rng(0).integers(PIECE[0], PIECE[1] + 1, size=number).tolist()
    for review in reviews:
        words = review.split()
        while lengths and len(words) >= lengths[-1]:
            size = lengths.pop()
            yield " ".join(words[:size])
            del words[:size]


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """Two rows."""
    columns = {
        "texts/s": found["texts_per_second"],
        "words a text": found["words_a_text"],
        "times as fast as CountVectorizer's counting alone": found["over_counting"],
    }
    return [columns_of("From texts to vectors, end to end", "texts", columns)]
