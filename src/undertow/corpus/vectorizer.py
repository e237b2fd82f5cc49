"""The vectorizer: texts to sparse word counts, as a scikit-learn transformer that counts inside
polars.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from undertow import _check
from undertow._errors import InvalidInput
from undertow.corpus import scripts, segmentation, stop_words, vectorizer_options
from undertow.corpus._vocabulary import TypeCounts, choose, columns_of, numbered_words
from undertow.corpus._work_ahead import ahead, threads
from undertow.corpus.analyzer import WORDS, Analyzer
from undertow.corpus.chunk_store import ChunkStore, Recall
from undertow.corpus.count_matrices import PackedCounts, stacked, summed
from undertow.corpus.few_texts import FewTexts
from undertow.corpus.texts import text_chunks
from undertow.counts import WordTotals

ANY_WORDS = r"[\p{L}\p{N}_][\p{L}\p{M}\p{N}_\x{200C}\x{200D}]*"  # also those of one letter

UNKNOWN_SHOWN = 10

logger = logging.getLogger("undertow")


@dataclass(frozen=True)
class ChunkCounts:
    """The counts of a chunk of documents, and how many terms each held, known or not.

    Examples
    --------
    >>> chunk = next(vectorizer.count_chunks(["rocket rocket zebra"]))
    >>> chunk.terms, chunk.unknown
    (array([3]), array([1]))
    """

    counts: sparse.csr_array  # (B, K)
    terms: NDArray[np.int64]  # (B,)

    @property
    def unknown(self) -> NDArray[np.int64]:
        """(B,) How many terms of each document the vocabulary does not have."""
        known: NDArray[np.int64] = (
            self.terms - np.asarray(self.counts.sum(axis=1, dtype=np.int64)).ravel()
        )
        return known


@dataclass(frozen=True)
class Coverage:
    """What a vocabulary knows of a corpus. Stop words are not counted: they are left out before.

    Examples
    --------
    >>> found = vectorizer.coverage(["a rocket", "a zebra"])
    >>> found.unknown_words, found.unknown_share
    ((('zebra', 1),), 0.5)
    """

    documents: int
    empty_documents: int  # without any term that is known
    tokens: int  # terms: tokens, or n-grams where these are counted
    unknown_tokens: int
    unknown_words: tuple[tuple[str, int], ...]  # the most frequent unknown ones, with their counts

    @property
    def unknown_share(self) -> float:
        """The share of unknown terms among all; 0 where there are none."""
        return self.unknown_tokens / max(self.tokens, 1)


class Vectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Counts the words of texts, in chunks, so that a corpus may be larger than memory.

    Texts are a `Corpus`, a column or a table of polars or pandas, an array, a list or any iterable
    of strings. What is no text, such as market baskets, codes or events, comes as lists of tokens:
    these are counted as they are, neither split nor lower-cased (stop words, stems and n-grams are
    made of them where they are asked for).

    Chinese, Japanese and Thai have no spaces between words. Where the first thousand documents hold
    such text, it is segmented, and a remark in the log says by what; docs/languages.md has more.

    Examples
    --------
    >>> import undertow
    >>> vectorizer = undertow.Vectorizer(stop_words="english")
    >>> vectorizer.fit_transform(["The moon, the moon!", "a cake of pears"]).toarray()
    array([[2, 0, 0],
           [0, 1, 1]], dtype=int32)
    >>> vectorizer.vocabulary_
    {'moon': 0, 'cake': 1, 'pears': 2}

    Parameters
    ----------
    vocabulary_size : int or None
        Number of words kept, the most frequent ones (ties alphabetically); None for all.
    ngram_range : (int, int)
        Shortest and longest n-grams; words are joined by a space, and none crosses into another
        document.
    stop_words : str, iterable of str, or None
        Words left out, before stemming and before n-grams are made: a list, or a language such as
        "english" (scikit-learn's list) or "german" (stopwordsiso's); docs/languages.md lists them.
    stemmer : str or None
        A language of PyStemmer such as "english"; it is applied to each distinct word once. Where
        it differs from that of `stop_words`, a warning says so.
    segmenter : str, iterable of str, or None
        What finds words in scripts without spaces: "chinese" (rjieba), "japanese" (fugashi) or
        "thai" (PyThaiNLP), each an extra of that name, "pairs" (of neighbouring letters, no extra),
        or several of them; None for nothing. "auto" looks which of them the texts need, and takes
        "pairs" where an extra is missing.
    min_df, max_df : int or float
        Words in fewer or more documents are left out; whole numbers count documents, floats are
        shares.
    token_pattern : str
        What a token is, in the syntax of Rust's regex; a whole match is a token. CountVectorizer's
        default tokens are those of `[\p{L}\p{N}_]{2,}`.
    lowercase : bool
        Lower-case texts first.
    strip_html : bool
        Tags, comments, scripts and styles become spaces, and entities their characters.
    chunk_size : int
        Documents at a time; less where they are long (3 MiB of text).
    vocabulary : iterable of str, mapping of str to int, or None
        A fixed vocabulary, as words in the order of their columns or word -> column.
    max_types : int
        Distinct terms held while counting (about 100 bytes each). Beyond, the rarest are dropped:
        those seen once, then twice and so on, until half of `max_types` are left; `pruned_` says
        so.
    n_jobs : int or None
        Threads; None for one per core, 8 at most. It never changes the result.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Word -> column. Columns fall in frequency; words that `partial_fit` adds come after all
        others.
    type_counts_ : polars.DataFrame
        All types seen (word, count, documents), which `partial_fit` goes on from.
    n_documents_ : int
        Documents seen.
    segmenter_ : tuple of str
        Names of the segmenters in use, as told or as found; the first texts decide, later ones are
        read alike.
    pruned_ : int
        0 if all counts were exact. Otherwise a type may have been lost if it occurs at most
        `pruned_` times, and the counts that the vocabulary was chosen by are too low by at most as
        much. Counts of `transform` are exact.
    """

    def __init__(
        self,
        vocabulary_size: int | None = 50_000,
        *,
        ngram_range: tuple[int, int] = (1, 1),
        stop_words: str | Iterable[str] | None = None,
        stemmer: str | None = None,
        segmenter: str | Iterable[str] | None = "auto",
        min_df: float = 1,
        max_df: float = 1.0,
        token_pattern: str = WORDS,
        lowercase: bool = True,
        strip_html: bool = False,
        chunk_size: int = 5000,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        max_types: int = 10_000_000,
        n_jobs: int | None = None,
    ) -> None:
        self.vocabulary_size = vocabulary_size
        self.ngram_range = ngram_range
        self.stop_words = stop_words
        self.stemmer = stemmer
        self.segmenter = segmenter
        self.min_df = min_df
        self.max_df = max_df
        self.token_pattern = token_pattern
        self.lowercase = lowercase
        self.strip_html = strip_html
        self.chunk_size = chunk_size
        self.vocabulary = vocabulary
        self.max_types = max_types
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Chooses the vocabulary.

        Parameters
        ----------
        X : texts, table or Corpus
            Read once and never held. With a fixed vocabulary, it is not read.
        y : None
            Ignored.

        Returns
        -------
        self
            The vectorizer.

        Raises
        ------
        InvalidInput
            Where no word is left.

        Examples
        --------
        >>> vectorizer.fit(["ripe apples", "sweet apples"]).vocabulary_
        {'apples': 0, 'ripe': 1, 'sweet': 2}
        """
        self._forget()
        if self.vocabulary is None:
            self._count(X)
            self._require_words()
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Adds documents: their words join the counts, and those that now belong to the vocabulary
        are appended.

        Old columns keep their numbers, and no word leaves. Once `vocabulary_size` is reached no
        more are added, unless it is raised by `set_params`. A fixed vocabulary stays as it is.

        Parameters
        ----------
        X : texts, table or Corpus
            Further documents.
        y : None
            Ignored.

        Returns
        -------
        self
            The vectorizer.

        Examples
        --------
        >>> vectorizer.partial_fit(["a comet and the moon"]).vocabulary_["comet"]
        3
        """
        if not hasattr(self, "vocabulary_"):
            self._forget()
        if self.vocabulary is None:
            self._count(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> sparse.csr_array:
        """`fit`, then `transform`, reading the texts once; the counts of all words are held until
        the vocabulary is chosen.

        Parameters
        ----------
        X : texts, table or Corpus
            The texts.
        y : None
            Ignored.

        Returns
        -------
        sparse array (documents, words)
            Counts.

        Examples
        --------
        >>> vectorizer.fit_transform(["ripe apples", "sweet apples"]).shape
        (2, 3)
        """
        chunks = self.fit_chunks(X)
        return stacked(chunks, len(self.vocabulary_))

    def fit_chunks(
        self,
        X: Any,
        *,
        kept: ChunkStore | None = None,
        watch: Callable[[int], object] | None = None,
    ) -> Generator[sparse.csr_array]:
        """`fit`, and then the counts of the same texts in chunks; they are read once.

        Parameters
        ----------
        X : texts, table or Corpus
            The texts.
        kept : ChunkStore or None
            Where the counts of all words wait until the vocabulary is chosen; it may have a place
            on disk.
        watch : callable or None
            Told how many documents each chunk has that was read.

        Returns
        -------
        generator of sparse arrays (documents, words)
            Counts.

        Examples
        --------
        >>> [counts.shape for counts in vectorizer.fit_chunks(["ripe apples", "sweet apples"])]
        [(2, 3)]
        """
        self._forget()
        if self.vocabulary is not None:
            return self._fixed_chunks(X, watch)
        return self._grown_chunks(X, kept, watch)

    def partial_fit_chunks(self, X: Any) -> Generator[sparse.csr_array]:
        """`partial_fit`, and then the counts of the same texts in chunks; X is read once.

        Returns
        -------
        generator of scipy.sparse.csr_array
            Documents x words, of the words that are known in the end.

        Examples
        --------
        >>> from undertow import Vectorizer
        >>> vectorizer = Vectorizer().fit(["red apple"])
        >>> [counts.toarray().tolist() for counts in vectorizer.partial_fit_chunks(["green apple"])]
        [[[1, 0, 1]]]
        """
        if not hasattr(self, "vocabulary_"):
            self._forget()
        if self.vocabulary is not None:
            return self._fixed_chunks(X, None)
        return self._grown_chunks(X, None, None)

    def _grown_chunks(
        self, X: Any, kept: ChunkStore | None, watch: Callable[[int], object] | None
    ) -> Generator[sparse.csr_array]:
        """Takes the words of X into the vocabulary, then counts them."""
        kept = ChunkStore() if kept is None else kept
        self._count(X, kept, watch)
        self._require_words()
        words = numbered_words(self.vocabulary_)

        def select(recall: Recall) -> sparse.csr_array:
            return summed([part.selected(words) for part in recall()])

        return ahead(select, kept.recalls(), threads(self.n_jobs))

    def _fixed_chunks(
        self, X: Any, watch: Callable[[int], object] | None
    ) -> Generator[sparse.csr_array]:
        for chunk in self._counted(self._seen(text_chunks(X, self._rows()))):
            if watch is not None:
                watch(len(chunk.terms))
            yield chunk.counts

    def remember(self, words: Iterable[str]) -> Self:
        """Takes these words as learned, in this order: a model that was saved goes on with
        `partial_fit` from them.

        Parameters
        ----------
        words : iterable of str
            The vocabulary.

        Returns
        -------
        self
            The vectorizer.

        Examples
        --------
        >>> undertow.Vectorizer().remember(["moon", "tide"]).transform(["tide"]).toarray()
        array([[0, 1]], dtype=int32)
        """
        self._forget()
        self.vocabulary_ = vectorizer_options.fixed_vocabulary(list(words))
        self.segmenter_ = self._segmenters()
        return self

    def transform(self, X: Any) -> sparse.csr_array:
        """Counts the words of texts; unknown words are left out.

        Parameters
        ----------
        X : texts, table or Corpus
            Any texts.

        Returns
        -------
        sparse array (documents, words)
            Counts (CSR, int32), columns in order.

        Examples
        --------
        >>> vectorizer.transform(["a moon cake for a zebra"]).toarray()
        array([[1, 1, 0]], dtype=int32)
        """
        return stacked((chunk.counts for chunk in self.count_chunks(X)), len(self._columns()))

    def count_chunks(self, X: Any) -> Iterator[ChunkCounts]:
        """As `transform`, a chunk of documents at a time: memory does not grow with their number.

        Parameters
        ----------
        X : texts, table or Corpus
            Any texts.

        Returns
        -------
        iterator of ChunkCounts
            Counts, and how many terms there were.

        Examples
        --------
        >>> [chunk.counts.shape for chunk in vectorizer.count_chunks(["moon", "tide"])]
        [(2, 3)]
        """
        return self._counted(text_chunks(X, self._rows()))

    def _counted(self, chunks: Iterator[pl.Series]) -> Iterator[ChunkCounts]:
        analyzer, words = self._analyzer(), numbered_words(self._columns())

        def count(texts: pl.Series) -> ChunkCounts:
            parts, lengths = [], np.zeros(len(texts), dtype=np.int64)
            for terms in analyzer.terms(texts):
                lengths += np.diff(terms.starts)
                parts.append(terms.known(columns_of(terms.types, words), words.height))
            return ChunkCounts(summed(parts), lengths)

        return ahead(count, chunks, threads(self.n_jobs))

    def counter(self) -> FewTexts:
        """What counts a few texts at a time, such as questions: what does not depend on them is
        prepared once.

        Returns
        -------
        FewTexts
            It has the words as they are now.

        Examples
        --------
        >>> vectorizer.counter().counts(["the moon"]).toarray()
        array([[1, 0, 0]], dtype=int32)
        """
        return FewTexts(self._analyzer(), self._columns())

    def spaced(self, texts: list[str] | pl.Series) -> pl.Series:
        """The words of each text, joined by spaces, for an index of full text; without a segmenter,
        the texts.

        Words are in small letters, as they are written: none is left out, and none is stemmed.

        Parameters
        ----------
        texts : list of str or polars.Series
            Any texts.

        Returns
        -------
        polars.Series
            Strings.

        Examples
        --------
        >>> chinese = undertow.Vectorizer(segmenter="pairs").fit(["图书馆"])
        >>> chinese.spaced(["图书馆"]).to_list()
        ['图书 书馆']
        """
        column = pl.Series("text", texts, dtype=pl.String)
        analyzer = self._analyzer()
        if analyzer.segmenter is None:
            return column
        return (
            analyzer.prepared(column).str.to_lowercase().str.extract_all(ANY_WORDS).list.join(" ")
        )

    def settings(self) -> dict[str, Any]:
        """The parameters that decide what is counted, without the vocabulary, and with the
        segmenters that were decided on.

        Returns
        -------
        dict
            Plain data to store.

        Examples
        --------
        >>> vectorizer.settings()["stop_words"]
        'english'
        """
        options = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in ("vocabulary", "n_jobs")
        }
        options["segmenter"] = list(self._segmenters()) or None
        return {**options, "tokens": True} if self._of_tokens else options

    @property
    def counts_words_of_texts(self) -> bool:
        """Whether single words of texts are counted, so that neighbours may make a phrase."""
        return self.ngram_range[1] == 1 and not self._of_tokens

    @property
    def _of_tokens(self) -> bool:
        return getattr(self, "tokens_", False)

    def coverage(self, X: Any) -> Coverage:
        """How much of these texts the vocabulary knows, and which words it misses most.

        Parameters
        ----------
        X : texts, table or Corpus
            Any texts.

        Returns
        -------
        Coverage
            Documents, tokens, and what is unknown.

        Examples
        --------
        >>> vectorizer.coverage(["a moon cake", "a zebra"]).unknown_words
        (('zebra', 1),)
        """
        analyzer, words = self._analyzer(), numbered_words(self._columns())
        unknown = TypeCounts(_check.whole_number("max_types", self.max_types, at_least=1))
        documents = empty = tokens = missed = 0
        for texts in text_chunks(X, self._rows()):
            known = np.zeros(len(texts), dtype=np.int64)
            for terms in analyzer.terms(texts):
                columns = columns_of(terms.types, words)
                counts = np.bincount(terms.codes, minlength=len(columns)) * (columns < 0)
                unknown.add(terms.types, counts, counts)
                known += terms.known_terms(columns)
                tokens, missed = tokens + len(terms.codes), missed + int(counts.sum())
            documents, empty = documents + len(texts), empty + int((known == 0).sum())
        most = unknown.frame().sort("count", "word", descending=[True, False]).head(UNKNOWN_SHOWN)
        return Coverage(
            documents, empty, tokens, missed, tuple(most.select("word", "count").iter_rows())
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The words in the order of their columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        array of str
            Words.

        Examples
        --------
        >>> list(vectorizer.get_feature_names_out())
        ['moon', 'cake', 'pears']
        """
        return np.array(list(self._columns()), dtype=object)

    def _forget(self) -> None:
        """Begins anew, with the options checked before anything is read."""
        for decided in ("segmenter_", "tokens_"):
            self.__dict__.pop(decided, None)
        self._analyzer(), self._rows(), threads(self.n_jobs)
        vectorizer_options.vocabulary_size(self.vocabulary_size)
        vectorizer_options.check_limits(self.min_df, self.max_df)
        self.vocabulary_ = (
            {} if self.vocabulary is None else vectorizer_options.fixed_vocabulary(self.vocabulary)
        )
        if self.vocabulary is not None or self.segmenter != "auto":
            self.segmenter_ = self._segmenters()
        self.type_counts_ = TypeCounts(1).frame()
        self.n_documents_ = 0
        self.pruned_ = 0

    def _count(
        self, X: Any, kept: ChunkStore | None = None, watch: Callable[[int], object] | None = None
    ) -> None:
        """Counts types on top of those seen before, and extends the vocabulary; `kept` collects
        counts by chunk.
        """
        chunks = self._decided_by(text_chunks(X, self._rows()))
        analyzer = self._analyzer()
        if not self.n_documents_ and stop_words.do_not_fit(self.stop_words, self.stemmer):
            logger.warning(
                "stop words are %s, but words are stemmed as %s", self.stop_words, self.stemmer
            )
        max_types = _check.whole_number("max_types", self.max_types, at_least=1)
        seen = TypeCounts(max_types, self.type_counts_, self.pruned_)
        documents = self.n_documents_

        def count(texts: pl.Series) -> list[tuple[PackedCounts, WordTotals]]:
            found = [(terms.types, terms.counts()) for terms in analyzer.terms(texts)]
            return [
                (PackedCounts.of(types, counts), WordTotals.of(counts)) for types, counts in found
            ]

        for parts in ahead(count, chunks, threads(self.n_jobs)):
            documents += parts[0][0].documents
            for packed, totals in parts:
                seen.add(packed.types, totals.tokens, totals.document_frequencies)
            if kept is not None:
                kept.add([packed for packed, _ in parts])
            if watch is not None:
                watch(parts[0][0].documents)
        self.type_counts_, self.n_documents_, self.pruned_ = seen.frame(), documents, seen.pruned
        least, most = vectorizer_options.document_limits(self.min_df, self.max_df, documents)
        size = vectorizer_options.vocabulary_size(self.vocabulary_size)
        room = None if size is None else max(size - len(self.vocabulary_), 0)
        new = choose(self.type_counts_, limit=room, least=least, most=most, known=self.vocabulary_)
        self.vocabulary_ = self.vocabulary_ | {
            word: len(self.vocabulary_) + i for i, word in enumerate(new)
        }

    def _require_words(self) -> None:
        if self.vocabulary_:
            return
        if not self.type_counts_.height:
            raise InvalidInput(
                f"texts must hold a token, got none in {self.n_documents_:,} documents"
            )
        raise InvalidInput(
            f"min_df and max_df must leave a word, got {self.min_df!r} and {self.max_df!r}, which "
            f"leave none "
            f"of {self.type_counts_.height:,}"
        )

    def _columns(self) -> dict[str, int]:
        """Word -> column, of what was learned or of a fixed vocabulary, which needs no fitting."""
        if self.vocabulary is not None and not hasattr(self, "vocabulary_"):
            return vectorizer_options.fixed_vocabulary(self.vocabulary)
        check_is_fitted(self, "vocabulary_")
        return self.vocabulary_

    def _analyzer(self) -> Analyzer:
        decided = {"segmenter": self._segmenters() or None, "tokens": self._of_tokens}
        return vectorizer_options.analyzer({**self.get_params(deep=False), **decided})

    def _segmenters(self) -> tuple[str, ...]:
        """Those decided on, or told; those that a fixed vocabulary is in need of, before any text
        is seen.
        """
        if self._of_tokens:
            return ()
        if hasattr(self, "segmenter_"):
            return self.segmenter_
        told = vectorizer_options.segmenters(self.segmenter)
        if (
            told is not None
            or self.vocabulary is None
            or not vectorizer_options.takes_runs(self.token_pattern)
        ):
            return told or ()
        words = pl.Series(
            list(vectorizer_options.fixed_vocabulary(self.vocabulary)), dtype=pl.String
        )
        return segmentation.decided(scripts.look_at_first([words])[0].languages())[0]

    def _decided_by(self, chunks: Iterator[pl.Series]) -> Iterator[pl.Series]:
        """The chunks; where it is open what segments them, the first of them decide that."""
        chunks = self._seen(chunks)
        if self._of_tokens:
            self.segmenter_ = ()
        if hasattr(self, "segmenter_") or not vectorizer_options.takes_runs(self.token_pattern):
            return chunks
        look, chunks = scripts.look_at_first(chunks)
        if look.documents:
            self.segmenter_, remarks = segmentation.decided(look.languages())
            for remark in remarks:
                logger.warning(remark)
        return scripts.watched(chunks, look.languages())

    def _seen(self, chunks: Iterator[pl.Series]) -> Iterator[pl.Series]:
        """The chunks; the first of all says whether documents are lists of tokens."""
        first = next(chunks, None)
        if first is None:
            return iter(())
        if not hasattr(self, "tokens_"):
            self.tokens_ = isinstance(first.dtype, pl.List)
        return chain([first], chunks)

    def single_words(self, *, stemmed: bool = True) -> Analyzer:
        """How texts become single words, whatever n-grams are counted.

        Parameters
        ----------
        stemmed : bool
            Stems, or the words as they are written.

        Returns
        -------
        Analyzer
            What cuts texts.

        Examples
        --------
        >>> vectorizer.single_words().ngram_range
        (1, 1)
        """
        analyzer = self._analyzer()
        return replace(analyzer, ngram_range=(1, 1), stemmer=analyzer.stemmer if stemmed else None)

    def _rows(self) -> int:
        return _check.whole_number("chunk_size", self.chunk_size, at_least=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
