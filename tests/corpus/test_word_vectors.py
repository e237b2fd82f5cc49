"""Files of word vectors as they are found, and vectors looked up by words."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from undertow._errors import InvalidInput
from undertow.corpus import word_vectors
from undertow.corpus.word_vectors import check_mapping, read_word_vectors, vectors_of_words

GLOVE = "apple 0.5 -1 2e-1\npear 1 0 3\n"


def read(folder: Path, text: str | bytes) -> dict[str, list[float]]:
    file = folder / "vectors.txt"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    found = read_word_vectors(file)
    assert {vector.dtype for vector in found.values()} == {np.dtype(np.float32)}
    return {word: np.round(vector.astype(np.float64), 6).tolist() for word, vector in found.items()}


# Files

TWO = {"apple": [0.5, -1.0, 0.2], "pear": [1.0, 0.0, 3.0]}


@pytest.mark.parametrize(
    "text",
    [
        GLOVE,
        GLOVE.removesuffix("\n"),
        "2 3\n" + GLOVE,
        GLOVE.replace("\n", " \n"),  # as fastText has it
        GLOVE.replace("\n", "\r\n"),
        GLOVE.replace("\n", "\n\n"),
        GLOVE + "apple 7 7 7\n",  # the first line counts
    ],
)
def test_usual_files_are_read(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == TWO


def test_packed_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt.gz").write_bytes(gzip.compress(GLOVE.encode()))
    assert list(read_word_vectors(tmp_path / "vectors.txt.gz")) == ["apple", "pear"]
    assert list(read_word_vectors(str(tmp_path / "vectors.txt.gz"))) == ["apple", "pear"]


def test_brackets_in_a_name_are_letters(tmp_path: Path) -> None:
    (tmp_path / "vectors[1].txt").write_text(GLOVE, encoding="utf-8")
    assert list(read_word_vectors(tmp_path / "vectors[1].txt")) == ["apple", "pear"]


def test_lines_are_read_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_vectors, "ROWS", 3)
    lines = [f"w{number} {number} {number / 4}" for number in range(50)]
    found = read(tmp_path, "\n".join(lines))
    assert found == {f"w{number}": [number, number / 4] for number in range(50)}
    lines[40] = "w40 1"
    with pytest.raises(InvalidInput, match=r"got 1 numbers in line 41$"):
        read(tmp_path, "\n".join(lines))


def test_words_are_taken_as_they_are(tmp_path: Path) -> None:
    """GloVe has words with spaces; other white space belongs to a word; numbers are words, too."""
    words = [
        "größer",
        "数据",
        ". . .",
        "at name@domain.com",
        "1\u00a01/2",
        "a\u0085b",
        "\u3000",
        "1999",
        "nan",
    ]
    found = read(
        tmp_path, "".join(f"{word} 1 {number}\n" for number, word in enumerate(["the", *words]))
    )
    assert found == {word: [1.0, number] for number, word in enumerate(["the", *words])}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold a word and its numbers a line, got nothing in it"),
        ("\n \n", "must hold a word and its numbers a line, got nothing in it"),
        ("2 3\n", "must hold a word and its numbers a line, got nothing in it"),
        ("apple\n", "must hold a word and its numbers a line, got 0 numbers in line 1"),
        (
            GLOVE + "plum 1 2\n",
            "must hold a word and 3 finite numbers a line, got 2 numbers in line 3",
        ),
        (
            GLOVE + "plum 1 2 3 4\n",
            "must hold a word and 3 finite numbers a line, got 4 numbers in line 3",
        ),
        (
            GLOVE + "\nplum 1 2 x\n",
            "must hold a word and 3 finite numbers a line, got 'x' in line 4",
        ),
        (
            "id,text and so on\n",
            "must hold a word and 3 finite numbers a line, got 'and' in line 1",
        ),
        (
            GLOVE + "plum 1 nan 3\n",
            "must hold a word and 3 finite numbers a line, got nan in line 3",
        ),
        (
            GLOVE + "plum 1 2 -inf\n",
            "must hold a word and 3 finite numbers a line, got -inf in line 3",
        ),
        (
            GLOVE + "plum 1e99 2 3\n",
            "must hold a word and 3 finite numbers a line, got 1e99 in line 3",
        ),
        ("2 4\n" + GLOVE, "must hold a word and 4 finite numbers a line, got 3 numbers in line 2"),
        ("1000 3\n" + GLOVE, "must hold 1,000 words, as line 1 says, got 2"),
        (
            GLOVE.encode() + b"\xff 1 2 3\n",
            "must be UTF-8 text, got other bytes (0xff in line 3): convert it",
        ),
    ],
)
def test_files_that_cannot_be_read_are_said(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    with pytest.raises(
        InvalidInput, match=f"^{re.escape(str(tmp_path / 'vectors.txt'))} {re.escape(message)}"
    ):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.txt"):
        message = f"path must be a file of word vectors, got {str(path)!r}, where there is none"
        with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
            read_word_vectors(path)


# Words


class Keyed:
    """What can be asked for a word, and nothing else: so are gensim's KeyedVectors."""

    def __contains__(self, word: str) -> bool:
        return word in ("b", "d")

    def __getitem__(self, word: str) -> Any:
        return np.array({"b": [1, 2], "d": [3, 4]}[word], dtype=np.float32)


@pytest.mark.parametrize("given", [Keyed(), {"b": [1.0, 2.0], "d": (3, 4), "other": "nonsense"}])
def test_vectors_are_those_of_the_words(given: Any) -> None:
    check_mapping(given)
    found = vectors_of_words(["d", "a", "b"], given)
    assert found.tolist() == [[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {},
            "word_vectors must have a vector for a word of the vocabulary, got none for 4 words "
            "such as 'a', 'b', 'c'",
        ),
        (
            {"a": [1, 2], "c": [1, 2, 3]},
            "must have as many numbers for each word, got 2 for 'a' and 3 for 'c'",
        ),
        (
            {"a": [1, 2], "c": [1, np.nan]},
            "word_vectors['c'] must be finite, got nan among its values",
        ),
        (
            {"a": [[1, 2], [3, 4]]},
            "word_vectors['a'] must hold 4 numbers, got an array of shape (2, 2)",
        ),
        ({"a": "x"}, "word_vectors['a'] must be numbers, got values of type <U1"),
    ],
)
def test_vectors_that_do_not_fit_are_said(given: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"{re.escape(message)}$"):
        vectors_of_words(["a", "b", "c", "d"], given)


@pytest.mark.parametrize("given", [np.ones((3, 2)), [[1.0]], "glove.txt", 7])
def test_what_is_no_mapping_is_said(given: Any) -> None:
    message = f"word_vectors must be a mapping of words to vectors, got {type(given).__name__}"
    with pytest.raises(InvalidInput, match=f"^{message}$"):
        check_mapping(given)
