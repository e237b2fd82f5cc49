"""Counting the words of a few texts, such as questions, in Python: for these, setting up a chunk
takes longer.

Neither polars nor scikit-learn is loaded for it where `_plain_tokens` finds the tokens.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from undertow.corpus import _plain_tokens
from undertow.corpus.analyzer import Analyzer
from undertow.counts import CountBatch

if TYPE_CHECKING:
    from scipy import sparse

MOST = 20_000  # characters: more are counted as a chunk, by polars
# the same where polars is yet to be loaded, which takes as long as counting so many
MOST_WITHOUT = 1_000_000


class FewTexts:
    """Counts texts as `Vectorizer.transform` does; what does not depend on them is prepared
    once.
    """

    def __init__(self, analyzer: Analyzer, columns: Mapping[str, int]) -> None:
        self._analyzer, self._columns = analyzer, columns
        self._stop_words = frozenset(analyzer.stop_words)

    def counts(self, texts: Sequence[str]) -> sparse.csr_array:
        """Texts x words."""
        from scipy import sparse

        batch = self.batch(texts)
        parts = (batch.counts, batch.words, batch.starts.astype(np.int32))
        counted: sparse.csr_array = sparse.csr_array(parts, shape=(len(texts), len(self._columns)))
        return counted

    def batch(self, texts: Sequence[str]) -> CountBatch:
        """The same, without SciPy where that is not needed."""
        most = MOST if "polars" in sys.modules else MOST_WITHOUT
        if sum(map(len, texts)) > most:
            return CountBatch.from_csr(self._as_chunk(texts))
        rows = [self._row(tokens) for tokens in self._tokens(texts)]
        entries = np.array(list(chain.from_iterable(rows)), dtype=np.int32).reshape(-1, 2)
        return CountBatch(
            document_ids=np.arange(len(rows), dtype=np.int64),
            starts=np.cumsum([0, *map(len, rows)], dtype=np.int64),
            words=entries[:, 0].copy(),
            counts=entries[:, 1].copy(),
        )

    def _as_chunk(self, texts: Sequence[str]) -> sparse.csr_array:
        import polars as pl

        from undertow.corpus.count_matrices import summed

        parts = []
        for terms in self._analyzer.terms(pl.Series("text", texts, dtype=pl.String)):
            found = np.array(
                [self._columns.get(word, -1) for word in terms.types.to_list()], dtype=np.int32
            )
            parts.append(terms.known(found, len(self._columns)))
        return summed(parts)

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        """The matches of each text; polars' idea of a letter, with which the model was trained, is
        what counts.
        """
        options = self._analyzer
        # no tag, no entity
        if not options.strip_html or not any("<" in text or "&" in text for text in texts):
            if options.segmenter is not None:
                texts = [options.segmenter.spaced_text(text) for text in texts]
            plain = _plain_tokens.tokens(texts, options.token_pattern, lowercase=options.lowercase)
            if plain is not None:
                return plain
        import polars as pl

        column = pl.Series("text", texts, dtype=pl.String)
        if options.strip_html:
            column = options.prepared(column)
        if options.lowercase:
            column = column.str.to_lowercase()
        found: list[list[str]] = column.str.extract_all(options.token_pattern).to_list()
        return found

    def _row(self, tokens: list[str]) -> list[tuple[int, int]]:
        """Column and count of each word that is known, columns in order."""
        options = self._analyzer
        tokens = list(filter(options.is_token, tokens))
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
    return (
        tokens
        if n == 1
        else [" ".join(tokens[first : first + n]) for first in range(len(tokens) - n + 1)]
    )
