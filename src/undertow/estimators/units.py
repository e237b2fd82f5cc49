"""Topics as people read them: small records made of a unit's words, name and activity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.model import Parameters
from undertow.model.attribution import pushes


@dataclass(frozen=True)
class WordWeight:
    """A word, and what one token of it adds to the input of a unit."""

    word: str
    weight: float


@dataclass(frozen=True)
class Unit:
    """A hidden unit. `id` is its number and never changes; `activity` is the share of training
    documents that switch it on.
    """

    id: int
    name: str
    up: tuple[WordWeight, ...]
    down: tuple[WordWeight, ...]
    activity: float


@dataclass(frozen=True)
class UnitStrength:
    """A topic of a document; strength is P(h = 1 | document)."""

    id: int
    name: str
    strength: float


@dataclass(frozen=True)
class DocumentUnits:
    """The units that a document switches on, strongest first; `str` of it is "none" when there are
    none.
    """

    units: tuple[UnitStrength, ...]

    def __str__(self) -> str:
        return ", ".join(f"{topic.name} ({topic.strength:.2f})" for topic in self.units) or "none"


def describe(
    parameters: Parameters,
    word_shares: NDArray[np.float64],
    words: Sequence[str],
    activity: NDArray[np.float64],
    names: Mapping[int, str],
    n_words: int,
    units: Sequence[int] | None = None,
) -> list[Unit]:
    """All topics, the most active first, or those of the given units.

    Words are ranked by their push times the square root of their share of all tokens: the strongest
    push alone would list words that hardly ever occur, the share alone words that occur everywhere.
    """
    topics = []
    for unit in np.argsort(-activity, kind="stable") if units is None else units:
        push = pushes(parameters, int(unit))
        rank = push * np.sqrt(word_shares)
        order = np.argsort(-rank, kind="stable")
        up = tuple(
            WordWeight(words[word], float(push[word])) for word in order[:n_words] if push[word] > 0
        )
        down = tuple(
            WordWeight(words[word], float(push[word]))
            for word in order[::-1][:n_words]
            if push[word] < 0
        )
        name = (
            names.get(int(unit)) or ", ".join(weight.word for weight in up[:3]) or f"topic {unit}"
        )
        topics.append(Unit(int(unit), name, up, down, float(activity[unit])))
    return topics


def units_of_documents(on: NDArray[np.float32], names: Sequence[str]) -> list[DocumentUnits]:
    """The units with a posterior above 1/2 of each document."""
    found = []
    for row in on:
        units = [int(unit) for unit in np.argsort(-row, kind="stable") if row[unit] > 0.5]
        found.append(
            DocumentUnits(
                tuple(UnitStrength(unit, names[unit], float(row[unit])) for unit in units)
            )
        )
    return found
