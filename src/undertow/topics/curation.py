"""What a person did to topics: rename, merge, split, drop, move, seed; kept as a small readable
file.

Every action names the topics that it was done to by their ids and by what they are: hashes of
documents in them, and words. A later fit has other topics with other ids; there an action is done
to the topic that holds the same documents, or, where these are not known, to the one with the same
words.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.topics import _topic_matching, _words
from undertow.topics._topic_matching import TopicKey
from undertow.topics.atlas import Atlas

FORMAT = 1
ACTIONS = ("rename", "merge", "split", "drop", "restore", "move", "seed")
LONGEST_NAME = 200
LARGEST_FILE = 2**26  # bytes
STANDS_OUT = 1.5  # times as often as in all documents: where a seed's words stand out
LEAST_LIFT = 2.0  # of the best leaf, without which a seed is absent,
# or so much of what is possible: words of half the corpus cannot stand out twofold
NEARLY_ALL = 0.85

Examples = Callable[[Sequence[str]], NDArray[np.int32]]


@dataclass(frozen=True)
class Action:
    """One thing that was done. `made` are the ids that came of it."""

    kind: str
    topics: tuple[TopicKey, ...] = ()
    name: str | None = None
    words: tuple[str, ...] = ()  # of a seed
    documents: tuple[str, ...] = ()  # texts of a seed
    made: tuple[int, ...] = ()


@dataclass(frozen=True)
class Matched:
    """What an action came to in another fit: the topics it was done to, or why it was left out."""

    action: Action
    topics: tuple[int, ...]
    problem: str | None = None


@dataclass(frozen=True)
class Curation:
    """All that was done, in its order; `tree` says to which tree."""

    actions: tuple[Action, ...] = ()
    tree: str = ""

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a file that can be read, edited, and applied to a later fit."""
        from undertow.storage import write_text

        return write_text(path, json.dumps(self.plain(), indent=2, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Curation:
        """What `save` wrote, edited or not; a file that ends in .toml may say the same in TOML."""
        file = Path(path)
        try:
            size = file.stat().st_size
            text = file.read_text(encoding="utf-8") if size <= LARGEST_FILE else ""
        except (OSError, ValueError) as error:  # no file, no UTF-8, no path
            raise InvalidInput(
                f"{file} must be a curation file that can be read: {error}"
            ) from None
        if size > LARGEST_FILE:
            raise InvalidInput(f"{file} must have at most {LARGEST_FILE:,} bytes, got {size:,}")
        return cls.from_text(text, str(file), toml=file.suffix == ".toml")

    @classmethod
    def from_text(cls, text: str, name: str, *, toml: bool = False) -> Curation:
        """The curation that a text says."""
        import tomllib

        try:
            found = tomllib.loads(text) if toml else json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(
                f"{name} must be {'TOML' if toml else 'JSON'}, got {error}"
            ) from None
        return cls.from_plain(found, name)

    def plain(self) -> dict[str, Any]:
        """As JSON holds it; what is empty is left out."""
        actions = []
        for action in self.actions:
            told = {
                "kind": action.kind,
                **{k: v for k, v in asdict(action).items() if v and k not in ("kind", "topics")},
            }
            if action.topics:
                told["topics"] = [key.plain() for key in action.topics]
            actions.append(told)
        return {"format": FORMAT, "tree": self.tree, "actions": actions}

    @classmethod
    def from_plain(cls, found: Any, name: str) -> Curation:
        """Checked: an edited file, or a stranger's."""
        if not isinstance(found, dict) or not isinstance(found.get("actions"), list):
            raise InvalidInput(f"{name} must hold a list of actions, got {found!r:.60}")
        if found.get("format", FORMAT) != FORMAT:
            raise InvalidInput(f"{name} must be of format {FORMAT}, got {found['format']!r:.20}")
        tree = found.get("tree", "")
        if not isinstance(tree, str):
            raise InvalidInput(f"tree in {name} must be a text, got {tree!r:.60}")
        return cls(tuple(_checked_action(one, name) for one in found["actions"]), tree)


@dataclass
class Curator:
    """Changes an atlas, and writes down what was done. Errors leave both as they were."""

    atlas: Atlas
    curation: Curation
    _keys: dict[int, TopicKey] = field(default_factory=dict)

    def rename(self, topic: int, name: str) -> None:
        """Another name; an empty one gives a topic back its own."""
        node = self.atlas.checked(topic)
        names = {known: said for known, said in self.atlas.names.items() if known != node}
        key = self._key(node)
        if name:
            names[node] = self._free_name(name, {node})
        self.atlas = self.atlas.changed(self.atlas.tree, names)
        self._note(Action("rename", (key,), name))

    def merge(self, topics: Sequence[int], name: str | None = None) -> int:
        """One topic of several, in the place of the first."""
        nodes = [self.atlas.checked(topic, "topics") for topic in topics]
        if len(set(nodes)) < 2 or len(set(nodes)) != len(nodes):
            raise InvalidInput(f"topics must be at least two different topics, got {list(topics)}")
        for node in nodes:
            if any(other in self.atlas.tree.below(node) for other in nodes if other != node):
                raise InvalidInput(f"topics must not lie in each other, got {list(topics)}")
        keys = tuple(self._key(node) for node in nodes)
        tree = self.atlas.tree
        others = self._own_cut().difference(nodes)
        place = int(tree.parents[nodes[0]])
        tree, made = tree.with_new(0.0, place)  # one topic, whatever the cut
        for node in nodes:
            tree = tree.moved(node, made)
        names = dict(self.atlas.names)
        if name:
            names[made] = self._free_name(name, tree.below(made))
        self.atlas = self.atlas.changed(tree, names)
        self._keep_listed(others, tree.below(made))
        self._note(Action("merge", keys, name, made=(made,)))
        return made

    def split(self, topic: int) -> tuple[int, ...]:
        """Shows the parts of a topic instead of it."""
        node = self.atlas.checked(topic)
        parts = tuple(self.atlas.tree.children(node))
        if not parts:
            raise InvalidInput(
                f"topic must have parts to be split, got {topic}, which is one of the smallest "
                f"topics"
            )
        key, listed = self._key(node), self._own_cut()
        self.atlas = self.atlas.changed(self.atlas.tree.with_height(node, float("inf")))
        if node in listed:
            self._keep_listed(listed - {node}, self.atlas.tree.below(node))
        self._note(Action("split", (key,), made=parts))
        return parts

    def drop(self, topic: int) -> None:
        """Declares a topic to be junk."""
        self._drop(topic, True)

    def restore(self, topic: int) -> None:
        """Takes that back."""
        self._drop(topic, False)

    def _drop(self, topic: int, dropped: bool) -> None:
        node = self.atlas.checked(topic)
        key, others = self._key(node), self._own_cut() - self.atlas.tree.below(node)
        tree = self.atlas.tree.with_dropped(node, dropped)
        if dropped and not tree.cut(2):
            raise InvalidInput("topic must not be the last one that is not dropped, got just that")
        self.atlas = self.atlas.changed(tree)
        self._keep_listed(others, tree.below(node))
        self._note(Action("drop" if dropped else "restore", (key,)))

    def move(self, topic: int, under: int | None) -> None:
        """Hangs a topic below another, or below the root."""
        node = self.atlas.checked(topic)
        place = self.atlas.tree.root if under is None else self.atlas.checked(under, "under")
        if under is not None and not self.atlas.tree.children(place):
            raise InvalidInput(
                f"under must be a topic that has parts, got {under}, which is one of the smallest"
            )
        keys = (self._key(node), *(() if under is None else (self._key(place),)))
        self.atlas = self.atlas.changed(self.atlas.tree.moved(node, place))
        self._note(Action("move", keys))

    def seed(
        self,
        name: str,
        words: Sequence[str],
        leaves: NDArray[np.int32],
        documents: Sequence[str] = (),
    ) -> int | None:
        """A topic around words and around the leaves of example documents; None where the words
        stand out nowhere.
        """
        if isinstance(words, str) or not (len(words) or len(leaves)):
            raise InvalidInput(
                f"words must be a list of words, or documents be given, got {words!r:.60}"
            )
        rows = np.unique(
            np.concatenate([leaves_of_words(self.atlas, words), leaves[leaves >= 0]])
        ).astype(np.int64)
        if not len(rows):
            return None
        tree = self.atlas.tree
        nodes = [int(node) for node in tree.leaves[rows]]
        left = set(np.delete(tree.positions(sorted(self._own_cut())), rows).tolist()) - {-1}
        tree, made = tree.with_new(0.0, tree.root)
        for node in nodes:
            tree = tree.moved(node, made)
        self.atlas = self.atlas.changed(
            tree, {**self.atlas.names, made: self._free_name(name, tree.below(made))}
        )
        self.atlas = replace(self.atlas, chosen=len(left) + 1)
        self._note(Action("seed", (), name, tuple(map(str, words)), tuple(documents), (made,)))
        return made

    def apply(self, curation: Curation, examples: Examples) -> list[Matched]:
        """Does what another curation says, as far as its topics are found."""
        same = bool(curation.tree) and curation.tree == self.atlas.identity
        ids: dict[int, int] = {}
        found = []
        for action in curation.actions:
            places = [
                ids.get(key.id) or _topic_matching.find(self.atlas, key, same)
                for key in action.topics
            ]
            if any(place is None for place in places):
                lost = next(
                    key for key, place in zip(action.topics, places, strict=True) if place is None
                )
                found.append(Matched(action, (), f"no topic like {lost.told()} was found"))
                continue
            found.append(
                self._again(
                    action, [int(place) for place in places if place is not None], examples, ids
                )
            )
        return found

    def _again(
        self, action: Action, places: list[int], examples: Examples, ids: dict[int, int]
    ) -> Matched:
        before = self.atlas, self.curation
        try:
            made = self._do(action, places, examples)
        except InvalidInput as error:
            self.atlas, self.curation = before
            return Matched(action, tuple(places), str(error))
        if action.kind == "seed" and not made:
            return Matched(action, (), f"the words of {action.name!r} stand out nowhere")
        ids.update(zip(action.made, made, strict=False))
        return Matched(action, tuple(places) or made)

    def _do(self, action: Action, places: list[int], examples: Examples) -> tuple[int, ...]:
        if action.kind == "rename":
            self.rename(places[0], action.name or "")
        elif action.kind == "merge":
            return (self.merge(places, action.name),)
        elif action.kind == "split":
            return self.split(places[0])
        elif action.kind == "move":
            self.move(places[0], places[1] if len(places) > 1 else None)
        elif action.kind == "seed":
            made = self.seed(
                action.name or "", action.words, examples(action.documents), action.documents
            )
            return () if made is None else (made,)
        else:
            self._drop(places[0], action.kind == "drop")
        return ()

    def _own_cut(self) -> set[int]:
        return set(self.atlas.tree.cut(self.atlas.chosen))

    def _keep_listed(self, others: set[int], inside: set[int]) -> None:
        """The model's own cut goes on to list the others as they were; only what is inside the
        change differs.
        """
        tree, most = self.atlas.tree, 2 * len(others) + len(inside)
        same = (
            n for n in range(max(len(others), 1), most + 1) if set(tree.cut(n)) - inside == others
        )
        self.atlas = replace(self.atlas, chosen=next(same, self.atlas.chosen))

    def _key(self, node: int) -> TopicKey:
        return _topic_matching.key_of(self.atlas, node)

    def _note(self, action: Action) -> None:
        self.curation = replace(
            self.curation, actions=(*self.curation.actions, action), tree=self.atlas.identity
        )

    def _free_name(self, name: str, own: set[int]) -> str:
        """A checked name that no topic but these has been given."""
        checked = checked_name(name)
        for other, known in self.atlas.names.items():
            if known == checked and other not in own and other in self.atlas.tree:
                raise InvalidInput(
                    f"name must not be that of another topic, got {name!r}, which topic {other} has"
                )
        return checked


def leaves_of_words(atlas: Atlas, words: Sequence[str]) -> NDArray[np.int64]:
    """The leaves in which at least half of the words stand out: they are in more of a leaf's
    documents than elsewhere.

    Words are looked up as they are written, or as a form of a word of the vocabulary ("patients"
    finds "patient").
    """
    columns = [
        column
        for word in words
        for column in [_column(atlas, str(word).lower())]
        if column is not None
    ]
    if not columns:
        return np.zeros(0, dtype=np.int64)
    counts = atlas.terms.counts[:, columns].toarray().astype(np.float64)
    sizes = np.maximum(atlas.terms.sizes, 1)[:, None]
    everywhere = np.maximum(atlas.terms.frequencies[columns], 1) / max(atlas.terms.documents, 1)
    lift = (counts + 2.0 * everywhere) / (sizes + 2.0) / everywhere
    weights = np.log(1.0 / everywhere)  # a rare word says more
    mean = np.exp((np.log(lift) * weights).sum(axis=1) / weights.sum())
    common = (lift > STANDS_OUT).mean(axis=1) >= 0.5
    best = float(mean[common].max(initial=0.0))
    # in all documents of a leaf
    most = float(np.exp((np.log(1.0 / everywhere) * weights).sum() / weights.sum()))
    if best < min(LEAST_LIFT, NEARLY_ALL * most):
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(common & (mean >= max(STANDS_OUT, np.sqrt(best))))


def _column(atlas: Atlas, word: str) -> int | None:
    known = atlas.columns
    if word in known:
        return known[word]
    forms = [other for other in known if other[:3] == word[:3] and _words.near_forms(word, other)]
    return (
        known[max(forms, key=lambda form: int(atlas.terms.frequencies[known[form]]))]
        if forms
        else None
    )


def checked_name(name: object) -> str:
    """A name of a topic: a line of text that is not too long."""
    fits = (
        isinstance(name, str)
        and name.strip()
        and len(name) <= LONGEST_NAME
        and name.splitlines() == [name]
    )
    if (
        not isinstance(name, str)
        or not fits
        or any("\ud800" <= letter <= "\udfff" for letter in name)
    ):
        raise InvalidInput(
            f"name must be a line of at most {LONGEST_NAME} letters, got {name!r:.60}"
        )
    return name.strip()


def _checked_action(found: Any, name: str) -> Action:
    if not isinstance(found, dict) or found.get("kind") not in ACTIONS:
        raise InvalidInput(
            f"an action in {name} must have a kind of {', '.join(ACTIONS)}, got {found!r:.60}"
        )
    lists = {
        field_name: found.get(field_name, [])
        for field_name in ("topics", "words", "documents", "made")
    }
    for part, value in lists.items():
        if not isinstance(value, (list, tuple)):
            raise InvalidInput(f"{part} of an action in {name} must be a list, got {value!r:.60}")
    if found.get("name") is not None and not isinstance(found["name"], str):
        raise InvalidInput(
            f"the name of an action in {name} must be a text, got {found['name']!r:.60}"
        )
    least = {"merge": 2, "seed": 0}.get(found["kind"], 1)
    if len(lists["topics"]) < least:
        raise InvalidInput(
            f"topics of {found['kind']!r} in {name} must be at least {least}, got "
            f"{len(lists['topics'])}"
        )
    if not all(isinstance(text, str) for text in (*lists["words"], *lists["documents"])):
        raise InvalidInput(f"words and documents of an action in {name} must be texts, got others")
    return Action(
        kind=found["kind"],
        topics=tuple(TopicKey.from_plain(key, name) for key in lists["topics"]),
        name=found.get("name"),
        words=tuple(lists["words"]),
        documents=tuple(lists["documents"]),
        made=tuple(int(one) for one in lists["made"] if isinstance(one, int)),
    )
