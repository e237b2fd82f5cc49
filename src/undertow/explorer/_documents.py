"""Answers about documents: search, nearest ones, and one document with what its words did to a
topic.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from fastapi import Response
from numpy.typing import NDArray
from pydantic_core import to_json

from undertow._errors import InvalidInput
from undertow.explorer import _answers as answers
from undertow.explorer._problems import NotFound
from undertow.explorer.source import LONGEST_READ, ShownDocument, Source, shown_document
from undertow.topics.excerpts import title_of

if TYPE_CHECKING:
    from undertow.insight import DocumentView, Span
    from undertow.search import Hit, Index, Why
    from undertow.topics import TopicShare

Mode = Literal["hybrid", "semantic", "text", "code"]

TOPICS_SHOWN = 2  # of a document found
RESULT_TEXT = 600  # characters of a document found
MOST_ALIKE = 100  # near-copies that are named
LONGEST_TEXT = 100_000  # characters of a document that are shown at a time
EDGE = 200  # characters in which a space is looked for, where a part of a text ends


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

    def found(
        self,
        q: str | None,
        like: str | None,
        where: str | None,
        mode: Mode,
        n: int,
        *,
        duplicates: bool = False,
    ) -> Response:
        """The best documents for a text, or those most like one: an `answers.Found` in JSON, made
        without the models, which take as long as the search.
        """
        index, began = self.index, time.perf_counter()
        options: dict[str, Any] = {"where": where, "mode": mode, "duplicates": duplicates}
        try:
            hits = index.search(q, n, like=like, text_length=LONGEST_READ, **options)
        except InvalidInput:
            if like is not None and not self._source.documents([like], text_length=1):
                raise NotFound(f"there is no document with the id {like!r:.80}") from None
            raise
        answer = {
            "results": [_result(hit) for hit in hits],
            "seconds": time.perf_counter() - began,
            "hint": hits.hint,
            "corrected": hits.corrected,
            "total_documents": self._documents,
        }
        return Response(to_json(answer), media_type="application/json")

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

    def page(
        self,
        name: str,
        topic: int | None,
        n: int | None,
        offset: int = 0,
        limit: int = LONGEST_TEXT,
    ) -> answers.DocumentPage:
        """A part of a document, the document's topics, and what the words of the part did to one
        of them: the one asked for, or the largest.
        """
        document = self._document(name)
        whole = len(document.text) <= LONGEST_TEXT
        text, length = self._part(document, offset, limit)
        end = offset + len(text)
        view = self._view(document, document.text if whole else text, topic, n, whole=whole)
        spans = view.spans
        if whole:
            spans = [one for one in spans if offset <= one.start and one.end <= end]
        return answers.DocumentPage(
            id=document.id,
            title=document.title or title_of(document.text) or document.id,
            url=document.url,
            text=text,
            offset=offset,
            next=end if end < length else None,
            length=length,
            shortened=len(text) < length,
            label=document.label,
            split=document.split,
            time=document.time,
            kept=document.kept,
            topics=_shares(view.topics),
            none=max(1.0 - sum(one.share for one in view.topics), 0.0),
            chosen=view.topic,
            total=view.total,
            spans=_spans(spans, text, offset if whole else 0),
        )

    def _part(self, document: ShownDocument, offset: int, limit: int) -> tuple[str, int]:
        """The part of a text that was asked for, and the length of the whole."""
        length = len(document.text)
        if length <= LONGEST_TEXT:
            text = document.text[offset : offset + limit]
        else:
            found = self.index.text_part(document.id, offset, limit)
            if found is None:
                raise NotFound(f"there is no document with the id {document.id!r:.80}")
            text, length = found
        if offset and offset >= length:
            raise InvalidInput(f"offset must be below {length:,}, the text's length, got {offset}")
        return (text if offset + len(text) == length else _to_a_space(text)), length

    def _view(
        self, document: ShownDocument, text: str, topic: int | None, n: int | None, *, whole: bool
    ) -> DocumentView:
        """What words of a text did; topics are those of the whole."""
        from undertow.insight import document_view

        model, ids = self._source.model, [document.id]
        if whole:
            return document_view(model, text, topic, n, others=self.index.others(ids))
        width = model.softmax_.parameters_.units + model.vectors_width_
        vectors = self.index.vectors(ids)[:, :width]
        return document_view(model, text, topic, n, whole=vectors)

    def _document(self, name: str) -> ShownDocument:
        if self._source.index is None:
            raise NotFound("there are no documents: a model was opened, not an index")
        found = self._source.documents([name], text_length=LONGEST_TEXT + 1).get(name)
        if found is None:
            raise NotFound(f"there is no document with the id {name!r:.80}")
        return found


def _to_a_space(text: str) -> str:
    """Ends it behind a space, where there is one near the end, so that no word is cut."""
    for back in range(1, min(EDGE, len(text) - 1)):
        if text[-back].isspace():
            return text[: len(text) - back + 1]
    return text


def utf16_positions(text: str) -> NDArray[np.int64]:
    """How many UTF-16 units stand before each character, and before the end: positions as
    JavaScript counts them.
    """
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    positions = np.zeros(len(letters) + 1, dtype=np.int64)
    np.cumsum(1 + (letters > 0xFFFF), out=positions[1:])
    return positions


def _spans(spans: list[Span], shown: str, offset: int) -> list[answers.Span]:
    """Those within the part that is shown, which begins at `offset`, in JavaScript's positions."""
    units = utf16_positions(shown).tolist()
    return [
        answers.Span(
            start=units[span.start - offset],
            end=units[span.end - offset],
            part=span.part,
            word=span.word,
        )
        for span in spans
        if span.end - offset <= len(shown)
    ]


def _shares(found: Sequence[TopicShare]) -> list[answers.DocumentTopic]:
    return [answers.DocumentTopic(id=one.id, name=one.name, share=one.share) for one in found]


def _result(hit: Hit) -> dict[str, Any]:
    """An `answers.Result`."""
    document = shown_document(hit)
    return {
        "id": document.id,
        "score": hit.score,
        "title": document.title,
        "url": document.url,
        "text": document.body[:RESULT_TEXT],
        "label": document.label,
        "split": document.split,
        "time": document.time,
        "topics": [
            {"id": one.topic, "name": one.name, "share": one.part}
            for one in hit.topics[:TOPICS_SHOWN]
        ],
        "why": _why(hit.why),
        "alike": hit.alike[:MOST_ALIKE],
    }


def _why(why: Why) -> dict[str, Any]:
    """An `answers.Why`."""
    return {
        "words": [{"word": one.word, "part": one.part} for one in why.words],
        "missing": why.missing,
        "topics": [{"id": one.topic, "name": one.name, "part": one.part} for one in why.topics],
    }
