"""Names that topics get by themselves: two to four words that tell a topic from its siblings, never
the same twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from undertow.topics import _words
from undertow.topics._statistics import TermStatistics
from undertow.topics.tree import NOWHERE, TopicTree

Written = tuple[Callable[[int], str], Callable[[int], Sequence[str]]]
"""How a term is written, and the single words that it is made of."""

WORDS, MOST_WORDS = 3, 4
FIRST_WORDS = 16  # of a topic, that its name is made of
PHRASE = 0.6  # a pair stands for its words where it is this salient beside the better of them


def names_of(
    tree: TopicTree,
    terms: TermStatistics,
    written: Written,
    words: int,
    pairs: NDArray[np.int32],
    known: Mapping[int, str],
) -> dict[int, str]:
    """Node -> name, for all topics from the top of the tree down: what is higher has the first
    choice.

    Names that are known stay; topics that are in one cut are named beside each other.
    """
    taken = {frozenset(name.split(", ")) for name in known.values()}
    found = dict(known)
    for level in _levels(tree, set(known)):
        rows = [place for place, node in enumerate(level) if node not in found]
        ranks = _words.ranked(
            terms.grouped(tree.positions(level), len(level)), rows=rows, most=FIRST_WORDS
        )
        for row, rank in zip(rows, ranks, strict=True):
            chosen = _chosen(_with_phrases(rank, words, pairs)[:FIRST_WORDS], written, taken)
            taken.add(frozenset(chosen))
            found[level[row]] = ", ".join(chosen)
    return {node: name for node, name in found.items() if name}


def _levels(tree: TopicTree, known: set[int]) -> list[list[int]]:
    """Cuts of the tree, each more than half finer, until every topic is named in one; then siblings
    that are left.
    """
    nodes = [node for node in range(len(tree.parents)) if tree.parents[node] != NOWHERE]
    levels, size, most, left = [], 2, len(tree.leaves), set(nodes) - known
    while left and len(known) == 0:
        level = tree.cut(min(size, most))
        levels.append(level)
        left -= set(level)
        if size >= most:
            break
        size = max(size + 1, size * 8 // 5)
    above = sorted({int(tree.parents[node]) for node in left})
    return [*levels, *(tree.children(node) for node in above)]


def _with_phrases(rank: _words.Ranked, words: int, pairs: NDArray[np.int32]) -> list[int]:
    """Terms in their order; a pair that is nearly as salient as its better word takes that word's
    place.
    """
    salience = {int(term): value for term, value in zip(rank.terms, rank.salience, strict=True)}
    instead: dict[int, int] = {}
    for term in rank.terms.tolist():
        if term >= words:
            both = [int(word) for word in pairs[term - words]]
            better = max(both, key=lambda word: salience.get(word, 0.0))
            if salience[term] >= PHRASE * salience.get(better, 0.0):
                instead.setdefault(better, term)
    return [instead.get(term, term) for term in rank.terms.tolist() if term < words]


def _chosen(terms: list[int], written: Written, taken: set[frozenset[str]]) -> list[str]:
    """The first three terms that repeat nothing; a fourth, or fewer, where these are another
    topic's name.

    None where there is nothing left that is not one already.
    """
    term_of, words_of = written
    said: list[str] = []
    chosen: list[str] = []
    for term in terms:
        parts = words_of(term)
        if not any(_words.near_forms(part, other) for part in parts for other in said):
            said += parts
            chosen.append(term_of(term))
    tries = [
        chosen[:WORDS],
        chosen[:MOST_WORDS],
        *([*chosen[:WORDS], other] for other in chosen[MOST_WORDS:]),
    ]
    fewer = (
        list(some) for size in (WORDS, 2, 1) for some in combinations(chosen[: 2 * WORDS], size)
    )
    return next(
        (words for words in chain(tries, fewer) if words and frozenset(words) not in taken), []
    )
