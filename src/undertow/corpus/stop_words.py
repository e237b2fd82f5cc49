"""Stop words by language: scikit-learn's list for English, those of stopwordsiso for the others."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from undertow.corpus._english import english_stop_words

CODES = {
    "afrikaans": "af",
    "arabic": "ar",
    "armenian": "hy",
    "basque": "eu",
    "bengali": "bn",
    "breton": "br",
    "bulgarian": "bg",
    "catalan": "ca",
    "chinese": "zh",
    "croatian": "hr",
    "czech": "cs",
    "danish": "da",
    "dutch": "nl",
    "english": "en",
    "esperanto": "eo",
    "estonian": "et",
    "finnish": "fi",
    "french": "fr",
    "galician": "gl",
    "german": "de",
    "greek": "el",
    "gujarati": "gu",
    "hausa": "ha",
    "hebrew": "he",
    "hindi": "hi",
    "hungarian": "hu",
    "indonesian": "id",
    "irish": "ga",
    "italian": "it",
    "japanese": "ja",
    "korean": "ko",
    "kurdish": "ku",
    "latin": "la",
    "latvian": "lv",
    "lithuanian": "lt",
    "malay": "ms",
    "marathi": "mr",
    "norwegian": "no",
    "persian": "fa",
    "polish": "pl",
    "portuguese": "pt",
    "romanian": "ro",
    "russian": "ru",
    "sesotho": "st",
    "slovak": "sk",
    "slovenian": "sl",
    "somali": "so",
    "spanish": "es",
    "swahili": "sw",
    "swedish": "sv",
    "tagalog": "tl",
    "thai": "th",
    "turkish": "tr",
    "ukrainian": "uk",
    "urdu": "ur",
    "vietnamese": "vi",
    "yoruba": "yo",
    "zulu": "zu",
}
"""Every language with a list, and its code of ISO 639-1."""

LANGUAGES = tuple(CODES)
# stemmers that are not named after their language
OF_STEMMERS = {
    "porter": "english",
    "dutch_porter": "dutch",
}

VOWELS = dict(zip("αεηιουω", "άέήίόύώ", strict=True))


@lru_cache
def words_of(language: str) -> tuple[str, ...]:
    """The stop words of a language, in small letters and in order."""
    if language == "english":
        return tuple(sorted(english_stop_words()))
    from stopwordsiso import stopwords

    words = _mended(language, {word.lower() for word in stopwords(CODES[language])})
    return tuple(sorted(words.union(*map(_parts, words))))


def do_not_fit(stop_words: object, stemmer: str | None) -> bool:
    """Whether both name a language, and not the same."""
    named = isinstance(stop_words, str) and stemmer is not None
    return named and stop_words != OF_STEMMERS.get(str(stemmer), stemmer)


def _parts(word: str) -> list[str]:
    """A token ends at an apostrophe or a hyphen, so what stands beside one has to go too."""
    return [part for part in re.split(r"['’.,|-]", word) if part]


def _mended(language: str, words: set[str]) -> set[str]:
    """The list as its language is written: three of them came through a wrong table of letters, or
    without accents.
    """
    if language == "lithuanian":
        return {word.encode("latin-1").decode("cp1257") for word in words}
    if language == "romanian":  # commas below s and t; older texts have the cedillas of the list
        return words | {word.translate(str.maketrans("şţ", "șț")) for word in words}
    if language == "greek":
        words = {word.replace("\N{INCREMENT}", "δ") for word in words}
        return words | {accented for word in words for accented in _accented(word)}
    return words


def _accented(word: str) -> list[str]:
    """A Greek word without accents, with one on each of its vowels in turn."""
    if any(unicodedata.decomposition(letter) for letter in word):
        return []
    return [
        word[:place] + VOWELS[letter] + word[place + 1 :]
        for place, letter in enumerate(word)
        if letter in VOWELS
    ]
