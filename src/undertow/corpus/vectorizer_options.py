"""Checks of the vectorizer's options, each with the words that say what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from undertow import _check, _extras
from undertow._errors import InvalidInput
from undertow.corpus import segmentation
from undertow.corpus._plain_tokens import parts_of
from undertow.corpus.analyzer import LONGEST_TOKEN, WORDS, Analyzer
from undertow.corpus.segmentation import Segmenter
from undertow.corpus.stop_words import LANGUAGES, words_of

AS_SHOWN = {
    "token_pattern": r"\S+",
    "lowercase": False,
    "strip_html": False,
    "segmenter": None,
}
"""Options by which tokens that came in lists are found again in what is shown of them."""
LONGEST_NGRAM = 100  # words: the work grows with the square of it
RUN = "中文文本"  # four letters, two words
IDEOGRAPH = r"\p{Han}"  # in Chinese and Japanese one letter is a word as well


def analyzer(options: Mapping[str, Any]) -> Analyzer:
    """The analyzer that the settings of a `Vectorizer` describe; segmenters that are still to be
    found are none.
    """
    if options.get("tokens"):
        options = {**options, **AS_SHOWN}
    pattern, names = _pattern(options["token_pattern"]), segmenters(options.get("segmenter")) or ()
    segmentation.require(names)
    return Analyzer(
        token_pattern=f"{WORDS}|{IDEOGRAPH}" if names and pattern == WORDS else pattern,
        lowercase=bool(options["lowercase"]),
        strip_html=bool(options["strip_html"]),
        stop_words=_stop_words(options["stop_words"], bool(options["lowercase"])),
        stemmer=_stemmer(options["stemmer"]),
        ngram_range=_ngram_range(options["ngram_range"]),
        segmenter=Segmenter(names) if names else None,
        longest_token=None if options.get("tokens") else LONGEST_TOKEN,
    )


def segmenters(value: Any) -> tuple[str, ...] | None:
    """Those that are named; None where they are to be found by the texts."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return () if value is None else None
    names = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    wrong = [name for name in names if name not in segmentation.SEGMENTERS]
    if wrong or not names:
        known = ", ".join(map(repr, segmentation.SEGMENTERS))
        raise InvalidInput(
            f"segmenter must be 'auto', None, or one or several of {known}, got {value!r:.60}"
        )
    return tuple(name for name in segmentation.SEGMENTERS if name in names)


def takes_runs(pattern: str) -> bool:
    """Whether a token may be a whole run of letters; otherwise scripts without spaces are provided
    for.
    """
    import polars as pl

    found: list[str] = pl.Series([RUN]).str.extract_all(_pattern(pattern))[0].to_list()
    return found == [RUN]


def vocabulary_size(value: Any) -> int | None:
    """A number of words, or None for all."""
    return None if value is None else _check.whole_number("vocabulary_size", value, at_least=1)


def document_limits(min_df: Any, max_df: Any, documents: int) -> tuple[float, float]:
    """The least and the greatest number of documents that a word may be in."""
    return _documents("min_df", min_df, documents), _documents("max_df", max_df, documents)


def check_limits(min_df: Any, max_df: Any) -> None:
    """Both limits are of the right kind, and do not exclude each other whatever the documents
    are.
    """
    least, most = document_limits(min_df, max_df, 1)
    shares = isinstance(min_df, (float, np.floating)), isinstance(max_df, (float, np.floating))
    if shares[0] == shares[1] and most < least:
        raise InvalidInput(
            f"max_df must allow at least as many documents as min_df, got {max_df!r} and {min_df!r}"
        )


def fixed_vocabulary(value: Any) -> dict[str, int]:
    """Word -> column of a given vocabulary: words in the order of their columns, or a mapping."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InvalidInput(
            f"vocabulary must be a collection of words or a mapping word -> column, got "
            f"{value!r:.60}"
        )
    if isinstance(value, Mapping):
        if sorted(value.values()) != list(range(len(value))):
            raise InvalidInput(
                f"vocabulary must map its {len(value)} words to the columns 0 to {len(value) - 1}"
            )
        value = sorted(value, key=value.__getitem__)
    words = list(value)
    wrong = [word for word in words if not isinstance(word, str)]
    if wrong or not words:
        raise InvalidInput(
            f"vocabulary must hold strings, got {repr(wrong[0]) if wrong else 'no word'}"
        )
    if not _is_unicode("".join(words)):
        half = next(word for word in words if not _is_unicode(word))
        raise InvalidInput(
            f"vocabulary must be valid Unicode, got half of a surrogate pair in {half!r:.60}"
        )
    columns = {word: column for column, word in enumerate(words)}
    if len(columns) < len(words):
        twice = next(word for column, word in enumerate(words) if columns[word] != column)
        raise InvalidInput(f"vocabulary must hold each word once, got {twice!r} twice")
    return columns


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _documents(name: str, value: Any, documents: int) -> float:
    """Whole numbers count documents, fractions are shares of them, as in scikit-learn."""
    if isinstance(value, (float, np.floating)):
        if not 0.0 <= value <= 1.0:
            raise InvalidInput(
                f"{name} must be a share of the documents in [0, 1] or a whole number, got "
                f"{value!r}"
            )
        return float(value) * documents
    return _check.whole_number(name, value, at_least=1)


def _pattern(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"token_pattern must be a regular expression, got {value!r}")
    if parts_of(value) is not None:
        return value
    import polars as pl
    from polars.exceptions import PolarsError

    try:
        matches = pl.Series([""]).str.extract_all(value)
    except PolarsError:
        raise InvalidInput(
            f"token_pattern must be a regular expression in the syntax of Rust's regex (no "
            f"look-around), got {value!r}"
        ) from None
    if matches.list.len()[0]:
        raise InvalidInput(f"token_pattern must not match nothing at all, got {value!r}")
    return value


def _stop_words(value: Any, lowercase: bool) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        if value not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            raise InvalidInput(
                f"stop_words must be None, a list of words or one of {known}, got {value!r:.60}"
            )
        return words_of(value)
    words = list(value) if isinstance(value, Iterable) else []
    if not words or not all(isinstance(word, str) for word in words):
        raise InvalidInput(
            f"stop_words must be None, a language or a list of words, got {value!r:.60}"
        )
    return tuple(sorted({word.lower() if lowercase else word for word in words}))


def _stemmer(value: Any) -> str | None:
    if value is None:
        return None
    _extras.require(f"stemmer={value!r}", "stem", "Stemmer")
    import Stemmer

    return _check.one_of("stemmer", value, Stemmer.algorithms())


def _ngram_range(value: Any) -> tuple[int, int]:
    try:
        shortest, longest = value
    except (TypeError, ValueError):
        raise InvalidInput(f"ngram_range must be two whole numbers, got {value!r}") from None
    shortest = _check.whole_number("ngram_range[0]", shortest, at_least=1)
    longest = _check.whole_number("ngram_range[1]", longest, at_least=shortest)
    if longest > LONGEST_NGRAM:
        raise InvalidInput(f"ngram_range[1] must be at most {LONGEST_NGRAM}, got {longest}")
    return shortest, longest
