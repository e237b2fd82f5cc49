"""Changes to topics, as options of the command line say them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.topics.curation import Matched

Lines = list[str]
Make = Callable[["TopicModel"], Lines]


@dataclass(frozen=True)
class Change:
    """One change: the option as it was typed, and what makes it, which tells what was done in
    lines.
    """

    typed: str
    make: Make


def read(given: Mapping[str, Sequence[str] | None]) -> list[Change]:
    """The changes that options ask for, in the order in which they are made; wrong ones are refused
    at once.
    """
    return [
        Change(f"{option} {text}", READERS[option](option, text))
        for option in READERS
        for text in given.get(option) or ()
    ]


def make(model: TopicModel, changes: Sequence[Change]) -> Lines:
    """Makes all changes and tells what was done; the message of an error begins with the option as
    it was typed.
    """
    from undertow._errors import InvalidInput

    lines: Lines = []
    for change in changes:
        try:
            lines += change.make(model)
        except InvalidInput as error:
            raise InvalidInput(f"{change.typed}: {error}") from None
    return lines


def name_and_words(option: str, text: str) -> tuple[str, list[str]]:
    """The parts of NAME=WORD,WORD."""
    name, given, listed = text.partition("=")
    words = [word.strip() for word in listed.split(",") if word.strip()]
    if not given or not name.strip() or not words:
        raise _wrong(option, "NAME=WORD,WORD", text)
    return name.strip(), words


def _apply(option: str, text: str) -> Make:
    from undertow._errors import InvalidInput
    from undertow.topics.curation import Curation

    if not Path(text).is_file():
        raise InvalidInput(f"{option} must be a curation file, got {text}, which does not exist")
    curation = Curation.load(text)

    def make(model: TopicModel) -> Lines:
        found = model.apply_curation(curation)
        done = sum(matched.problem is None for matched in found)
        return [*map(_told, found), f"Applied {done} of {len(found)} actions of {text}."]

    return make


def _seed(option: str, text: str) -> Make:
    name, words = name_and_words(option, text)

    def make(model: TopicModel) -> Lines:
        made = model.seed_topic(name, words)
        if made is None:
            return [f"No topic for {name!r}: its words stand out in no part of the corpus."]
        return [
            f"Made {_called(model, made)} around {', '.join(words)}: {_documents(model, made)}."
        ]

    return make


def _merge(option: str, text: str) -> Make:
    listed, _, name = text.partition("=")
    topics = [_number(option, "ID,ID[,ID][=NAME]", part, text) for part in listed.split(",")]

    def make(model: TopicModel) -> Lines:
        parts = [_called(model, topic) for topic in topics]
        made = model.merge_topics(topics, name.strip() or None)
        return [f"Merged {_joined(parts)} into {_called(model, made)}: {_documents(model, made)}."]

    return make


def _split(option: str, text: str) -> Make:
    topic = _number(option, "ID", text, text)

    def make(model: TopicModel) -> Lines:
        whole = _called(model, topic)
        return [
            f"Split {whole} into "
            f"{_joined([_called(model, part) for part in model.split_topic(topic)])}."
        ]

    return make


def _move(option: str, text: str) -> Make:
    form = "ID:PARENT or ID:root"
    first, _, second = text.partition(":")
    topic = _number(option, form, first, text)
    under = None if second.strip() == "root" else _number(option, form, second, text)

    def make(model: TopicModel) -> Lines:
        place = "the root" if under is None else _called(model, under)
        moved = _called(model, topic)
        model.move_topic(topic, under)
        return [f"Moved {moved} below {place}."]

    return make


def _drop(option: str, text: str) -> Make:
    topic = _number(option, "ID", text, text)

    def make(model: TopicModel) -> Lines:
        line = (
            f"Dropped {_called(model, topic)}: {_documents(model, topic)} belong to no topic now."
        )
        model.drop_topic(topic)
        return [line]

    return make


def _restore(option: str, text: str) -> Make:
    topic = _number(option, "ID", text, text)

    def make(model: TopicModel) -> Lines:
        model.restore_topic(topic)
        return [f"Restored {_called(model, topic)}: {_documents(model, topic)}."]

    return make


def _rename(option: str, text: str) -> Make:
    listed, given, name = text.partition("=")
    topic = _number(option, "ID=NAME", listed if given else "", text)

    def make(model: TopicModel) -> Lines:
        before = _called(model, topic)
        model.rename_topic(topic, name.strip())
        return [f"Renamed {before} to {model.topic(topic).name!r}."]

    return make


# In this order: what leaves ids as they are comes before what makes topics of others and may use
# them up.
READERS: dict[str, Callable[[str, str], Make]] = {
    "--apply": _apply,
    "--restore": _restore,
    "--rename": _rename,
    "--split": _split,
    "--drop": _drop,
    "--merge": _merge,
    "--move": _move,
    "--seed-topic": _seed,
}


def _number(option: str, form: str, part: str, whole: str) -> int:
    if not part.strip().isdecimal():
        raise _wrong(option, form, whole)
    return int(part)


def _wrong(option: str, form: str, text: str) -> Exception:
    from undertow._errors import InvalidInput

    return InvalidInput(f"{option} must be {form}, got {text!r}")


def _called(model: TopicModel, topic: int) -> str:
    return f"{topic} {model.topic(topic).name!r}"


def _documents(model: TopicModel, topic: int) -> str:
    number = model.topic(topic).documents
    return "1 document" if number == 1 else f"{number:,} documents"


def _joined(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _told(matched: Matched) -> str:
    """An action of a curation file, and what it came to."""
    action = matched.action
    topics = [key.told() for key in action.topics]
    what = {
        "move": lambda: f"move {topics[0]} below {topics[1] if len(topics) > 1 else 'the root'}",
        "rename": lambda: f"rename {topics[0]} to {action.name!r}",
        "merge": lambda: (
            f"merge {_joined(topics)}" + (f" as {action.name!r}" if action.name else "")
        ),
        "seed": lambda: f"seed {action.name!r}",
    }.get(action.kind, lambda: f"{action.kind} {_joined(topics)}")()
    if matched.problem is not None:
        return f"Left out: {what}: {matched.problem}."
    numbers = _joined([str(topic) for topic in matched.topics])
    return f"Found: {what}: {'topic' if len(matched.topics) == 1 else 'topics'} {numbers}."
