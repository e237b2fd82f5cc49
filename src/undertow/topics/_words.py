"""Which terms describe topics: salient, coherent, telling topics of one cut apart, and none said
twice.

The rank of a term is the logarithm of its salience, plus how well it goes together with the other
candidates (mean NPMI), plus the logarithm of its salience here compared with where in the cut it is
largest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow.topics._statistics import Groups, top_places

if TYPE_CHECKING:
    from scipy import sparse

COHERENCE = 14.0  # what a mean NPMI of 1 is worth, in logarithms of salience
MOST_NPMI = 0.6  # beyond it words are parts of one name or one text, which is no better
PRIOR = 1.0  # words that the mean NPMI with all candidates counts for, beside those chosen before
CONTRAST = 1.5  # what the comparison with the other topics of the cut is worth
BLOCK_NPMI, BLOCK_TERMS, BLOCK_SHARE = 0.84, 4, 0.4  # see `_in_blocks`
COHERENT_WORDS = 10  # that a topic's coherence is the mean of
ENDINGS = ("s", "es", "ed", "ing", "er", "ers", "'s", "ly", "al", "en", "y")
AFTER_VOWELS = ("d", "n", "ns")  # "used" and "russian", but neither "card" nor "barn"
SHORT_STEM, LONG_STEM, LONG_REST = 3, 5, 3

Terms = NDArray[np.int32]


@dataclass(frozen=True)
class Ranked:
    """The terms of one topic, best first."""

    terms: Terms
    salience: NDArray[np.float64]
    share: NDArray[np.float64]


def ranked(
    groups: Groups,
    *,
    contrast: bool = True,
    rows: Sequence[int] | None = None,
    most: int | None = None,
) -> list[Ranked]:
    """The candidates of each group, or of these, best first: words, and after them pairs of words.

    After the first `most` the others follow as they come.
    """
    salience, shares = groups.salience(), groups.shares()
    largest = np.zeros(salience.shape[1])
    np.maximum.at(largest, salience.indices, salience.data)
    found = []
    for row in range(salience.shape[0]) if rows is None else rows:
        places = top_places(salience, row, groups.of.words)
        terms, values, share = (
            salience.indices[places].astype(np.int32),
            salience.data[places],
            shares[places],
        )
        worth = np.log(np.maximum(values, 1e-12))
        if contrast and salience.shape[0] > 1:
            worth += CONTRAST * np.log(values / np.maximum(largest[terms], 1e-12))
        known = _block(groups.of.npmi, terms)
        worth -= np.where(_in_blocks(known, share), 100.0, 0.0)
        worth -= np.where(terms >= groups.of.words, 1000.0, 0.0)
        order = _in_order(worth, np.minimum(known, MOST_NPMI), values, most)
        found.append(Ranked(terms[order], values[order], share[order]))
    return found


def _in_order(
    worth: NDArray[np.float64],
    known: NDArray[np.float64],
    salience: NDArray[np.float64],
    most: int | None = None,
) -> NDArray[np.int64]:
    """Terms one after the other: the best by its worth and its NPMI with all, then with those
    chosen before it.
    """
    together, weights = _sums(known, salience)
    order: list[int] = []
    left = np.ones(len(worth), dtype=np.bool_)
    chosen, chosen_weights = np.zeros(len(worth)), np.zeros(len(worth))
    for _ in range(len(worth) if most is None else min(most, len(worth))):
        fit = (PRIOR * together / np.maximum(weights, 1e-12) + chosen) / (PRIOR + chosen_weights)
        best = int(np.where(left, worth + COHERENCE * fit, -np.inf).argmax())
        order.append(best)
        left[best] = False
        chosen += known[best]
        chosen_weights += known[best] != 0
    rest = np.flatnonzero(left)
    return np.concatenate(
        [np.array(order, dtype=np.int64), rest[np.argsort(-worth[rest], kind="stable")]]
    )


def _sums(
    known: NDArray[np.float64], salience: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The NPMI of each term with the others, which count by their salience, and what they count."""
    weights = np.where(known != 0, salience, 0.0)
    return (known * weights).sum(axis=1), weights.sum(axis=1)


def _in_blocks(known: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which terms belong to a block of words that nearly always come together in a part of the
    documents only.

    Such is a signature, a footer, a text sent many times. A word with four such companions is one
    of them, unless it is in so many documents of the topic that it is what the topic is about.
    """
    companions = (known > BLOCK_NPMI).sum(axis=1)
    result: NDArray[np.bool_] = (companions >= BLOCK_TERMS) & (share < BLOCK_SHARE)
    return result


def coherence(npmi: sparse.csr_array, terms: Terms) -> float:
    """The mean NPMI of the pairs of these terms that were looked at; 0 where there are none."""
    values = _block(npmi, terms)[np.triu_indices(len(terms), 1)]
    values = values[values != 0]
    return float(values.mean()) if len(values) else 0.0


def _block(npmi: sparse.csr_array, terms: Terms) -> NDArray[np.float64]:
    found: NDArray[np.float64] = npmi[terms][:, terms].toarray().astype(np.float64)
    return found


def without_repetition(
    terms: Iterable[int], word_of: Callable[[int], str], number: int, taken: Sequence[str] = ()
) -> list[int]:
    """The first `number` terms none of which is a near-form of an earlier one, or of a word that is
    taken.
    """
    said: list[str] = list(taken)
    found: list[int] = []
    for term in terms:
        if len(found) == number:
            break
        word = word_of(int(term))
        if not any(near_forms(word, other) for other in said):
            said.append(word)
            found.append(int(term))
    return found


def near_forms(first: str, second: str) -> bool:
    """Whether two words are forms of one: "car" and "cars", "israel" and "israeli", but not "car"
    and "card".
    """
    if first == second:
        return True
    same = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        same += 1
    rests = first[same:], second[same:]
    if same >= LONG_STEM and max(map(len, rests)) <= LONG_REST:
        return True
    if same < SHORT_STEM or all(rests):
        return same >= SHORT_STEM and set(rests) == {"y", "ies"}
    ending = max(rests)
    return ending in ENDINGS or (ending in AFTER_VOWELS and first[same - 1] in "aeiou")
