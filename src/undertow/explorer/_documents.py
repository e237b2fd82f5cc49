"""Answers about documents: search, nearest ones, and one document with what its words did to a
topic.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from undertow.explorer import _answers as answers
from undertow.explorer._problems import NotFound
from undertow.explorer.source import ShownDocument, Source, shown_document
from undertow.topics.excerpts import title_of

if TYPE_CHECKING:
    from undertow.insight import Span
    from undertow.search import Hit, Index, Why
    from undertow.topics import TopicShare

Mode = Literal["hybrid", "semantic", "text", "code"]

TOPICS_SHOWN = 2  # of a document found
RESULT_TEXT = 600  # characters of a document found
LONGEST_TEXT = 100_000  # characters of a document that are shown


class DocumentDesk:
    """Answers about the documents of a source."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def index(self) -> Index:
        """The index, or an error for a model without documents."""
        if self._source.index is None:
            raise NotFound("there are no documents: a model was opened, not an index")
        return self._source.index

    @cached_property
    def _documents(self) -> int:
        return len(self.index)

    def search(
        self,
        q: str | None,
        like: str | None,
        where: str | None,
        mode: Mode,
        n: int,
        *,
        duplicates: bool = False,
    ) -> answers.Found:
        """The best documents for a text, or those most like one."""
        index, began = self.index, time.perf_counter()
        if like is not None:
            self._document(like)  # told as not found, where there is none
        hits = index.search(q, n, like=like, where=where, mode=mode, duplicates=duplicates)
        return answers.Found(
            results=[
                _result(hit, topics)
                for hit, topics in zip(hits, self._topics_of(hits), strict=True)
            ],
            seconds=time.perf_counter() - began,
            hint=hits.hint,
            corrected=hits.corrected,
            total_documents=self._documents,
        )

    def _topics_of(self, hits: list[Hit]) -> list[list[answers.DocumentTopic]]:
        """The topics of documents found; a model of an earlier version has none."""
        if not hits or not hasattr(self._source.model, "atlas_"):
            return [[] for _ in hits]
        others = self.index.others([hit.id for hit in hits])
        found = self._source.model.document_topics([hit.text for hit in hits], vectors=others)
        return [_shares(one.topics[:TOPICS_SHOWN]) for one in found]

    def warm_up(self) -> None:
        """Asks once in each mode and looks at one text, so that kernels are compiled and vectors
        are in memory.
        """
        from undertow.insight import document_view

        words = " ".join(self._source.model.words()[:3])
        if self._source.index is not None and words and self._documents:
            for mode in ("hybrid", "code"):
                self._source.index.search(words, 1, mode=mode)
            document_view(self._source.model, words)

    def page(self, name: str, topic: int | None, n: int | None) -> answers.DocumentPage:
        """A document, its topics, and what its words did to a topic: the one asked for, or the
        largest.
        """
        from undertow.insight import document_view

        document = self._document(name)
        others = self.index.others([document.id])
        view = document_view(self._source.model, document.text, topic, n, others=others)
        shown = document.text[:LONGEST_TEXT]
        return answers.DocumentPage(
            id=document.id,
            title=document.title or title_of(document.text) or document.id,
            url=document.url,
            text=shown,
            shortened=len(document.text) > len(shown),
            label=document.label,
            split=document.split,
            time=document.time,
            kept=document.kept,
            topics=_shares(view.topics),
            none=max(1.0 - sum(one.share for one in view.topics), 0.0),
            chosen=view.topic,
            total=view.total,
            spans=_spans(view.spans, shown),
        )

    def _document(self, name: str) -> ShownDocument:
        if self._source.index is None:
            raise NotFound("there are no documents: a model was opened, not an index")
        found = self._source.documents([name]).get(name)
        if found is None:
            raise NotFound(f"there is no document with the id {name!r:.80}")
        return found


def utf16_positions(text: str) -> NDArray[np.int64]:
    """How many UTF-16 units stand before each character, and before the end: positions as
    JavaScript counts them.
    """
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    positions = np.zeros(len(letters) + 1, dtype=np.int64)
    np.cumsum(1 + (letters > 0xFFFF), out=positions[1:])
    return positions


def _spans(spans: list[Span], shown: str) -> list[answers.Span]:
    """Those within the part that is shown, in JavaScript's positions."""
    units = utf16_positions(shown)
    return [
        answers.Span(
            start=int(units[span.start]), end=int(units[span.end]), part=span.part, word=span.word
        )
        for span in spans
        if span.end <= len(shown)
    ]


def _shares(found: Sequence[TopicShare]) -> list[answers.DocumentTopic]:
    return [answers.DocumentTopic(id=one.id, name=one.name, share=one.share) for one in found]


def _result(hit: Hit, topics: list[answers.DocumentTopic]) -> answers.Result:
    document = shown_document(hit)
    return answers.Result(
        id=document.id,
        score=hit.score,
        title=document.title,
        url=document.url,
        text=document.body[:RESULT_TEXT],
        label=document.label,
        split=document.split,
        time=document.time,
        topics=topics,
        why=_why(hit.why),
        alike=list(hit.alike),
    )


def _why(why: Why) -> answers.Why:
    return answers.Why(
        words=[answers.WordPart(word=one.word, part=one.part) for one in why.words],
        missing=list(why.missing),
        topics=[
            answers.SharedTopic(id=one.topic, name=one.name, part=one.part) for one in why.topics
        ],
    )
