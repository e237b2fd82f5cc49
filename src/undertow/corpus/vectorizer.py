"""The vectorizer: texts to sparse word counts, as a scikit-learn transformer that counts inside
polars.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from undertow import _check
from undertow.corpus import vectorizer_options
from undertow.corpus._cutting import Cutting
from undertow.corpus.analyzer import WORDS
from undertow.corpus.chunk_store import ChunkStore
from undertow.corpus.count_matrices import stacked
from undertow.corpus.coverage import ChunkCounts, Coverage, coverage_of
from undertow.corpus.texts import text_chunks


class Vectorizer(Cutting, TransformerMixin, BaseEstimator):  # type: ignore[misc]
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
        default tokens are those of `[\p{L}\p{N}_]{2,}`. A match of more than 200 letters is no word
        (an encoded file, a sequence of DNA) and is left out; lists of tokens may hold longer ones.
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
        analyzer, columns = self._analyzer(), self._columns()
        max_types = _check.whole_number("max_types", self.max_types, at_least=1)
        return coverage_of(text_chunks(X, self._rows()), analyzer, columns, max_types)

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
