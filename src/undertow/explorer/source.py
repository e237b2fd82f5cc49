"""What an explorer shows: an index with its model, or a model alone."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from undertow import _extras
from undertow._errors import InvalidInput

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.search import Document, Hit, Index

ROLES = ("title", "label", "split", "time", "url")
MOST_LABELS = 1000
LABELS_AT_ONCE = 100_000
LONGEST_LABEL = 1000  # characters; longer ones name no group
LONGEST_FIELD = 10_000  # characters that are shown of a title, a label and further columns
LONGEST_READ = 20_000  # characters of a text that are read unless more are asked for


@dataclass(frozen=True)
class ShownDocument:
    """A document of an index: its text, and what else is known of it. `body` is the text without
    the title.
    """

    id: str
    text: str
    body: str = ""
    title: str | None = None
    url: str | None = None  # of http or https
    # columns without a role, where not empty
    kept: dict[str, str | bool | int | float] = field(default_factory=dict)
    label: str | None = None
    split: str | None = None
    time: str | float | None = None


@dataclass(frozen=True)
class Source:
    """An index and its model, or a model alone.

    Parameters
    ----------
    name : str
        What it is called on the page.
    folder : Path
        Where it lies, or, for an index at an address, where its local files lie.
    model : undertow.TopicModel
        The model.
    index : undertow.Index or None
        The index; None for a model alone.

    Examples
    --------
    >>> from undertow.explorer import Source
    >>> source = Source.open("library")
    >>> source.name, len(source.index)
    ('library', 3)
    """

    name: str
    folder: Path
    model: TopicModel
    index: Index | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Source:
        """What is in a folder, or an index at an address.

        Parameters
        ----------
        path : path
            The folder of an index or a model, or an address such as "s3://bucket/prefix".

        Returns
        -------
        Source
            What is there.

        Raises
        ------
        InvalidInput
            Where there is neither an index nor a model of texts.

        Examples
        --------
        >>> Source.open(model.save("model")).index is None
        True
        """
        if "://" in os.fspath(path):
            from undertow.search import Index

            index = Index.open(path)
            index.fetch_overview()
            return cls(index.address.rpartition("/")[2], index.path, index.model, index)
        folder = Path(path)
        name = folder.resolve().name
        if not folder.is_dir():
            raise InvalidInput(f"the folder to explore must exist, got {os.fspath(path)!r:.200}")
        if (folder / "index.json").is_file():
            from undertow.search import Index

            index = Index.open(folder)
            return cls(name, folder, index.model, index)
        if not (folder / "model.json").is_file():
            raise InvalidInput(
                f"the folder to explore must hold an index (undertow index) or a model (undertow "
                f"fit), got {folder}, which has neither index.json nor model.json"
            )
        from undertow.estimators import TopicModel, load

        model = load(folder)
        if not isinstance(model, TopicModel):
            raise InvalidInput(
                f"the model to explore must be one of texts, got {folder}, a {type(model).__name__}"
            )
        return cls(name, folder, model)

    def check_can_change(self) -> None:
        """Refuses to edit the topics of an index that was opened at an address.

        Raises
        ------
        InvalidInput
            Where it was.

        Examples
        --------
        >>> source.check_can_change()
        """
        if self.index is not None and self.index.is_remote:
            raise InvalidInput(
                f"--edit must be left out for an index at an address, got {self.index.address}: "
                "edit it where it was made, and copy it there"
            )

    def documents(
        self, ids: Sequence[str], text_length: int = LONGEST_READ
    ) -> dict[str, ShownDocument]:
        """Those of the documents that are there, by id.

        Parameters
        ----------
        ids : sequence of str
            Ids, of which some may be missing.
        text_length : int
            How many characters of each text are read.

        Returns
        -------
        dict of str to ShownDocument
            Id -> text, title and what else is known.

        Examples
        --------
        >>> source.documents(["1", "nowhere"])["1"].text
        'the moon and its orbit'
        """
        if self.index is None or not ids:
            return {}
        read = self.index.documents(ids, text_length=text_length)
        found = (one for one in read if one is not None)
        return {one.id: shown_document(one) for one in found}

    def labels(self) -> list[str]:
        """The labels of documents.

        Returns
        -------
        list of str
            In alphabetical order, at most a thousand; none where the index has no labels.

        Examples
        --------
        >>> source.labels()
        []
        """
        if self.index is None or "label" not in self.index.columns:
            return []
        found: set[str] = set()
        for part in self.index.scan(["label"], batch=LABELS_AT_ONCE):
            found.update(part["label"].drop_nulls().unique().to_list())
        return sorted(label for label in found if len(label) <= LONGEST_LABEL)[:MOST_LABELS]


def shown_document(found: Hit | Document) -> ShownDocument:
    """What an index gives, with all values as JSON can hold them."""
    fields = {name: _shortened(value) for name, value in found.fields.items()}
    others = {name: plain_time(value) for name, value in fields.items() if name not in ROLES}
    return ShownDocument(
        found.id,
        found.text,
        found.body,
        _shortened(found.title),
        found.url,
        {name: value for name, value in others.items() if value is not None},
        _text(fields.get("label")),
        _text(fields.get("split")),
        plain_time(fields.get("time")),
    )


def _shortened(value: Any) -> Any:
    return value[:LONGEST_FIELD] if isinstance(value, str) else value


def plain_time(value: Any) -> str | float | None:
    """Dates as they are written in ISO 8601; numbers and texts as they are."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (str, int, float)):
        return value
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


def check_extra() -> None:
    """What the extra installs is there; said before anything is read."""
    _extras.require("undertow explore", "explorer", "fastapi", "uvicorn")


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
