"""Editing topics: one action at a time, kept on disk before it is answered, and undone where that
fails.
"""

from __future__ import annotations

import json
import logging
import threading
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from undertow._errors import InvalidInput, UndertowError
from undertow.explorer import _answers as answers
from undertow.explorer._fixed_responses import FixedResponse
from undertow.explorer._saving import Saver
from undertow.explorer._topics import TopicDesk
from undertow.explorer.source import Source
from undertow.topics.curation import LONGEST_NAME, Curation

if TYPE_CHECKING:
    from undertow.estimators import TopicModel

MOST_AT_ONCE = 100  # topics of a merge, words of a seed
LONGEST_WORD = 200

Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
Name = Annotated[str, Field(max_length=LONGEST_NAME)]

logger = logging.getLogger("undertow")


class _Action(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Rename(_Action):
    """Gives a topic another name; an empty one gives it back its own."""

    action: Literal["rename"]
    topic: Number
    name: Name

    def apply(self, model: TopicModel) -> list[int]:
        """Does it."""
        model.rename_topic(self.topic, self.name.strip())
        return []


class Merge(_Action):
    """Makes one topic of several."""

    action: Literal["merge"]
    topics: Annotated[list[Number], Field(min_length=2, max_length=MOST_AT_ONCE)]
    name: Name | None = None

    def apply(self, model: TopicModel) -> list[int]:
        """Does it."""
        return [model.merge_topics(self.topics, (self.name or "").strip() or None)]


class Split(_Action):
    """Shows the parts of a topic in its place."""

    action: Literal["split"]
    topic: Number

    def apply(self, model: TopicModel) -> list[int]:
        """Does it."""
        return list(model.split_topic(self.topic))


class Drop(_Action):
    """Declares a topic to be junk."""

    action: Literal["drop"]
    topic: Number

    def apply(self, model: TopicModel) -> list[int]:
        """Does it."""
        model.drop_topic(self.topic)
        return []


class Restore(_Action):
    """Takes a drop back."""

    action: Literal["restore"]
    topic: Number

    def apply(self, model: TopicModel) -> list[int]:
        """Does it."""
        model.restore_topic(self.topic)
        return []


class Move(_Action):
    """Hangs a topic below another one, or below the root."""

    action: Literal["move"]
    topic: Number
    under: Number | None

    def apply(self, model: TopicModel) -> list[int]:
        """Does it."""
        model.move_topic(self.topic, self.under)
        return []


class Seed(_Action):
    """Makes a topic around words."""

    action: Literal["seed"]
    name: Name
    words: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=LONGEST_WORD)]],
        Field(min_length=1, max_length=MOST_AT_ONCE),
    ]

    def apply(self, model: TopicModel) -> list[int]:
        """Does it; words that stand out nowhere are an error, so that the page can say so."""
        made = model.seed_topic(self.name, self.words)
        if made is None:
            told = ", ".join(self.words)
            raise InvalidInput(
                f"words must stand out in some part of the documents, got {told!r:.200}, which do "
                f"not"
            )
        return [made]


Edit = Annotated[
    Rename | Merge | Split | Drop | Restore | Move | Seed, Field(discriminator="action")
]


class EditDesk:
    """Does what a page asks to be done to topics. Without a saver there is nothing but the list of
    what was done.
    """

    def __init__(self, source: Source, topics: TopicDesk, saver: Saver | None) -> None:
        self._source, self._topics, self._saver = source, topics, saver
        self._lock = threading.Lock()

    def edit(self, action: Edit) -> answers.Edited:
        """Applies and keeps one action. An error leaves topics as they were, in memory and on
        disk.
        """
        model = self._source.model
        with self._lock:
            before = self._topics.atlas, model.curation_
            try:
                made = action.apply(model)
                self._save()
            except BaseException:
                model.atlas_, model.curation_ = before
                raise
            return answers.Edited(made=made, tree=self._topics.tree())

    def _save(self) -> None:
        assert self._saver is not None
        try:
            self._saver.save()
        except InvalidInput:
            raise
        except (OSError, UndertowError) as error:
            logger.error("the edited model could not be stored: %s", error)
            raise InvalidInput(
                "the model must be writable where it is stored, got an error: nothing was changed"
            ) from None

    def curation(self) -> FixedResponse:
        """All that was done, as `TopicModel.save_curation` writes it."""
        _ = self._topics.atlas
        done: Curation = self._source.model.curation_
        return FixedResponse(
            (json.dumps(done.plain(), indent=2, ensure_ascii=False) + "\n").encode(),
            "application/json",
        )
