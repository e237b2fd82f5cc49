"""From settings to counts: what a corpus is, how it is counted, and the counts kept on disk for all
processes.
"""

from __future__ import annotations

import io
import logging
from collections import OrderedDict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow.files.atomic import write_file
from undertow.paper import files, texts

logger = logging.getLogger("undertow")

COUNT_VERSION = 1  # raise it when the same settings give other counts
HELD_AT_MOST = 3  # corpora in memory, per process


@dataclass(frozen=True)
class Corpus:
    """Which documents, and which of their words."""

    data: str  # "20newsgroups", "imdb", or a made-up one of `texts.MADE_UP`
    words: int | None  # the most frequent ones; None for all in at least two documents
    headers: str = "kept"  # "removed": headers, quotations and signatures are out (20 Newsgroups)
    ngrams: int = 1  # 1 to so many words make a term
    documents: int | None = None  # a slice of so many training documents; None for all

    @property
    def reviews(self) -> bool:
        """IMDB, or what stands in for it."""
        return texts.like_reviews(self.data)

    def in_words(self) -> str:
        """How documents became counts, for the page."""
        size = (
            "all words in at least two documents"
            if self.words is None
            else f"the {self.words:,} most frequent"
        )
        if self.reviews:
            terms = "words" if self.ngrams == 1 else f"n-grams of 1 to {self.ngrams} words"
            letters = "two or more letters" if self.ngrams == 1 else "letters"
            how = (
                f"IMDB: `<br />` replaced by a space, lower case, runs of {letters}, stop words "
                f"kept, no stemming; {terms}, {size} of train and unlabelled reviews together"
            )
        else:
            parts = {"kept": "kept", "removed": "taken out"}[self.headers]
            how = (
                f"20 Newsgroups (bydate): headers, quotations and signatures {parts}, lower case, "
                f"runs of two or more letters, scikit-learn's English stop words out, Snowball "
                f"stems, {size} of the training part"
            )
        return (
            how
            if self.documents is None
            else f"{how}; a slice of {self.documents:,} training documents"
        )


@dataclass(frozen=True)
class Counted:
    """Counts of a corpus: models learn from `learn`, whose first rows are the labelled training
    documents.
    """

    learn: sparse.csr_array
    test: sparse.csr_array
    train_labels: NDArray[np.str_]
    test_labels: NDArray[np.str_]

    @property
    def train(self) -> sparse.csr_array:
        """The labelled training documents."""
        return self.learn[: len(self.train_labels)]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """As plain arrays, for a file."""
        arrays: dict[str, NDArray[Any]] = {
            "train_labels": self.train_labels,
            "test_labels": self.test_labels,
        }
        for part, matrix in (("learn", self.learn), ("test", self.test)):
            for name in ("data", "indices", "indptr"):
                arrays[f"{part}_{name}"] = getattr(matrix, name)
            arrays[f"{part}_shape"] = np.array(matrix.shape)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Any) -> Counted:
        """From what `arrays` gave."""

        def matrix(part: str) -> sparse.csr_array:
            values = tuple(arrays[f"{part}_{name}"] for name in ("data", "indices", "indptr"))
            return sparse.csr_array(values, shape=tuple(arrays[f"{part}_shape"].tolist()))

        return cls(matrix("learn"), matrix("test"), arrays["train_labels"], arrays["test_labels"])


def count(corpus: Corpus, *, progress: bool = False) -> Counted:
    """Reads the texts and counts them; `progress` shows a download."""
    import polars as pl

    table = texts.documents(
        corpus.data, headers=corpus.headers, at_most=corpus.documents, progress=progress
    )
    train, test, unlabelled = (
        table.filter(pl.col("split") == split) for split in ("train", "test", "unsup")
    )
    vectorizer, learned_from = _vectorizer(corpus), pl.concat([train["text"], unlabelled["text"]])
    # and not fit_transform, which would hold the counts of all n-grams there are
    vectorizer.fit(learned_from)
    return Counted(
        learn=vectorizer.transform(learned_from),
        test=vectorizer.transform(test["text"]),
        train_labels=train["label"].to_numpy().astype(np.str_),
        test_labels=test["label"].to_numpy().astype(np.str_),
    )


class Corpora:
    """Counted corpora, from memory, from disk, or counted now and kept in both."""

    def __init__(self, folder: Path, *, progress: bool = False) -> None:
        self._folder, self._progress = folder, progress
        self._held: OrderedDict[Corpus, Counted] = OrderedDict()

    def prepare(self, corpus: Corpus) -> None:
        """Counts the corpus unless its file is there: done before processes start, so that no two
        count the same.
        """
        if not self._file(corpus).exists():
            self.counted(corpus)
            self._held.clear()  # the processes that use it are others

    def counted(self, corpus: Corpus) -> Counted:
        """The counts of a corpus."""
        if corpus not in self._held:
            self._held[corpus] = self._read(corpus) or self._count(corpus)
        self._held.move_to_end(corpus)
        while len(self._held) > HELD_AT_MOST:
            self._held.popitem(last=False)
        return self._held[corpus]

    def _count(self, corpus: Corpus) -> Counted:
        counted = count(corpus, progress=self._progress)
        content = io.BytesIO()
        # its flags have names of their own
        np.savez(content, **counted.arrays())  # type: ignore[arg-type]
        write_file(self._file(corpus), content.getvalue())
        return counted

    def _read(self, corpus: Corpus) -> Counted | None:
        """What is on disk; None where there is nothing, or nothing that can be read: it is counted
        anew then.
        """
        file = self._file(corpus)
        if not file.exists():
            return None
        try:
            with open(file, "rb") as handle, np.load(handle, allow_pickle=False) as arrays:
                return Counted.from_arrays(arrays)
        except (
            Exception
        ) as error:  # a damaged archive fails in many ways, and all of them mean the same here
            logger.warning(
                "%s cannot be read (%s) and is counted anew", file.name, type(error).__name__
            )
            return None

    def _file(self, corpus: Corpus) -> Path:
        return self._folder / f"{files.digest({**asdict(corpus), 'version': COUNT_VERSION})}.npz"


def _vectorizer(corpus: Corpus) -> Any:
    from undertow.corpus import Vectorizer

    common: dict[str, Any] = {
        "vocabulary_size": corpus.words,
        "min_df": 2 if corpus.words is None else 1,
    }
    if corpus.reviews:
        pattern = r"\p{L}{2,}" if corpus.ngrams == 1 else r"\p{L}+"
        return Vectorizer(**common, token_pattern=pattern, ngram_range=(1, corpus.ngrams))
    return Vectorizer(
        **common,
        token_pattern=r"\p{L}{2,}",
        ngram_range=(1, corpus.ngrams),
        stop_words="english",
        stemmer="english",
    )
