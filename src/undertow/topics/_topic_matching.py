"""Finding a topic of one fit again in another: by the documents in it, or by its words.

Documents are known by hashes of their ids. A topic is told by the hundred smallest hashes of its
documents: of two topics' documents those below a limit are a fair sample, so that the two can be
compared without listing either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.topics import _words

if TYPE_CHECKING:
    from undertow.topics.atlas import Atlas

SKETCH = 100  # hashes of a topic
FEWEST_SHARED = 5  # documents that two fits must share to be compared by them
ALIKE = 0.3  # the least agreement (F1 of documents, cosine of words) of a topic that is found again
WORDS = 20
LARGEST = 1e9  # salience of a word in a file


@dataclass(frozen=True)
class TopicKey:
    """By what a topic is found again."""

    id: int
    name: str = ""  # for people who read the file
    words: dict[str, float] | None = None  # word -> salience
    documents: tuple[str, ...] = ()  # hashes

    def told(self) -> str:
        """For messages."""
        return f"{self.name!r}" if self.name else f"topic {self.id}"

    def plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "id": self.id,
            "name": self.name,
            "words": self.words or {},
            "documents": list(self.documents),
        }

    @classmethod
    def from_plain(cls, found: Any, name: str) -> TopicKey:
        """A key, or the bare id of a topic."""
        if isinstance(found, int) and not isinstance(found, bool):
            return cls(found)
        if not isinstance(found, dict) or not isinstance(found.get("id", -1), int):
            raise InvalidInput(
                f"a topic in {name} must be told by its id or its words, got {found!r:.60}"
            )
        words, documents = found.get("words", {}), found.get("documents", [])
        if isinstance(words, list):
            words = {word: 1.0 for word in words if isinstance(word, str)}
        fit = isinstance(words, dict) and all(_is_salience(value) for value in words.values())
        if not fit or not isinstance(documents, list) or not isinstance(found.get("name", ""), str):
            raise InvalidInput(
                f"a topic in {name} must have a name, words and documents, got {found!r:.60}"
            )
        hashes = tuple(text for text in documents if isinstance(text, str) and _is_hash(text))
        return cls(found.get("id", -1), found.get("name", ""), dict(words), hashes)


def hashes_of(ids: Iterable[str]) -> NDArray[np.uint64]:
    """A number for each id."""
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in ids)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def key_of(atlas: Atlas, node: int) -> TopicKey:
    """What a topic can be found again by."""
    topic = atlas.topic(node, WORDS)
    words = {word.word: round(word.salience, 4) for word in topic.words}
    inside = np.sort(atlas.seen.hashes[np.isin(atlas.seen.leaves, atlas.tree.leaf_rows(node))])
    return TopicKey(
        node, topic.name, words, tuple(f"{number:016x}" for number in inside[:SKETCH].tolist())
    )


def find(atlas: Atlas, key: TopicKey, same: bool) -> int | None:
    """The topic that a key tells of: in the same tree by its id, in others by documents, then by
    words.
    """
    if same and key.id in atlas.tree and key.id != atlas.tree.root:
        return key.id
    if not key.words and not key.documents:
        return key.id if key.id in atlas.tree and key.id != atlas.tree.root else None
    found = _by_documents(
        atlas, np.array([int(text, 16) for text in key.documents], dtype=np.uint64)
    )
    return _by_words(atlas, key.words or {}) if found is None else found


def _by_documents(atlas: Atlas, sketch: NDArray[np.uint64]) -> int | None:
    shared = np.isin(atlas.seen.hashes, sketch, kind="sort")
    if shared.sum() < FEWEST_SHARED:
        return None
    comparable = (
        atlas.seen.hashes <= sketch.max()
        if len(sketch) >= SKETCH
        else np.ones(len(shared), dtype=np.bool_)
    )
    leaves = len(atlas.tree.leaves)
    inside = np.bincount(atlas.seen.leaves[shared & (atlas.seen.leaves >= 0)], minlength=leaves)
    everyone = np.bincount(
        atlas.seen.leaves[comparable & (atlas.seen.leaves >= 0)], minlength=leaves
    )
    return _best(atlas, inside.astype(np.float64), everyone.astype(np.float64), float(shared.sum()))


def _best(
    atlas: Atlas, inside: NDArray[np.float64], everyone: NDArray[np.float64], wanted: float
) -> int | None:
    """The topic with the largest F1."""
    best, found = ALIKE, None
    for node in _nodes(atlas):
        rows = atlas.tree.leaf_rows(node)
        f1 = 2.0 * float(inside[rows].sum()) / max(wanted + float(everyone[rows].sum()), 1.0)
        if f1 > best:
            best, found = f1, node
    return found


def _by_words(atlas: Atlas, words: dict[str, float]) -> int | None:
    columns = {atlas.columns[word]: value for word, value in words.items() if word in atlas.columns}
    length = float(np.sqrt(sum(value**2 for value in words.values())))
    if not columns or not length:
        return None
    best, found = ALIKE, None
    for node in _nodes(atlas):
        rank = _words.ranked(atlas.terms.grouped(atlas.tree.positions([node]), 1), contrast=False)[
            0
        ]
        single = rank.terms < len(atlas.words)
        terms, values = rank.terms[single][:WORDS], rank.salience[single][:WORDS]
        product = sum(
            columns.get(int(term), 0.0) * value for term, value in zip(terms, values, strict=True)
        )
        cosine = float(product) / max(length * float(np.linalg.norm(values)), 1e-12)
        if cosine > best:
            best, found = cosine, node
    return found


def _nodes(atlas: Atlas) -> list[int]:
    return [
        node
        for node in range(len(atlas.tree.parents))
        if node in atlas.tree and node != atlas.tree.root
    ]


def _is_salience(value: object) -> bool:
    return isinstance(value, (int, float)) and -LARGEST <= value <= LARGEST  # nan is not


def _is_hash(text: str) -> bool:
    try:
        return len(text) == 16 and int(text, 16) >= 0
    except ValueError:
        return False
