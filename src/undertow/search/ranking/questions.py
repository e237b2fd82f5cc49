"""From what was typed to a question: its words, what was probably meant by those that no document
holds, its vector.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.fulltext.full_text import FullText
from undertow.fulltext.meant_words import similar
from undertow.search.database.kept_rows import KeptRows
from undertow.search.database.store import Rows, Store
from undertow.search.encoding.encoded import Encoded
from undertow.search.encoding.encoder import Encoder
from undertow.vectors.joining import asked

LONGEST_QUERY = 100_000  # characters
LONGEST_TEXT = 8192  # characters whose words are looked for
MOST_CORRECTED = 16  # words: of a longer question, none is taken for mistyped
# different words: of a longer question, its words weigh less beside its meaning, which is surer
# then,
SHORT = 16
LEAST_WORDS = 0.3  # and never less than this


@dataclass(frozen=True)
class Question:
    """A text to search with: encoded as documents are, and its words with how often each was asked
    for.
    """

    text: str
    encoded: Encoded
    words: dict[str, float] = field(default_factory=dict)
    share_known: float = 1.0  # of what its words say, how much the model knows
    itself: Rows | None = None  # the row of the document that it is, which is no answer
    # its vector beside another encoder's, in an index that has such
    joined: NDArray[np.float32] | None = None

    @property
    def weight_of_words(self) -> float:
        """Of how well words fit, beside the cosine; 1 for a short question."""
        return max(min(SHORT / max(len(self.words), 1), 1.0), LEAST_WORDS)

    @property
    def known(self) -> bool:
        """Whether the model knows a word of it."""
        return bool(self.encoded.known[0])

    @property
    def meant(self) -> bool:
        """Whether it has a vector to compare."""
        return self.known if self.joined is None else bool(self.joined.any())

    @property
    def vector(self) -> NDArray[np.float32]:
        """Of length 1, or as `undertow.vectors.joining.asked` says."""
        vector: NDArray[np.float32] = (
            self.encoded.vectors[0] if self.joined is None else self.joined
        )
        return vector


@dataclass(frozen=True)
class TypedQuestion:
    """A question, and how its words were typed."""

    question: Question
    typed: dict[str, str]  # word of the full text -> as it was asked for
    corrected: dict[str, str]  # as it was typed -> what was searched for instead
    unknown: tuple[str, ...]  # words that no document holds, and none resembles


def asked_in_words(
    query: str, full: FullText, encoder: Encoder, others: NDArray[Any] | None = None
) -> TypedQuestion:
    """A question in words. A word that no document holds gives way to one that it resembles.

    `others` is what another encoder makes of it, (1, dimensions), in an index with such vectors;
    zeros where unknown.
    """
    if not query.strip():
        raise InvalidInput(f"query must be a text with something in it, got {query!r:.60}")
    if len(query) > LONGEST_QUERY:
        raise InvalidInput(
            f"query must have at most {LONGEST_QUERY:,} characters, got {len(query):,}"
        )
    pairs = full.rule.read(query[:LONGEST_TEXT])
    strange = {word: typed for typed, word in reversed(pairs) if not full.holding(word)}
    meant = {word: similar(full, word) for word in strange} if len(pairs) <= MOST_CORRECTED else {}
    corrected = {strange[word]: other for word, other in meant.items() if other is not None}
    words, spelling = _counted(
        [(corrected.get(typed, typed), meant.get(word) or word) for typed, word in pairs]
    )
    text = _replaced(query, corrected)
    unknown = tuple(typed for word, typed in strange.items() if meant.get(word) is None)
    question = _question(text, words, spelling, full, encoder)
    if others is not None:
        question = _beside(question, others)
    return TypedQuestion(question, spelling, corrected, unknown)


def asked_like(
    document: str, store: Store, rows: KeptRows, full: FullText, encoder: Encoder
) -> TypedQuestion:
    """A document of the index as a question."""
    found = rows.text_of(document, LONGEST_QUERY)
    if found is None:
        raise InvalidInput(f"like must be the id of a document of the index, got {document!r:.80}")
    row, text = found
    if not text.strip():
        raise InvalidInput(
            f"like must be a document with something in it, got {document!r:.80}, which is empty"
        )
    words, typed = _counted(full.rule.read(text[:LONGEST_TEXT]))
    question = _question(text[:LONGEST_QUERY], words, typed, full, encoder)
    own, width = store.widths
    if own < width:
        stored = store.whole(row)[1]
        question = replace(question, joined=asked(stored[:, :own], stored[:, own:])[0])
    return TypedQuestion(replace(question, itself=row), typed, {}, ())


def _beside(question: Question, others: NDArray[Any]) -> Question:
    """A question with another encoder's vector beside its own; what its words do not say, that
    may.
    """
    own = np.where(question.known, question.encoded.vectors, np.float32(0.0))
    share = 1.0 if others.any() else question.share_known
    return replace(question, joined=asked(own, others)[0], share_known=share)


def _question(
    text: str, words: dict[str, float], typed: dict[str, str], full: FullText, encoder: Encoder
) -> Question:
    """A text with its vector, and how much of what its words say the model knows: the vector is
    about no more.
    """
    weights = full.weights(words)
    known = sum(
        weight
        for word, weight in weights.items()
        if word in encoder.columns or typed[word] in encoder.columns
    )
    share = known / (sum(weights.values()) or 1.0)
    # a model of pairs of words knows no single one
    return Question(text, encoder.encode([text]), words, share or 1.0)


def _counted(pairs: list[tuple[str, str]]) -> tuple[dict[str, float], dict[str, str]]:
    """How often each word was asked for, and how it was typed first."""
    words: dict[str, float] = {}
    typed: dict[str, str] = {}
    for written, word in pairs:
        words[word] = words.get(word, 0.0) + 1.0
        typed.setdefault(word, written)
    return words, typed


def _replaced(text: str, corrected: dict[str, str]) -> str:
    for typed, other in corrected.items():
        # letters and digits alone
        text = re.sub(rf"(?i)(?<!\w){re.escape(typed)}(?!\w)", other, text)
    return text
