"""Scores against the oracle, whatever the segments, the threads and the way of adding up."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from undertow.fulltext import full_text, segment_folder
from undertow.fulltext.full_text import FullText, Rows, best
from undertow.fulltext.segment import Segment
from undertow.fulltext.segment_maker import SegmentMaker
from undertow.fulltext.word_rule import WordRule
from undertow.kernels.reference.postings import bm25

RULE = WordRule()
ROUNDING = 32 * 4 * float(np.finfo(np.float32).eps)  # 32 words, four float32 operations each


def made_up(documents: int, seed: int = 0) -> list[str]:
    """Texts of words as frequent as words are; one is empty, and one repeats a word more often than
    a byte counts.
    """
    generator = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, 61)
    texts = [
        " ".join(
            f"w{word}"
            for word in generator.choice(60, generator.integers(1, 30), p=shares / shares.sum())
        )
        for _ in range(documents)
    ]
    texts[1] = ""
    return texts


def segment(texts: list[str], first: int = 0) -> Segment:
    maker = SegmentMaker(RULE)
    half = len(texts) // 2  # in two pieces
    rows = np.arange(first, first + len(texts), dtype=np.uint64)
    maker.add(rows[:half], pl.Series(texts[:half], dtype=pl.String))
    maker.add(rows[half:], pl.Series(texts[half:], dtype=pl.String))
    return maker.segment()


def asked(question: str) -> dict[str, float]:
    return {word: float(count) for word, count in Counter(RULE.of_question(question)).items()}


def expected(texts: list[str], full: FullText, question: str) -> np.ndarray:
    terms = {term.word for term in full.terms(asked(question))}
    words = {word: count for word, count in asked(question).items() if word in terms}
    return bm25([text.split() for text in texts], words)


QUESTIONS = ["w3 w20 w40", "w59", "w1 w2", "w7 w7 w7 w30", "nothing w12", "w55 " * 40]


@pytest.mark.parametrize("by_kernel", [0, 10**9])
@pytest.mark.parametrize("cuts", [(0, 80), (0, 30, 80), (0, 1, 2, 80)])
def test_scores_are_those_of_the_oracle(
    cuts: tuple[int, ...], by_kernel: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_text, "BY_KERNEL", by_kernel)
    texts = made_up(80)
    parts = [segment(texts[begin:end], begin) for begin, end in itertools.pairwise(cuts)]
    full = FullText.of(RULE, parts, None)
    for question in QUESTIONS:
        terms, wanted = full.terms(asked(question)), expected(texts, full, question)
        scores = full.scores(terms)
        np.testing.assert_allclose(scores, wanted, rtol=ROUNDING, atol=1e-12)
        summed = [sum(parts) for parts in full.parts(terms, range(80))]
        np.testing.assert_allclose(summed, wanted, rtol=ROUNDING, atol=1e-12)


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from undertow.kernels import cores
    from undertow.kernels.cpu import splitting

    monkeypatch.setattr(full_text, "BY_KERNEL", 0)
    full = FullText.of(RULE, [segment(made_up(500))], None)
    terms = full.terms(asked(QUESTIONS[0]))
    one = full.scores(terms)
    monkeypatch.setattr(cores, "thread_count", lambda _: 3)
    split = splitting.split
    monkeypatch.setattr(splitting, "split", lambda *given, least: split(*given, least=16))
    np.testing.assert_array_equal(full.scores(terms), one)


def test_common_words_count_where_there_are_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full_text, "COMMON_FROM", 10)
    full = FullText.of(RULE, [segment(made_up(200))], None)
    assert [term.word for term in full.terms({"w0": 1.0, "w50": 1.0})] == ["w50"]
    assert [term.word for term in full.terms({"w0": 1.0})] == ["w0"]
    assert len(full.terms({f"w{number}": 1.0 for number in range(60)})) == full_text.MOST_WORDS
    assert full.terms({"unheard": 1.0}) == []


def test_deleted_documents_are_passed_over() -> None:
    texts = made_up(60)
    parts = [segment(texts[:40]), segment(texts[20:], 20)]  # rows 20 to 39 are in both
    rows = np.setdiff1d(np.arange(60, dtype=np.uint64), [5, 25, 50])
    full = FullText.of(RULE, parts, rows)
    assert full.documents == 57
    places = full.places(np.arange(60, dtype=np.uint64))
    assert np.flatnonzero(places < 0).tolist() == [5, 25, 50]
    assert full.rows[places[rows.astype(int)]].tolist() == rows.tolist()
    scores = full.scores(full.terms({"w3": 1.0}))
    found = full.rows[np.flatnonzero(scores)]
    assert len(np.unique(found)) == len(found)
    assert set(found.tolist()) == {row for row in rows.tolist() if "w3" in texts[row].split()}


@pytest.mark.parametrize("n", [1, 3, 50])
def test_the_best_are_the_best(n: int) -> None:
    generator = np.random.default_rng(n)
    scores = generator.integers(-3, 40, 200_000).astype(np.float32)  # with ties
    order = np.lexsort((np.arange(len(scores)), -scores))
    np.testing.assert_array_equal(best(scores, n), order[:n])
    assert best(np.zeros(10, dtype=np.float32), n).size == 0


# Folders


def reader(texts: dict[int, str]):  # type: ignore[no-untyped-def]
    def read(rows: Rows) -> Iterator[tuple[Rows, pl.Series]]:
        for first in range(0, len(rows), 7):
            part = rows[first : first + 7]
            yield part, pl.Series([texts[int(row)] for row in part], dtype=pl.String)

    return read


def ask(full: FullText, word: str) -> set[int]:
    return set(full.rows[np.flatnonzero(full.scores(full.terms({word: 1.0})))].tolist())


def test_a_folder_follows_its_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = dict(enumerate(made_up(100)))
    place = tmp_path / "words"

    def check(rows: Rows, files: int) -> None:
        full = segment_folder.open_text(place, RULE, rows, reader(texts))
        assert ask(full, "w3") == {row for row in rows.tolist() if "w3" in texts[row].split()}
        assert len(list(place.glob("*"))) == files if place.exists() else files == 0

    rows = np.arange(40, dtype=np.uint64)
    check(rows, 0)  # nothing written yet: made in memory
    segment_folder.bring_up_to_date(place, RULE, rows, reader(texts))
    check(rows, 1)
    for count in range(41, 47):
        rows = np.arange(count, dtype=np.uint64)
        segment_folder.bring_up_to_date(place, RULE, rows, reader(texts))
        check(rows, count - 39)
    rows = np.arange(10, 100, dtype=np.uint64)
    check(rows, 7)  # more documents, and fewer, than there are segments for
    segment_folder.bring_up_to_date(place, RULE, rows, reader(texts))
    segment_folder.bring_up_to_date(place, RULE, rows, reader(texts))
    check(rows, 1)  # small ones are joined
    rows = np.arange(80, 100, dtype=np.uint64)
    segment_folder.bring_up_to_date(place, RULE, rows, reader(texts))
    check(rows, 1)  # most of it was gone: made anew
    assert len(next(iter(segment_folder.segments(place, RULE).values())).rows) == 20


def test_another_rule_is_another_text(tmp_path: Path) -> None:
    texts = {0: "phones", 1: "phone"}
    rows = np.arange(2, dtype=np.uint64)
    segment_folder.bring_up_to_date(tmp_path, RULE, rows, reader(texts))
    stemmed = segment_folder.open_text(tmp_path, WordRule("english"), rows, reader(texts))
    assert ask(stemmed, "phone") == {0, 1}


@pytest.mark.parametrize("damage", ["cut", "header", "numbers", "huge"])
def test_damaged_segments_do_no_harm(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    texts = dict(enumerate(made_up(50)))
    rows = np.arange(50, dtype=np.uint64)
    segment_folder.bring_up_to_date(tmp_path, RULE, rows, reader(texts))
    (file,) = tmp_path.glob("*")
    content = bytearray(file.read_bytes())
    if damage == "cut":
        del content[-100:]
    elif damage == "header":
        content[8:200] = b"[" * 192
    elif damage == "huge":
        content[:8] = b"\xff" * 8
    else:
        content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
    file.write_bytes(bytes(content))
    full = segment_folder.open_text(tmp_path, RULE, rows, reader(texts))
    found = ask(full, "w3")
    if (
        damage == "numbers"
    ):  # of lists: they cannot be checked without reading all, so they may only find nothing
        assert found <= set(range(50))
    else:
        assert found == {row for row in range(50) if "w3" in texts[row].split()}
        assert "passed over" in caplog.text
