"""Near-copies in a collection: planted ones are counted, as well as 32 numbers can tell."""

from __future__ import annotations

import time

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from undertow.fulltext import sketches as module
from undertow.fulltext.sketches import SAME, Sketches, word_hashes

WORDS = 80  # of a document, 77 shingles
PLANTED = 2000

Documents = NDArray[np.uint32]


def random_documents(count: int, seed: int) -> Documents:
    return np.random.default_rng(seed).integers(0, 2**32, (count, WORDS), dtype=np.uint32)


def counted(*parts: Documents) -> int:
    """In several pieces, as a collection comes."""
    gathered = Sketches()
    for part in parts:
        gathered.add(part.ravel(), np.arange(len(part) + 1) * WORDS)
    return gathered.near_duplicates()


def changed(documents: Documents, last: int) -> tuple[Documents, float]:
    """The documents with their last words changed, and how much of them is left: a word changes one
    shingle more.
    """
    copies = documents.copy()
    copies[:, WORDS - last :] = random_documents(len(documents), 1)[:, :last]
    shingles = WORDS - 3
    return copies, (shingles - last) / (shingles + last)


def wrong(found: int, overlap: float) -> bool:
    """Whether so many of the planted copies are too many or too few, but for a chance in a million.

    A pair is found where 26 of 32 numbers agree. Bins share out the shingles, so that estimates are
    closer than those of 32 independent draws: of pairs above the limit no fewer are found than by
    these, and of those below no more.
    """
    chance = float(binom.sf(SAME - 1, 32, overlap))
    error = 5 * np.sqrt(PLANTED * chance * (1 - chance))
    too_few = overlap > 0.78 and found < PLANTED * chance - error
    too_many = overlap < 0.82 and found > PLANTED * chance + error
    return bool(too_few or too_many)


@pytest.mark.parametrize(
    ("last", "overlap"), [(0, 1.0), (2, 0.95), (5, 0.88), (9, 0.79), (19, 0.6), (77, 0.0)]
)
def test_planted_copies_are_counted(last: int, overlap: float) -> None:
    documents = random_documents(PLANTED, 0)
    copies, exact = changed(documents, last)
    assert exact == pytest.approx(overlap, abs=0.005)
    found = counted(documents[:700], documents[700:], copies)
    assert not wrong(found, exact)
    if last in (0, 77):
        assert found == (PLANTED if last == 0 else 0)


@pytest.mark.parametrize(("same", "last"), [(20, 19), (24, 9), (28, 9), (29, 2)])
def test_another_limit_would_be_noticed(
    same: int, last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SAME", same)
    documents = random_documents(PLANTED, 0)
    copies, overlap = changed(documents, last)
    assert wrong(counted(documents, copies), overlap)


def test_copies_of_copies_are_counted_once() -> None:
    documents = random_documents(50, 0)
    assert counted(documents, documents, documents[:7]) == 57
    assert counted(documents) == counted(documents[:0]) == Sketches().near_duplicates() == 0


@pytest.mark.parametrize(
    ("order", "changed"),
    [
        ("others, first, others, copy", 0),  # equal ones always meet
        ("first, others, copy", 1),  # the first of a bucket is looked at
        ("others, first, copy", 1),  # and the one before
    ],
)
def test_copies_are_found_in_buckets_of_others(order: str, changed: int) -> None:
    """Pages of one template meet in every bucket, and are no copies: here eight, of which each
    shares one band.
    """
    generator = np.random.default_rng(0)
    first = generator.integers(0, 2**16, (1, 32), dtype=np.uint16)
    copy = first.copy()
    copy[0, :changed] ^= 1
    parts = []
    for name in order.split(", "):
        others = generator.integers(0, 2**16, (8, 32), dtype=np.uint16)
        for band in range(8):
            others[band, 4 * band : 4 * band + 4] = first[0, 4 * band : 4 * band + 4]
        parts.append({"first": first, "copy": copy, "others": others}[name])
    assert Sketches(parts).near_duplicates() == 1


def test_short_documents() -> None:
    texts = [
        "one",
        "two",
        "one",
        "two one",
        "one two",
        "one two",
        "one two three four",
        "",
        "",
        "one two three",
    ]
    words = [text.split() for text in texts]
    tokens = word_hashes([word for text in words for word in text])
    gathered = Sketches()
    gathered.add(tokens, np.cumsum([0, *map(len, words)]))
    assert gathered.near_duplicates() == 2  # what has no words is no copy
    assert word_hashes(["one", "one"])[0] == word_hashes(["one"])[0] != word_hashes(["øne"])[0]


def test_many_equal_documents_take_no_time() -> None:
    count = 50_000
    equal = np.repeat(random_documents(1, 0), count, axis=0)
    counted(equal[:2])  # compiles
    begin = time.process_time()
    assert counted(equal) == count - 1
    assert time.process_time() - begin < 2.0  # it takes some 0.1 s: all with all would take minutes


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = random_documents(300, 0)
    copies, _ = changed(documents, 9)
    one = counted(documents, copies)
    monkeypatch.setattr(module, "thread_count", lambda _: 3)
    monkeypatch.setattr(module, "LEAST", 16)
    monkeypatch.setattr(module, "AT_ONCE", 7)
    assert counted(documents, copies) == one > 0
