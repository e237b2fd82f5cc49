"""From a chunk of texts to the terms in it: tokens or n-grams as numbers, with the distinct strings
beside them.

Cleaning, lower-casing and matching run in polars over the whole chunk; so does the numbering of
tokens by distinct string (a type). What follows, stop words, stems and n-grams, looks at each type
once and moves numbers otherwise.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow import _lazy
from undertow._forks import check_not_forked
from undertow.corpus.segmentation import Segmenter
from undertow.corpus.token_matches import listed, matched, numbered, starts_of

if TYPE_CHECKING:
    import polars as pl
    from scipy import sparse
else:  # questions are read without them
    pl, sparse = _lazy.module("polars"), _lazy.module("scipy.sparse")

WORDS = r"[\p{L}\p{N}_][\p{L}\p{M}\p{N}_\x{200C}\x{200D}]+"
"""At least two of: letters with marks (and joiners in Hindi or Persian), digits, _."""

LONGEST_TOKEN = 200
"""Letters of a token of a text: longer ones are no words (encoded files, sequences, missing spaces)
and are left out, as stop words are.
"""

TAGS = r"(?is)<script\b.*?</script\s*>|<style\b.*?</style\s*>|<!--.*?-->|<[a-z/!?][^<>]*>"
ENTITY = r"&(?:#\d+|#[xX][0-9a-fA-F]+|\w+);"


@dataclass(frozen=True)
class Terms:
    """The terms of a chunk of documents, in their order: `codes[starts[d] : starts[d + 1]]` are
    document d's.
    """

    types: pl.Series  # (T,) distinct strings
    starts: NDArray[np.int64]  # (B + 1,)
    codes: NDArray[np.int32]  # (N,) numbers of types

    def counts(self) -> sparse.csr_array:
        """Documents x types."""
        return counted(self.starts, self.codes, len(self.types))

    def known(self, columns: NDArray[np.int32], size: int) -> sparse.csr_array:
        """Documents x words, where type t is the word `columns[t]` of `size`, or none if that is
        negative.
        """
        codes = columns[self.codes]
        return counted(starts_of(codes >= 0)[self.starts], codes[codes >= 0], size)

    def known_terms(self, columns: NDArray[np.int32]) -> NDArray[np.int64]:
        """(B,) How many terms of each document have a column."""
        known: NDArray[np.int64] = np.diff(starts_of(columns[self.codes] >= 0)[self.starts])
        return known


@dataclass(frozen=True)
class Analyzer:
    """How text becomes terms; the options are those of `Vectorizer`, checked."""

    token_pattern: str
    lowercase: bool
    strip_html: bool
    stop_words: tuple[str, ...]
    stemmer: str | None
    ngram_range: tuple[int, int]
    segmenter: Segmenter | None = None
    longest_token: int | None = LONGEST_TOKEN

    def is_token(self, found: str) -> bool:
        """Whether a match is short enough."""
        return self.longest_token is None or len(found) <= self.longest_token

    def prepared(self, texts: pl.Series) -> pl.Series:
        """Without tags, and with spaces between words, where that is asked for."""
        if self.strip_html:
            texts = without_html(texts)
        return texts if self.segmenter is None else self.segmenter.spaced(texts)

    def terms(self, texts: pl.Series) -> Iterator[Terms]:
        """The terms of a chunk: first the tokens, then the pairs and so on, as far as `ngram_range`
        asks for them. Of lists of tokens, each counts as it is.
        """
        check_not_forked()
        if isinstance(texts.dtype, pl.List):
            tokens = Terms(*listed(texts))
        else:
            prepared = self.prepared(texts)
            tokens = Terms(*matched(prepared, self.token_pattern, lowercase=self.lowercase))
            if self.longest_token is not None:
                tokens = _of_length(tokens, self.longest_token)
        if self.stop_words:
            tokens = _without(tokens, self.stop_words)
        for _, terms in self.by_length(tokens):
            yield terms

    def by_length(self, tokens: Terms) -> Iterator[tuple[int, Terms]]:
        """n, and the n-grams of these tokens, stemmed, in the order of the tokens that they begin
        with.
        """
        stems = tokens if self.stemmer is None else _stemmed(tokens, self.stemmer)
        shortest, longest = self.ngram_range
        if shortest == 1:
            yield 1, stems
        if longest > 1:
            yield from ((n, terms) for n, terms in _ngrams(stems, longest) if n >= shortest)


def counted(starts: NDArray[np.int64], codes: NDArray[np.int32], size: int) -> sparse.csr_array:
    """Counts of the codes of each row, columns in order.

    Transposing twice orders the columns in time linear in the entries, twice as fast as sorting the
    rows.
    """
    index = np.int32 if len(codes) < 2**31 else np.int64
    ones = np.ones(len(codes), dtype=np.int32)
    rows = sparse.csr_array(
        (ones, codes.astype(index, copy=False), starts.astype(index)), shape=(len(starts) - 1, size)
    )
    ordered: sparse.csr_array = rows.tocsc().tocsr()
    ordered.sum_duplicates()
    return ordered


def without_html(texts: pl.Series) -> pl.Series:
    """Tags, comments, scripts and styles become a space; entities such as &eacute; become their
    characters.
    """
    texts = texts.str.replace_all(TAGS, " ")
    rows = texts.str.contains(ENTITY).arg_true()
    if len(rows):
        texts = texts.scatter(rows, [html.unescape(text) for text in texts.gather(rows)])
    return texts


def _of_length(tokens: Terms, longest: int) -> Terms:
    """The tokens that are no longer than this."""
    kept = (tokens.types.str.len_chars() <= longest).to_numpy()
    return tokens if kept.all() else _kept(tokens, kept)


def _without(tokens: Terms, words: tuple[str, ...]) -> Terms:
    """The tokens that are none of the words."""
    kept = ~tokens.types.is_in(pl.Series(words, dtype=pl.String).implode()).to_numpy()
    return _kept(tokens, kept)


def _kept(tokens: Terms, kept: NDArray[np.bool_]) -> Terms:
    """The tokens of some types; the other types stay, uncounted."""
    mask = kept[tokens.codes]
    return Terms(tokens.types, starts_of(mask)[tokens.starts], tokens.codes[mask])


def _stemmed(tokens: Terms, language: str) -> Terms:
    import Stemmer

    # 0: no cache, each type comes once
    stems = Stemmer.Stemmer(language, 0).stemWords(tokens.types.to_list())
    types, codes = numbered(pl.Series("word", stems, dtype=pl.String))
    return Terms(types, tokens.starts, codes[tokens.codes])


def _ngrams(tokens: Terms, longest: int) -> Iterator[tuple[int, Terms]]:
    """n and the n-grams, for n from 2 to `longest`; they never cross from one document into the
    next.

    An n-gram is numbered by the pair (n-gram without its last token, last token), so no string is
    built but one a type.
    """
    types, codes = tokens.types, tokens.codes
    documents = np.repeat(np.arange(len(tokens.starts) - 1), np.diff(tokens.starts))
    first = np.arange(len(codes))  # where each (n - 1)-gram begins
    for n in range(2, longest + 1):
        inside = first + n - 1 < len(documents)
        inside[inside] = documents[first[inside]] == documents[first[inside] + n - 1]
        first, codes = first[inside], codes[inside]
        keys = pl.Series(
            codes.astype(np.int64) * max(len(tokens.types), 1) + tokens.codes[first + n - 1]
        )
        distinct = keys.unique().sort()
        beginning, last = (
            distinct // max(len(tokens.types), 1),
            distinct % max(len(tokens.types), 1),
        )
        types = types.gather(beginning) + " " + tokens.types.gather(last)
        codes = keys.rank("dense").to_numpy().astype(np.int32) - 1
        yield (
            n,
            Terms(
                types,
                starts_of(np.bincount(documents[first], minlength=len(tokens.starts) - 1)),
                codes,
            ),
        )
