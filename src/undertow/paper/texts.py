"""The documents behind a corpus: the two data sets, slices of them, and made-up ones that tests run
on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

NEWSGROUPS, REVIEWS = "20newsgroups", "imdb"
MADE_UP = {NEWSGROUPS: "made-up posts", REVIEWS: "made-up reviews"}  # stands in for
TOPICS = 4
MADE_UP_DOCUMENTS = {"train": 160, "test": 80, "unsup": 160}
WORDS_OF_A_TOPIC, WORDS_OF_A_DOCUMENT = 30, 25


def documents(
    data: str, *, headers: str, at_most: int | None, progress: bool = False
) -> pl.DataFrame:
    """Columns split, label and text. `at_most` training documents (and half as many to test) are
    drawn from all.
    """
    table = _all_documents(data, headers, progress)
    return table if at_most is None else _slice(table, at_most)


def like_reviews(data: str) -> bool:
    """Reviews: two labels, unlabelled documents, stop words kept. Otherwise newsgroups."""
    return data in (REVIEWS, MADE_UP[REVIEWS])


def _all_documents(data: str, headers: str, progress: bool) -> pl.DataFrame:
    from undertow import datasets

    if data == NEWSGROUPS:
        kept = headers == "kept"
        return datasets.load_20newsgroups(
            headers=kept, quotes=kept, signatures=kept, progress=progress
        )
    if data == REVIEWS:
        import polars as pl

        table = datasets.load_imdb(progress=progress)
        return table.with_columns(pl.col("text").str.replace_all("<br />", " ", literal=True))
    return _made_up(unlabelled=like_reviews(data))


def _slice(table: pl.DataFrame, at_most: int) -> pl.DataFrame:
    """Some documents of each split, drawn at random (rows are sorted by label), in their order."""
    import polars as pl

    parts = []
    for split in ("train", "test", "unsup"):
        rows = table.filter(pl.col("split") == split)
        size = at_most // 2 if split == "test" else at_most
        drawn = np.random.default_rng(0).permutation(rows.height)[:size]
        parts.append(rows[np.sort(drawn)])
    return pl.concat(parts)


def _made_up(*, unlabelled: bool) -> pl.DataFrame:
    """Short posts about a few topics, whose words are made of letters that no stop word is made
    of.
    """
    import polars as pl

    generator = np.random.default_rng(0)
    labels = 2 if unlabelled else TOPICS
    rows = []
    for split, number in MADE_UP_DOCUMENTS.items():
        for index in range(number if unlabelled or split != "unsup" else 0):
            label = index % labels
            own = generator.integers(
                label * WORDS_OF_A_TOPIC, (label + 1) * WORDS_OF_A_TOPIC, WORDS_OF_A_DOCUMENT
            )
            any_ = generator.integers(0, TOPICS * WORDS_OF_A_TOPIC, WORDS_OF_A_DOCUMENT // 2)
            text = " ".join(_made_up_word(int(word)) for word in (*own, *any_))
            rows.append(
                {
                    "split": split,
                    "label": None if split == "unsup" else f"topic {label}",
                    "text": text,
                }
            )
    return pl.DataFrame(rows, schema={"split": pl.String, "label": pl.String, "text": pl.String})


def _made_up_word(number: int) -> str:
    """Four letters; none of these words is a stop word, and the stemmer leaves them alone."""
    letters = "bdgkmprz"
    return "q" + letters[number // 64 % 8] + letters[number // 8 % 8] + letters[number % 8]
