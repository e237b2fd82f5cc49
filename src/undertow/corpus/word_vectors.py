"""Vectors of words from elsewhere: read from the usual text files, and looked up for the words of a
vocabulary.

A line holds a word and its numbers, with spaces between (GloVe). The first may say how many words
and numbers follow (word2vec, fastText).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.corpus._formats import TableSource
from undertow.vectors.given import given_vector

NAME = "word_vectors"  # as the argument of `fit` is called
ROWS = 4096  # lines at a time
HEADER = re.compile(r"([0-9]+) ([1-9][0-9]*)")  # how many words, how many numbers each


def read_word_vectors(path: str | os.PathLike[str]) -> dict[str, NDArray[np.float32]]:
    """The vectors in a text file, which may be packed (`.gz`, `.zst`): word -> numbers.

    Only the vectors are held, never the text. Of a word that comes twice, the first line counts.
    Words may have spaces in them, as a few of GloVe's do.
    """
    file = Path(path)
    if not file.is_file():
        raise InvalidInput(
            f"path must be a file of word vectors, got {str(path)!r}, where there is none"
        )
    found: dict[str, NDArray[np.float32]] = {}
    promised, width, lines = None, 0, 0
    for number, line in _lines(file):
        header = HEADER.fullmatch(line) if number == 1 else None
        if header is not None:
            promised, width = int(header[1]), int(header[2])
            continue
        width, lines = width or line.count(" "), lines + 1
        word, vector = _parsed(line, width, file, number)
        found.setdefault(word, vector)
    if not found:
        raise InvalidInput(f"{file} must hold a word and its numbers a line, got nothing in it")
    if promised not in (None, lines):
        raise InvalidInput(f"{file} must hold {promised:,} words, as line 1 says, got {lines:,}")
    return found


def check_mapping(given: Any) -> None:
    """Refuses what cannot be asked for the vector of a word, before anything is read."""
    asked = hasattr(given, "__contains__") and hasattr(given, "__getitem__")
    if not asked or isinstance(given, (Sequence, np.ndarray)):
        raise InvalidInput(
            f"{NAME} must be a mapping of words to vectors, got {type(given).__name__}"
        )


def vectors_of_words(words: Sequence[str], given: Any) -> NDArray[np.float64]:
    """(K, d) The vectors of these words in a mapping; rows of zeros for words that it does not
    know.
    """
    known = [(row, given[word]) for row, word in enumerate(words) if word in given]
    if not known:
        some = ", ".join(map(repr, words[:3]))
        raise InvalidInput(
            f"{NAME} must have a vector for a word of the vocabulary, got none for {len(words):,} "
            f"words such as {some}"
        )
    first, width = words[known[0][0]], np.size(known[0][1])
    found = np.zeros((len(words), width))
    for row, vector in known:
        if np.size(vector) != width:
            raise InvalidInput(
                f"{NAME} must have as many numbers for each word, got {width:,} for {first!r} and "
                f"{np.size(vector):,} for {words[row]!r}"
            )
        found[row] = given_vector(f"{NAME}[{words[row]!r}]", vector, width)[0]
    return found


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """Numbered from 1, as in editors; blank ones are passed over. Other white space than spaces may
    be a word.
    """
    source = TableSource(str(file), "a text file", pl.scan_lines(file, name="line", glob=False))
    number = 0
    for batch in source.batches(["line"], ROWS, text="line"):
        for line in batch["line"]:
            number += 1
            if stripped := line.rstrip(" \r"):
                yield number, stripped


def _parsed(line: str, width: int, file: Path, number: int) -> tuple[str, NDArray[np.float32]]:
    word, *fields = line.rsplit(" ", width)
    if (
        not width
        or len(fields) != width
        or _is_number(word.rpartition(" ")[2] if " " in word else "")
    ):
        _refuse(file, width, f"{line.count(' '):,} numbers", number)
    try:
        with np.errstate(over="ignore"):
            vector = np.array(fields, dtype=np.float32)
    except ValueError:
        _refuse(
            file, width, f"{next(field for field in fields if not _is_number(field))!r:.40}", number
        )
    if not np.isfinite(vector).all():
        _refuse(file, width, fields[int(np.argmin(np.isfinite(vector)))], number)
    return word, vector


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _refuse(file: Path, width: int, got: str, number: int) -> NoReturn:
    wanted = f"{width:,} finite numbers" if width else "its numbers"
    raise InvalidInput(f"{file} must hold a word and {wanted} a line, got {got} in line {number:,}")
