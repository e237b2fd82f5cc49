"""A made-up corpus of clear subjects: disjoint vocabularies beside common words, and models of it,
fitted once.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from undertow import TopicModel

SUBJECTS = {
    "sport": (
        "goal match team player coach league season striker referee stadium cup defender midfield "
        "penalty fans "
        "squad tournament champion injury trainer keeper derby whistle pitch"
    ),
    "politics": (
        "election vote parliament minister party campaign senate president law reform debate "
        "policy candidate "
        "ballot coalition opposition government tax treaty chancellor budget mandate speaker poll"
    ),
    "space": (
        "rocket orbit satellite launch moon planet astronaut comet telescope galaxy probe gravity "
        "crater mars "
        "venus asteroid capsule shuttle booster payload nebula cosmos meteor lander"
    ),
}
COMMON = (
    "today people year week time said new world first last long day many part place work home life "
    "case point"
)
VOCABULARY = {subject: words.split() for subject, words in SUBJECTS.items()}
SENTENCE = 8  # words


def document(generator: np.random.Generator, shares: Mapping[str, float], words: int = 40) -> str:
    """Words of the subjects by their shares, seven of ten; the others are common. In sentences."""
    numbers = generator.multinomial(words, [*(0.7 * share for share in shares.values()), 0.3])
    drawn = [
        generator.choice(VOCABULARY[subject], n)
        for subject, n in zip(shares, numbers[:-1], strict=True)
    ]
    tokens = np.concatenate([*drawn, generator.choice(COMMON.split(), numbers[-1])])
    generator.shuffle(tokens)
    parts = [
        " ".join(tokens[first : first + SENTENCE]) for first in range(0, len(tokens), SENTENCE)
    ]
    return " ".join(part[0].upper() + part[1:] + "." for part in parts)


def pure(subject: str, documents: int, seed: int = 100) -> list[str]:
    generator = np.random.default_rng(seed)
    return [document(generator, {subject: 1.0}) for _ in range(documents)]


def halves(first: str, second: str, documents: int, seed: int = 101) -> list[str]:
    generator = np.random.default_rng(seed)
    return [document(generator, {first: 0.5, second: 0.5}) for _ in range(documents)]


def corpus(
    subjects: tuple[str, ...] = ("sport", "politics"), documents: int = 300, seed: int = 0
) -> pl.DataFrame:
    """The subjects take turns; every fifth document is a mixture of its own and the next. Ids say
    the subject.
    """
    generator = np.random.default_rng(seed)
    ids, texts = [], []
    for row in range(documents):
        own, other = subjects[row % len(subjects)], subjects[(row + 1) % len(subjects)]
        share = generator.uniform() if row % 5 == 4 else 1.0
        shares = {own: 1.0} if len(subjects) == 1 else {own: share, other: 1.0 - share}
        ids.append(f"{own}-{row}")
        texts.append(document(generator, shares, int(generator.integers(24, 60))))
    return pl.DataFrame({"id": ids, "text": texts})


def untrained(seed: int = 0, **options: Any) -> TopicModel:
    usual = {"vocabulary_size": 400, "max_epochs": 30, "batch_size": 64, "random_state": seed}
    return TopicModel(32, **(usual | options))


@dataclass(frozen=True)
class Fitted:
    """A model and the texts that it was fitted to."""

    model: TopicModel
    table: pl.DataFrame


@cache
def fitted(subjects: tuple[str, ...] = ("sport", "politics"), seed: int = 0) -> Fitted:
    """Fitted once in a session; `changeable` gives a copy that a test may curate or train."""
    table = corpus(subjects)
    return Fitted(untrained(seed).fit(table), table)


def changeable(subjects: tuple[str, ...] = ("sport", "politics"), seed: int = 0) -> TopicModel:
    return copy.deepcopy(fitted(subjects, seed).model)
