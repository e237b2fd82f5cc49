"""The full text of an index: its segments, asked as one.

Every document of the index has a place: the documents of the first segment, then those of the
second, and so on. A document that was deleted keeps its place until its segment is made anew, and
is passed over. How many documents hold a word is counted with the deleted ones until then.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.fulltext.segment import Segment
from undertow.fulltext.word_rule import WordRule

K1, B = 1.2, 0.75  # of BM25, the customary ones
# of a question: its most telling ones. More cost time, and answer no better (docs/design_notes.md)
MOST_WORDS = 32
# a word that so many documents hold is passed over where the question has rarer ones,
COMMON = 0.25
COMMON_FROM = 10_000  # if they are so many: what it says is little, and what it costs is much
REMEMBERED = 50_000  # words that were looked up
BLOCK = 256  # scores of which the highest is looked at first
BY_KERNEL = 100_000  # entries: fewer are added up before the compiled kernel would be called

Rows = NDArray[np.uint64]
Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Term:
    """A word of a question, as it is searched for: what it adds to a document that holds it without
    end.
    """

    word: str
    weight: float  # with how telling the word is, and how often it was asked for


@dataclass(frozen=True)
class FullText:
    """Segments, and which of their documents are there."""

    rule: WordRule
    segments: tuple[Segment, ...]
    files: tuple[Path | None, ...]  # of the segments; None for one in memory
    present: NDArray[np.bool_] | None = None  # of each place; None for all

    @classmethod
    def of(
        cls,
        rule: WordRule,
        segments: Sequence[Segment],
        rows: Rows | None,
        files: Sequence[Path | None] | None = None,
    ) -> FullText:
        """Segments of which only some rows count, in order; None for all. Of a row that two hold,
        the first counts.
        """
        places = tuple(files or [None] * len(segments))
        if rows is None:
            return cls(rule, tuple(segments), places)
        seen = np.zeros(len(rows), dtype=bool)
        parts = []
        for segment in segments:
            spots = np.searchsorted(rows, segment.rows)
            there = spots < len(rows)
            there[there] = rows[spots[there]] == segment.rows[there]
            there[there] &= ~seen[spots[there]]
            seen[spots[there]] = True
            parts.append(there)
        present = np.concatenate(parts) if parts else np.zeros(0, dtype=bool)
        return cls(rule, tuple(segments), places, present)

    @cached_property
    def rows(self) -> Rows:
        """The row at each place."""
        parts = [segment.rows for segment in self.segments]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint64)

    @cached_property
    def documents(self) -> int:
        """How many there are."""
        return len(self.rows) if self.present is None else int(self.present.sum())

    @cached_property
    def _in_order(self) -> tuple[Rows, NDArray[np.int64]]:
        """The rows that are there, rising, and their places."""
        places = np.arange(len(self.rows)) if self.present is None else np.flatnonzero(self.present)
        places = places[np.argsort(self.rows[places], kind="stable")]
        return self.rows[places], places

    def places(self, rows: Rows) -> NDArray[np.int64]:
        """Where these rows are; -1 for one that is not here."""
        known, places = self._in_order
        if not len(known):
            return np.full(len(rows), -1, dtype=np.int64)
        spots = np.minimum(np.searchsorted(known, rows), len(known) - 1)
        return np.where(known[spots] == rows, places[spots], -1)

    @cached_property
    def _norms(self) -> list[NDArray[np.float32]]:
        """What a word's count is weighed against in each document: longer ones have more by
        chance.
        """
        total = sum(int(segment.lengths.sum(dtype=np.int64)) for segment in self.segments)
        average = total / max(len(self.rows), 1) or 1.0
        return [
            (K1 * (1.0 - B + B * segment.lengths / average)).astype(np.float32)
            for segment in self.segments
        ]

    def holding(self, word: str) -> int:
        """How many documents hold a word."""
        return sum(end - begin for _, begin, end in self._lists(word))

    def _lists(self, word: str) -> list[tuple[int, int, int]]:
        """Number of a segment, and where the word's list in it begins and ends; looked up once a
        word.
        """
        found = self._looked_up.get(word)
        if found is None:
            numbers = (
                (number, segment, segment.find(word))
                for number, segment in enumerate(self.segments)
            )
            found = [
                (number, *segment.span(place))
                for number, segment, place in numbers
                if place is not None
            ]
            if len(self._looked_up) >= REMEMBERED:
                self._looked_up.clear()
            self._looked_up[word] = found
        return found

    @cached_property
    def _looked_up(self) -> dict[str, list[tuple[int, int, int]]]:
        return {}

    def terms(self, words: Mapping[str, float]) -> list[Term]:
        """The words of a question that are searched for, the most telling first; those that no
        document holds are not among them. `words` says how often each was asked for.
        """
        held = {word: count for word, count in words.items() if self.holding(word)}
        found = [Term(word, weight * (K1 + 1.0)) for word, weight in self.weights(held).items()]
        order = sorted(
            found, key=lambda term: (-term.weight / math.sqrt(words[term.word]), term.word)
        )
        return order[:MOST_WORDS]

    def possible(self, words: Mapping[str, float]) -> float:
        """BM25 of a document of usual length that holds every word once, those too that none holds
        here.
        """
        return sum(self.weights(words).values())

    def weights(self, words: Mapping[str, float]) -> dict[str, float]:
        """How telling the words of a question are, with how often each was asked for; without those
        passed over.
        """
        total = len(self.rows)
        held = {word: min(self.holding(word), total) for word in words}
        rare = [word for word in words if held[word] <= max(COMMON * total, COMMON_FROM)]
        return {word: words[word] * _idf(total, held[word]) for word in rare or words}

    def scores(self, terms: Sequence[Term], *, compiled: bool = True) -> Scores:
        """BM25 of the document at each place, by a compiled kernel if it pays; 0 for one that holds
        no term, or is deleted.
        """
        scores = np.zeros(len(self.rows), dtype=np.float32)
        by_segment: dict[int, list[tuple[int, int, float]]] = {}
        for term in terms:
            for number, begin, end in self._lists(term.word):
                by_segment.setdefault(number, []).append((begin, end, term.weight))
        first = 0
        for number, segment in enumerate(self.segments):
            part = scores[first : first + len(segment.rows)]
            first += len(segment.rows)
            if number in by_segment:
                _add(segment, self._norms[number], by_segment[number], part, compiled)
        if self.present is not None:
            scores[~self.present] = 0.0
        return scores

    def parts(self, terms: Sequence[Term], places: Sequence[int]) -> list[list[float]]:
        """What each term adds to the score of each of some documents."""
        ends = np.cumsum([len(segment.rows) for segment in self.segments])
        asked = np.array(places, dtype=np.int64)
        numbers = np.searchsorted(ends, asked, side="right")
        found = np.zeros((len(asked), len(terms)))
        for number, segment in enumerate(self.segments):
            lines = np.flatnonzero(numbers == number)
            if not len(lines):
                continue
            documents = asked[lines] - (int(ends[number]) - len(segment.rows))
            norms = self._norms[number][documents].astype(np.float64)
            for column, term in enumerate(terms):
                span = next((s[1:] for s in self._lists(term.word) if s[0] == number), None)
                if span is not None:
                    counts = _counts(segment, span, documents)
                    found[lines, column] = term.weight * counts / (counts + norms)
        return found.tolist()


def _counts(segment: Segment, span: tuple[int, int], documents: NDArray[np.int64]) -> Any:
    """How often each of some documents of a segment holds the word of a list."""
    holding = segment.documents[slice(*span)]
    if not len(holding):
        return np.zeros(len(documents))
    spots = np.minimum(np.searchsorted(holding, documents), len(holding) - 1)
    counts = segment.counts[slice(*span)][spots]
    return np.where(holding[spots] == documents, counts, 0).astype(np.float64)


def _idf(total: int, holding: int) -> float:
    return math.log(1.0 + (total - holding + 0.5) / (holding + 0.5))


def _add(
    segment: Segment,
    norms: NDArray[np.float32],
    lists: list[tuple[int, int, float]],
    scores: Scores,
    compiled: bool,
) -> None:
    """Adds the words' parts to a segment's scores; a few entries by NumPy, many by the kernel."""
    if sum(end - begin for begin, end, _ in lists) < BY_KERNEL or not compiled:
        for begin, end, weight in lists:
            documents = segment.documents[begin:end]
            if len(documents) and (
                documents[-1] >= len(scores) or int(documents.max()) >= len(scores)
            ):
                continue  # a damaged list
            counts = segment.counts[begin:end].astype(np.float32)
            scores[documents] += np.float32(weight) * counts / (counts + norms[documents])
        return
    from undertow.kernels.cores import thread_count
    from undertow.kernels.cpu import pool
    from undertow.kernels.cpu.postings import add_matches
    from undertow.kernels.cpu.splitting import split

    begins, ends, weights = (np.array(column) for column in zip(*lists, strict=True))
    threads = thread_count(None)
    arguments = (begins, ends, weights, segment.documents, segment.counts, norms, scores)
    pool.run(split(add_matches, len(scores), threads, *arguments, least=65_536), threads)


def best(scores: NDArray[np.floating], n: int) -> NDArray[np.int64]:
    """Places of the n highest scores above 0, best first; of equal ones the lower place first.

    The n-th highest of the blocks' maxima is not above the n-th highest score, and few scores reach
    it: only those are put in order.
    """
    limit = np.finfo(np.float32).tiny
    if len(scores) > 4 * BLOCK * n:
        whole = len(scores) // BLOCK * BLOCK
        highest = scores[:whole].reshape(-1, BLOCK).max(axis=1)
        limit = max(limit, np.partition(highest, -n)[-n])
    elif len(scores) > n:
        limit = max(limit, np.partition(scores, -n)[-n])
    near = np.flatnonzero(scores >= limit)
    found: NDArray[np.int64] = near[np.argsort(-scores[near], kind="stable")[:n]]
    return found
