"""The ways to rank documents for a question: by meaning, by words, by both (the usual way), or by
code.

Every document is scored, whatever the size of the index: words exactly, vectors nearly; then the
best are compared by their true vectors. Only codes are ranked apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.fulltext.full_text import Term, best
from undertow.search.database.kept_rows import KeptRows, vectors_of
from undertow.search.database.lately import Allowance
from undertow.search.database.store import Store
from undertow.search.folder.byte_vectors import BY_KERNEL
from undertow.search.folder.derived_files import DerivedFiles
from undertow.search.ranking.codes import CodesInMemory
from undertow.search.ranking.questions import Question

MODES = ("hybrid", "semantic", "text", "code")
# a match of words half as good as the best counts an eighth: only good ones should outdo meaning
SHARPNESS = 3
SPARE = 8  # documents beyond those asked for that are compared exactly

Dense = NDArray[np.float32]  # a number for each place


@dataclass(frozen=True)
class RankedDocument:
    """A document found: what is kept of it, and how good it is, from 0 to 1."""

    document: dict[str, Any]
    score: float
    vector: NDArray[np.float32]
    place: int = -1  # in the full text
    row: int = -1  # the database's number of it


@dataclass(frozen=True)
class DocumentScores:
    """What was found out about all documents."""

    scores: Dense  # by which they are ranked, nearly: 0 for those that are not found
    words: Dense | None = None  # BM25
    best_words: float = 0.0
    best_cosine: float = 0.0
    weight_of_words: float = 1.0
    weight_of_meaning: float = 1.0
    terms: list[Term] = field(default_factory=list)
    # BM25 of a document of usual length that holds every word of the question once
    possible: float = 0.0

    @property
    def share_of_words(self) -> float:
        """How much of what the words could give the best document has."""
        return min(self.best_words / self.possible, 1.0) if self.possible else 0.0

    def score(self, words: float, cosine: float) -> float:
        """Of a document, by its BM25 and its true cosine."""
        matching = (
            self.weight_of_words * (words / self.best_words) ** SHARPNESS
            if self.best_words
            else 0.0
        )
        return matching + (
            self.weight_of_meaning * cosine / self.best_cosine if self.best_cosine else 0.0
        )

    def shown(self, score: float) -> float:
        """A score as a share of the best possible: a document that is as good as any can be, in
        words and in meaning, has 1. Documents keep their order.
        """
        highest = self.score(self.best_words, self.best_cosine)
        return min(score / (highest or 1.0), 1.0) * max(
            self.share_of_words, min(self.best_cosine, 1.0)
        )


class Ranker:
    """Ranks the documents of one version. What it holds in memory is read when a mode first needs
    it.
    """

    def __init__(
        self, store: Store, derived: DerivedFiles, allowance: Allowance | None = None
    ) -> None:
        self._store, self.derived = store, derived
        self.version = store.version
        self.rows = KeptRows(store, allowance or Allowance())

    def ranked(
        self,
        question: Question,
        scored: DocumentScores | None,
        n: int,
        where: str | None,
        longest: int | None = None,
    ) -> list[RankedDocument]:
        """The best n documents, best first, by their scores or, without any, by their codes; with
        so many characters of their texts.
        """
        return (
            self._by_code(question, n, where, longest)
            if scored is None
            else self._compared(question, scored, n, longest)
        )

    def score(self, question: Question, mode: str, where: str | None = None) -> DocumentScores:
        """All documents for a question."""
        text = self.derived.text
        self.derived.asked()
        answers = self._answers(question, where)
        if mode == "semantic" or (mode == "hybrid" and not question.words):
            cosines, nearest = self._meaning(question, answers)
            return DocumentScores(cosines, best_cosine=nearest)
        terms = text.terms(question.words)
        words = text.scores(terms, compiled=self.derived.compiled)
        _leave_out(words, answers)
        highest = float(words.max(initial=0.0))
        possible = text.possible(question.words)
        if mode == "text":
            return DocumentScores(words, words, highest, terms=terms, possible=possible)
        cosines, nearest = self._meaning(question, answers)
        weights = (
            (question.weight_of_words, question.share_known) if highest and nearest else (1.0, 1.0)
        )
        scores = _fused(words, highest, cosines, nearest, weights, self.derived.compiled)
        return DocumentScores(scores, words, highest, nearest, *weights, terms, possible)

    def _meaning(
        self, question: Question, answers: NDArray[np.bool_] | None
    ) -> tuple[Dense, float]:
        """Cosines, and the best of them."""
        if not question.meant:
            return np.zeros(len(self.derived.text.rows), dtype=np.float32), 0.0
        cosines = self.derived.cosines(question.vector)
        if question.joined is not None:
            np.maximum(cosines, 0.0, out=cosines)  # what is against the question is not found by it
        if self.derived.text.present is not None:
            cosines[~self.derived.text.present] = 0.0
        _leave_out(cosines, answers)
        return cosines, float(cosines.max(initial=0.0))

    def _answers(self, question: Question, where: str | None) -> NDArray[np.bool_] | None:
        """Which places may be found; None for all."""
        text = self.derived.text
        if where is None and question.itself is None:
            return None
        allowed = np.ones(len(text.rows), dtype=bool)
        if where is not None:
            places = text.places(self.rows.matching(where))
            allowed[:] = False
            allowed[places[places >= 0]] = True
        if question.itself is not None:
            places = text.places(question.itself)
            allowed[places[places >= 0]] = False
        return allowed

    def _compared(
        self, question: Question, scored: DocumentScores, n: int, longest: int | None
    ) -> list[RankedDocument]:
        """The best, in the order of their true scores."""
        places = best(scored.scores, n + SPARE)
        numbers = self.derived.text.rows[places]
        rows = self.rows.read(numbers, longest)
        cosines = np.maximum(vectors_of(rows, self._store.units) @ question.vector, 0.0)
        found = []
        for place, number, row, cosine in zip(
            places.tolist(), numbers.tolist(), rows, cosines, strict=True
        ):
            words = 0.0 if scored.words is None else float(scored.words[place])
            score = scored.score(words, float(cosine))
            one = RankedDocument(row.document, scored.shown(score), row.vector, place, number)
            found.append((score, one))
        # Not by what is shown: there, all that are better than the best seemed to be, nearly, have
        # 1.
        return [one for _, one in sorted(found, key=lambda pair: (-pair[0], pair[1].place))[:n]]

    @cached_property
    def _codes(self) -> CodesInMemory:
        return CodesInMemory.of(self._store)

    def _by_code(
        self, question: Question, n: int, where: str | None, longest: int | None
    ) -> list[RankedDocument]:
        if not question.known:
            return []
        allowed = None if where is None else self.rows.matching(where)
        bits = question.encoded.bits.shape[1]
        own = 0 if question.itself is None else len(question.itself)
        numbers, scores = self._codes.nearest(question.encoded.codes[0], bits, n + own, allowed)
        if question.itself is not None:
            others = ~np.isin(numbers, question.itself)
            numbers, scores = numbers[others], scores[others]
        numbers = numbers[:n]
        found = zip(
            self.rows.read(numbers, longest), scores.tolist(), numbers.tolist(), strict=False
        )
        return [
            RankedDocument(row.document, score, row.vector, row=number)
            for row, score, number in found
        ]


def _fused(
    words: Dense,
    highest: float,
    cosines: Dense,
    nearest: float,
    weights: tuple[float, float],
    compiled: bool,
) -> Dense:
    """`DocumentScores.score` of all documents. A document may be found by either."""
    by_words = weights[0] ** (1 / SHARPNESS) / highest if highest else 0.0
    by_cosines = weights[1] / nearest if nearest else 0.0
    if compiled and len(words) >= BY_KERNEL:
        from undertow.kernels.cores import thread_count
        from undertow.kernels.cpu import pool
        from undertow.kernels.cpu.nearest import fuse
        from undertow.kernels.cpu.splitting import split

        scores, threads = np.empty_like(words), thread_count(None)
        arguments = (words, by_words, cosines, by_cosines, scores)
        pool.run(split(fuse, len(words), threads, *arguments, least=65_536), threads)
        return scores
    scores = cosines * np.float32(by_cosines)
    matching = np.flatnonzero(words)
    scores[matching] += (words[matching] * np.float32(by_words)) ** SHARPNESS
    return scores


def _leave_out(scores: Dense, answers: NDArray[np.bool_] | None) -> None:
    if answers is not None:
        scores[~answers] = 0.0
