"""Reading an index for an assistant: every answer is bounded, whatever the corpus holds."""

from __future__ import annotations

import math
import os
import re
from threading import Lock
from typing import TYPE_CHECKING, Any

from undertow import _check, _extras
from undertow._errors import IndexFileError, InvalidInput
from undertow.assistant.records import (
    About,
    Example,
    Found,
    Passage,
    Results,
    SharedTopic,
    TopicLine,
    TopicList,
    TopicPage,
    Value,
    Why,
)

if TYPE_CHECKING:
    from undertow import search
    from undertow.search import Document, Hit, Index
    from undertow.topics import Topic

MOST_RESULTS = 50
MOST_TOPICS = 200
MOST_CHARACTERS = 20_000  # of a text, in one answer
SNIPPET, LINE = 300, 200  # characters of a text in a list, and of any other value
MOST_FIELDS = 50
LISTED_WORDS, WORDS, MOST_ALIKE = 8, 25, 10


def check_extra() -> None:
    """Checks that what the extra `mcp` installs is there, before anything is read.

    Raises
    ------
    InvalidInput
        Where it is missing, with the command that installs it.

    Examples
    --------
    >>> from undertow.assistant import check_extra
    >>> check_extra()
    """
    _extras.require("undertow serve-mcp", "mcp", "mcp")


class Reader:
    """An index, as an assistant may read it: what others change meanwhile is seen by the next call.

    One call at a time looks at the index; the others wait.

    Parameters
    ----------
    path : path
        The folder of the index, or its address.

    Examples
    --------
    >>> from undertow.assistant import Reader
    >>> reader = Reader("library")
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._opened = _open(path)
        self._lock = Lock()

    def search(
        self,
        query: str | None = None,
        n: int = 10,
        *,
        like: str | None = None,
        where: str | None = None,
        mode: str | None = None,
    ) -> Results:
        """The best documents for words or a text, or those most like a document.

        Parameters
        ----------
        query : str, optional
            Words or a text; without it `like` is given.
        n : int
            How many results there may be, 50 at most.
        like : str, optional
            The id of a document.
        where : str, optional
            A condition on columns, as `Index.search` takes it.
        mode : str, optional
            How documents are ranked, as of `Index.search`.

        Returns
        -------
        undertow.assistant.records.Results
            Results, a hint, and words that were corrected.

        Raises
        ------
        InvalidInput
            Where the question cannot be understood.

        Examples
        --------
        >>> [found.id for found in reader.search("apples", 1).results]
        ['2']
        """
        _check_range("n", n, 1, MOST_RESULTS)
        # the index has a default of its own
        chosen: dict[str, Any] = {} if mode is None else {"mode": mode}
        with self._lock:
            index = self._current()
            hits = index.search(query, n, like=like, where=where, **chosen)
        hint = None if hits.hint is None else _short(hits.hint, SNIPPET)
        corrected = {_short(typed): _short(other) for typed, other in hits.corrected.items()}
        return Results([_found(hit) for hit in hits], hint, corrected)

    def document(self, id: str, offset: int = 0, length: int = 8000) -> Passage:
        """The document with an id, or a part of its text.

        Parameters
        ----------
        id : str
            Its id.
        offset, length : int
            Where the part begins, and how many characters it may have, 20,000 at most.

        Returns
        -------
        undertow.assistant.records.Passage
            The part, and where the next one begins.

        Raises
        ------
        InvalidInput
            Where there is no such document.

        Examples
        --------
        >>> reader.document("0", length=8).text
        'a rocket'
        """
        _check.whole_number("offset", offset, at_least=0)
        _check_range("length", length, 1, MOST_CHARACTERS)
        with self._lock:
            document = self._current().document(id)
        if document is None:
            raise InvalidInput(f"id must be that of a document of the index, got {id!r:.80}")
        end, whole = offset + length, len(document.text)
        text = document.text[offset:end]
        return Passage(id, *_known(document), text, offset, whole, end if end < whole else None)

    def topics(self, n: int | None = None) -> TopicList:
        """The topics of a cut, the widest first.

        Parameters
        ----------
        n : int, optional
            How many, from 2 to 200; without it as many as the corpus suggests.

        Returns
        -------
        undertow.assistant.records.TopicList
            A line for each, and how many were left out.

        Examples
        --------
        >>> len(reader.topics(n=2).topics)
        2
        """
        if n is not None:
            _check_range("n", n, 2, MOST_TOPICS)
        with self._lock:
            topics = self._current().model.topics(n, n_words=LISTED_WORDS)
        return TopicList(
            [_line(topic) for topic in topics[:MOST_TOPICS]], max(len(topics) - MOST_TOPICS, 0)
        )

    def topic(self, id: int) -> TopicPage:
        """The topic with an id, of any cut, with documents that are typical of it.

        Parameters
        ----------
        id : int
            Its id.

        Returns
        -------
        undertow.assistant.records.TopicPage
            Its words, pairs of words, and examples.

        Raises
        ------
        InvalidInput
            Where there is no such topic.

        Examples
        --------
        >>> first = reader.topics(n=2).topics[0]
        >>> reader.topic(first.id).name == first.name
        True
        """
        with self._lock:
            index = self._current()
            topic = index.model.topic(id, n_words=WORDS)
            there = index.documents([one.id for one in topic.typical])
        examples = [
            Example(one.id, _short(one.title), _short(one.sentence, SNIPPET), document is not None)
            for one, document in zip(topic.typical, there, strict=True)
        ]
        line, phrases = _line(topic), [_short(phrase.word) for phrase in topic.phrases[:WORDS]]
        return TopicPage(
            line.id, line.name, line.words, phrases, line.documents, line.share, examples,
            topic.parent, list(topic.children),
        )  # fmt: skip

    def about(self) -> About:
        """What the index holds.

        Returns
        -------
        undertow.assistant.records.About
            Its name, and the numbers of documents, topics and words.

        Examples
        --------
        >>> reader.about().documents
        3
        """
        with self._lock:
            index = self._current()
            model, documents, columns = index.model, len(index), index.columns
        grown = hasattr(model, "atlas_")  # a model of an earlier version has no topics
        return About(
            name=re.split(r"[/\\]", index.address)[-1],
            documents=documents,
            columns=columns,
            topics=len(model.topic_names()) if grown else None,
            smallest_topics=len(model.atlas_.tree.leaves) if grown else None,
            words_known=len(model.words()),
        )

    def _current(self) -> Index:
        """The index as it is now, also when another took its place."""
        try:
            self._opened.refresh()
        except IndexFileError:
            self._opened = _open(self._path)
        return self._opened


def _open(path: str | os.PathLike[str]) -> Index:
    from undertow.search import Index

    return Index.open(path)


def _check_range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidInput(f"{name} must be from {least:,} to {most:,}, got {value:,}")


def _found(hit: Hit) -> Found:
    """A hit as it is told; what hits come to hold is added here and in `Found`."""
    title, url, fields = _known(hit)
    return Found(
        hit.id,
        title,
        url,
        round(hit.score, 4),
        _short(hit.body, SNIPPET),
        fields,
        _why(hit.why),
        list(hit.alike[:MOST_ALIKE]),
    )


def _known(document: Hit | Document) -> tuple[str | None, str | None, dict[str, Value]]:
    """Title, link and what else is known of a document."""
    rest = {name: value for name, value in document.fields.items() if name not in ("title", "url")}
    return document.title and _short(document.title), document.url, _fields(rest)


def _why(why: search.Why) -> Why:
    return Why(
        words=[_short(part.word) for part in why.words],
        missing=[_short(word) for word in why.missing],
        topics=[SharedTopic(part.topic, _short(part.name)) for part in why.topics],
    )


def _line(topic: Topic) -> TopicLine:
    words = [_short(word.word) for word in topic.words]
    return TopicLine(topic.id, _short(topic.name), words, topic.documents, round(topic.share, 4))


def _fields(fields: dict[str, Any]) -> dict[str, Value]:
    """What else is known of a document, as JSON can hold it; what is missing is left out."""
    known = [(name, _value(value)) for name, value in fields.items()]
    return {name: value for name, value in known[:MOST_FIELDS] if value is not None}


def _value(value: Any) -> Value:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None  # JSON has no word for it
    if isinstance(value, bool | int | float):
        return value
    return _short(value.isoformat() if hasattr(value, "isoformat") else str(value))


def _short(text: str, most: int = LINE) -> str:
    """One line of at most so many characters."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 3] + "..."
