"""Counting the words of a few texts, such as questions, in Python: for these, setting up a chunk takes longer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import polars as pl
from scipy import sparse

from undertow.corpus._tokens import Analyzer, without_html

MOST = 20_000  # characters: more are counted as a chunk


class FewTexts:
    """Counts texts as `Vectorizer.transform` does; what does not depend on them is prepared once."""

    def __init__(self, analyzer: Analyzer, columns: Mapping[str, int]) -> None:
        self._analyzer, self._columns = analyzer, columns
        self._stop_words = frozenset(analyzer.stop_words)

    def counts(self, texts: Sequence[str]) -> sparse.csr_array:
        """Texts x words."""
        rows = [self._row(tokens) for tokens in self._tokens(texts)]
        starts = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        entries = np.array(list(chain.from_iterable(rows)), dtype=np.int32).reshape(-1, 2)
        parts = (entries[:, 1].copy(), entries[:, 0].copy(), starts)
        counted: sparse.csr_array = sparse.csr_array(parts, shape=(len(rows), len(self._columns)))
        return counted

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        """The matches of each text; by polars, whose idea of a letter is the one that the model was trained with."""
        options, column = self._analyzer, pl.Series("text", texts, dtype=pl.String)
        if options.strip_html:
            column = without_html(column)
        if options.lowercase:
            column = column.str.to_lowercase()
        found: list[list[str]] = column.str.extract_all(options.token_pattern).to_list()
        return found

    def _row(self, tokens: list[str]) -> list[tuple[int, int]]:
        """Column and count of each word that is known, columns in order."""
        options = self._analyzer
        if self._stop_words:
            tokens = [token for token in tokens if token not in self._stop_words]
        if options.stemmer is not None:
            import Stemmer

            tokens = Stemmer.Stemmer(options.stemmer, 0).stemWords(tokens)
        shortest, longest = options.ngram_range
        terms = chain.from_iterable(_ngrams(tokens, n) for n in range(shortest, longest + 1))
        columns = self._columns
        return sorted(Counter(columns[term] for term in terms if term in columns).items())


def _ngrams(tokens: list[str], n: int) -> list[str]:
    return tokens if n == 1 else [" ".join(tokens[first : first + n]) for first in range(len(tokens) - n + 1)]
