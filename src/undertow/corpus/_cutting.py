"""How a vectorizer cuts texts, for those who do more with words than count a corpus."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from undertow.corpus._counting import Counting
from undertow.corpus.analyzer import Analyzer
from undertow.corpus.few_texts import FewTexts

ANY_WORDS = r"[\p{L}\p{N}_][\p{L}\p{M}\p{N}_\x{200C}\x{200D}]*"  # also those of one letter


class Cutting(Counting):
    """Words as the vectorizer finds them: of a few texts, single, or with spaces between them."""

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
