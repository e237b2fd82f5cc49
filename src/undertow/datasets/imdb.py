"""The Large Movie Review Dataset v1.0: 50,000 labelled and 50,000 unlabelled film reviews.

Maas et al., "Learning Word Vectors for Sentiment Analysis", ACL 2011, which its authors ask to
cite. Reviews remain their authors', for research use.
"""

from __future__ import annotations

import re

import polars as pl

from undertow.datasets._official import Official, Place
from undertow.datasets._source import Folder, load


def _place(match: re.Match[str]) -> Place:
    folder, kind, number, rating = match.groups()
    labelled = kind != "unsup"
    return Place(
        id=f"{folder}/{kind}/{number}_{rating}",
        split=folder if labelled else "unsup",
        label=kind if labelled else None,
        number=int(number),
    )


OFFICIAL = Official(
    name="imdb",
    url="https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
    encoding="utf-8",
    # the archive also holds word counts and addresses (labeledBow.feat, urls_pos.txt, ...), which
    # are no reviews
    member=re.compile(
        r"(?:\./)?aclImdb/(train|test)/(neg|pos|(?<=train/)unsup)/([0-9]{1,6})_([0-9]{1,2})\.txt"
    ),
    place=_place,
    counts={
        ("train", "neg"): 12_500,
        ("train", "pos"): 12_500,
        ("test", "neg"): 12_500,
        ("test", "pos"): 12_500,
        ("unsup", None): 50_000,
    },
    # content_digest of the copy whose sizes agree, to the byte, with those published by others
    digest="225ca762e73a6d1da94b4e3f71972bc90dba8deae15540eb76b22c5df7fef83d",
    largest_archive=256 << 20,  # it has about 84 MB
    largest_unpacked=1 << 30,
    largest_document=1 << 20,  # the longest review has 14 kB
)


def load_imdb(
    *, split: str | None = None, cache: Folder | None = None, progress: bool = True
) -> pl.DataFrame:
    """The IMDB film reviews, with the official split.

    Texts are raw: `<br />` tags are still in them. The reviews are read from `imdb.parquet` in the
    folder that the environment variable `UNDERTOW_DATA` names; else from the cache; else the
    official archive is downloaded, checked and kept in the cache.

    Parameters
    ----------
    split : {"train", "test", "unsup"} or None
        25,000 reviews for training, 25,000 for testing, 50,000 without labels, or all.
    cache : path or None
        Folder for the download. None: the one that `UNDERTOW_CACHE` names, else
        `~/.cache/undertow`.
    progress : bool
        Whether a download shows a bar on standard error.

    Returns
    -------
    polars.DataFrame
        The string columns id, split, label ("pos", "neg" or null) and text, sorted by split, label
        and number.

    Raises
    ------
    InvalidInput
        For a split that there is not, or an archive that is not the official one.

    Examples
    --------
    >>> from undertow.datasets import load_imdb
    >>> reviews = load_imdb(split="unsup")  # doctest: +SKIP
    >>> reviews.height  # doctest: +SKIP
    50000
    """
    return load(OFFICIAL, split=split, cache=cache, progress=progress)
