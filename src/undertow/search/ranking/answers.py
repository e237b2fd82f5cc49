"""From a question to hits: the best documents, near-copies of each other together, and why each was
found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from undertow.fulltext.near_copies import MOST as LOOKED_AT
from undertow.fulltext.near_copies import fold_shingles
from undertow.search.ranking.modes import DocumentScores, RankedDocument, Ranker
from undertow.search.ranking.questions import TypedQuestion
from undertow.search.ranking.reasons import SharedTopics, SharedWords, shared_words
from undertow.search.results import Hit, Results, TopicPart, Why, hit_of

POOR = 0.25  # a best score below it is no good answer
DEEPER = 4  # times as many documents are looked at where copies took the places of others,
DEEPEST = 2000  # and so many at most: each is compared with all others

Topics = list[tuple[TopicPart, ...]]


@dataclass(frozen=True)
class AnswerOptions:
    """What was asked for beside the question."""

    n: int
    mode: str
    where: str | None  # in the database's words
    folded: bool
    reasons: bool
    longest: int | None = None  # characters of a text; None for all


def answer(
    ranker: Ranker, asked: TypedQuestion, options: AnswerOptions, topics: SharedTopics | None
) -> Results:
    """The hits of a question; `topics` are those of the model, if it has any."""
    scored = (
        None
        if options.mode == "code"
        else ranker.score(asked.question, options.mode, options.where)
    )
    groups = _groups(ranker, asked, scored, options)
    leaders = [group[0] for group in groups]
    hits = [
        hit_of(
            group[0].document,
            group[0].score,
            [one.document["id"] for one in group[1:]],
            options.longest,
        )
        for group in groups
    ]
    if options.reasons and hits:
        words = _words(ranker, asked, scored, leaders)
        shared, own = _topics(ranker, asked, leaders, topics)
        hits = [
            replace(hit, why=Why(held.words, held.missing, both), topics=about)
            for hit, held, both, about in zip(hits, words, shared, own, strict=True)
        ]
    return Results(hits, corrected=asked.corrected, hint=_hint(asked, hits, options))


def _groups(
    ranker: Ranker, asked: TypedQuestion, scored: DocumentScores | None, options: AnswerOptions
) -> list[list[RankedDocument]]:
    """The best n documents, each with those after it that are nearly the same."""
    wanted = options.n + (options.n // 5 + 2 if options.folded else 0)
    longest = None if options.longest is None else max(options.longest, LOOKED_AT)
    while True:
        found = ranker.ranked(asked.question, scored, wanted, options.where, longest)
        groups = _folded(ranker, found) if options.folded else [[one] for one in found]
        if len(groups) >= options.n or len(found) < wanted or wanted >= DEEPEST:
            return groups[: options.n]
        wanted = min(wanted * DEEPER, DEEPEST)


def _folded(ranker: Ranker, found: Sequence[RankedDocument]) -> list[list[RankedDocument]]:
    groups: dict[int, list[RankedDocument]] = {}
    shingles = [ranker.rows.shingles(one.row, one.document["text"]) for one in found]
    for one, leader in zip(found, fold_shingles(shingles), strict=True):
        groups.setdefault(leader, []).append(one)
    return list(groups.values())


def _words(
    ranker: Ranker,
    asked: TypedQuestion,
    scored: DocumentScores | None,
    found: list[RankedDocument],
) -> list[SharedWords]:
    """The words that question and documents share."""
    if scored is None or not scored.terms:
        return [SharedWords((), ())] * len(found)
    places = [one.place for one in found]
    return shared_words(ranker.derived.text, scored.terms, asked.typed, places)


def _topics(
    ranker: Ranker, asked: TypedQuestion, found: list[RankedDocument], topics: SharedTopics | None
) -> tuple[Topics, Topics]:
    """The topics that question and documents share, and the documents' own."""
    nothing: Topics = [()] * len(found)
    if topics is None:
        return nothing, nothing
    vectors = np.array([one.vector for one in found])
    shares = topics.shares(vectors, [(ranker.version, one.row) for one in found])
    meant = asked.question.meant
    shared = topics.of(asked.question.vector, shares) if meant else nothing
    return shared, topics.largest(shares)


def _hint(asked: TypedQuestion, hits: list[Hit], options: AnswerOptions) -> str | None:
    """What to say where nothing good was found; None where something was."""
    strange = ", ".join(map(repr, asked.unknown[:4]))
    if not hits:
        return _why_nothing(asked, options)
    if hits[0].score < POOR:
        return "Nothing fits well." + (
            f" No document holds {strange}." if strange else " Try other words."
        )
    return (
        f"No document holds {strange}." if strange and options.mode in ("hybrid", "text") else None
    )


def _why_nothing(asked: TypedQuestion, options: AnswerOptions) -> str:
    if options.where is not None:
        return "Nothing found: try it without the filter."
    needed = {"semantic": asked.question.meant, "code": asked.question.known}
    if not needed.get(options.mode, True):
        return (
            "Nothing found: the model knows no word of the question. Mode text looks for the words "
            "themselves."
        )
    return "Nothing found: no document holds a word of the question."
