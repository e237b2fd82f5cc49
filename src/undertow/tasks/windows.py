"""How well the top words of topics go together within windows of a text: c_npmi and C_V, as Röder
et al. define them.

A window of so many words slides over each text, word by word, and every place of it counts as a
small document; a text that is shorter than the window is one. c_npmi is the mean NPMI over the
pairs of a topic's words, with windows for documents. C_V asks how alike the company is that words
keep: the vector of a word is its NPMI with each of the topic's words, itself too, and what counts
is its cosine with the sum of these vectors, in the mean over the words.

Both add 1e-12 to the share of windows that hold two words, as gensim does, so a pair that never
meets lies between -1 and 0: nearer to 0 the rarer the two are. Where gensim's `CoherenceModel`
differs: it takes a word for gone when one of its occurrences leaves the window, even if another is
still there.

M. Röder, A. Both, A. Hinneburg, "Exploring the Space of Topic Coherence Measures", WSDM 2015.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput

EPSILON = 1e-12  # gensim's
TEXTS = 10_000  # looked at at a time

Integers = NDArray[np.int64]
Matrix = NDArray[np.float64]


def c_npmi(
    texts: Iterable[Sequence[int] | NDArray[Any]],
    topics: Sequence[Sequence[int]],
    *,
    window: int = 10,
) -> NDArray[np.float64]:
    """The mean NPMI over pairs of each topic's words, from windows that slide over texts.

    Texts are read once, and only where topics' words stand in them is held.

    Parameters
    ----------
    texts : iterable of sequences of int
        The numbers of the words of each text, in order; negative ones for words that are in no
        topic.
    topics : sequence of sequences of int
        The numbers of each topic's words.
    window : int
        Words in a window.

    Returns
    -------
    array (topics,)
        A topic of fewer than two words has 0. Words that occur in no text make their pairs -1, as
        in `npmi`.

    Examples
    --------
    >>> from undertow.tasks import c_npmi
    >>> c_npmi([[0, 1, -1], [0, 1], [2, -1]], [[0, 1], [0, 2]], window=2).round(2)
    array([ 0.42, -0.92])
    """
    return _coherence(texts, topics, window, _mean_of_pairs, absent=-1.0)


def c_v(
    texts: Iterable[Sequence[int] | NDArray[Any]],
    topics: Sequence[Sequence[int]],
    *,
    window: int = 110,
) -> NDArray[np.float64]:
    """C_V of each topic's words: how alike the company is that they keep, from windows of texts.

    Parameters
    ----------
    texts, topics
        As in `c_npmi`.
    window : int
        Words in a window.

    Returns
    -------
    array (topics,)
        A word that occurs in no text keeps no company: it counts as 0.

    Examples
    --------
    >>> from undertow.tasks import c_v
    >>> c_v([[0, 1, -1], [0, 1], [2, -1]], [[0, 1], [0, 2]], window=2).round(2)
    array([0.92, 0.04])
    """
    return _coherence(texts, topics, window, _mean_of_cosines, absent=0.0)


def _coherence(
    texts: Iterable[Any],
    topics: Sequence[Sequence[int]],
    window: int,
    measure: Callable[[Matrix], float],
    *,
    absent: float,
) -> NDArray[np.float64]:
    window = _check.whole_number("window", window, at_least=1)
    for word in (word for topic in topics for word in topic):
        if not isinstance(word, numbers.Integral):
            raise InvalidInput(f"topics must hold numbers of words, as texts do, got {word!r}")
    wanted = sorted({int(word) for topic in topics for word in topic})
    if wanted and wanted[0] < 0:
        raise InvalidInput(f"topics must hold numbers of words, 0 or more, got {wanted[0]}")
    stretches, windows = _stretches(texts, np.array(wanted, dtype=np.int64), window)
    if windows == 0:
        raise InvalidInput("texts must hold at least one text, got none")
    found = []
    for topic in topics:
        both = _windows_with_both([stretches[int(word)] for word in topic])
        found.append(measure(_npmi(both, windows, absent)) if len(topic) > 1 else 0.0)
    return np.array(found, dtype=np.float64)


def _mean_of_pairs(values: Matrix) -> float:
    return float(values[np.triu_indices(len(values), 1)].mean())


def _mean_of_cosines(values: Matrix) -> float:
    together = values.sum(axis=0)
    lengths = np.linalg.norm(values, axis=1) * np.linalg.norm(together)
    return float((values @ together / np.where(lengths > 0, lengths, 1.0)).mean())


def _npmi(both: Integers, windows: int, absent: float) -> Matrix:
    """NPMI of all pairs, given how many windows hold both words of each; `absent` for words that
    are in none.
    """
    joint, own = both / windows, np.diag(both) / windows
    apart = np.multiply.outer(own, own)
    known, always = apart > 0, both == windows  # in every window: the limit of the formula is 1
    values = np.full(joint.shape, absent)
    some = known & ~always
    values[some] = np.log((joint[some] + EPSILON) / apart[some]) / -np.log(joint[some] + EPSILON)
    values[always] = 1.0
    return values


@dataclass(frozen=True)
class _Stretches:
    """Where a word is in sight: windows `starts[i]` up to, not with, `ends[i]`, of all windows of
    all texts in a row.

    `before[i]` windows hold it before stretch i; the last one is their number.
    """

    starts: Integers  # (S,)
    ends: Integers  # (S,)
    before: Integers  # (S + 1,)

    @classmethod
    def of(cls, starts: Integers, ends: Integers) -> _Stretches:
        """Those of occurrences, in order, each of which is seen from `starts[i]` up to
        `ends[i]`.
        """
        new = (
            np.flatnonzero(np.concatenate([[True], starts[1:] > ends[:-1]]))
            if len(starts)
            else starts
        )
        last = np.append(new[1:], len(ends)) - 1 if len(starts) else starts
        starts, ends = starts[new], ends[last]
        return cls(starts, ends, np.concatenate([[0], np.cumsum(ends - starts)]))

    def until(self, windows: Integers) -> Integers:
        """How many of the windows before each of these hold the word."""
        if not len(self.starts):
            return np.zeros_like(windows)
        # the one that begins there or before
        stretch = np.searchsorted(self.starts, windows, side="right") - 1
        inside = np.minimum(windows, self.ends[stretch]) - self.starts[stretch]
        seen: Integers = np.where(stretch >= 0, self.before[stretch] + inside, 0)
        return seen


def _windows_with_both(words: Sequence[_Stretches]) -> Integers:
    """(W, W) How many windows hold both of two words; on the diagonal, how many hold a word."""
    both = np.zeros((len(words), len(words)), dtype=np.int64)
    for i, one in enumerate(words):
        for j, other in enumerate(words[: i + 1]):
            shared = int((other.until(one.ends) - other.until(one.starts)).sum())
            both[i, j] = both[j, i] = shared
    return both


def _stretches(
    texts: Iterable[Any], wanted: Integers, window: int
) -> tuple[dict[int, _Stretches], int]:
    """The stretches of each wanted word, and the number of all windows."""
    numbers, firsts, ends, windows = [], [], [], 0
    for lengths, words in _batches(texts):
        of_text = np.maximum(lengths - window + 1, 1)  # windows
        begins = windows + np.cumsum(of_text) - of_text
        text = np.repeat(np.arange(len(lengths)), lengths)
        place = np.arange(len(words)) - (np.cumsum(lengths) - lengths)[text]
        here = np.isin(words, wanted)
        text, place = text[here], place[here]
        numbers.append(np.searchsorted(wanted, words[here]))
        firsts.append(begins[text] + np.maximum(place - window + 1, 0))
        ends.append(begins[text] + np.minimum(place, of_text[text] - 1) + 1)
        windows += int(of_text.sum())
    if not windows:
        return {}, 0
    number, first, end = (np.concatenate(parts) for parts in (numbers, firsts, ends))
    order = np.argsort(number, kind="stable")  # occurrences stay in the order of the texts
    bounds = np.searchsorted(number[order], np.arange(len(wanted) + 1))
    first, end = first[order], end[order]
    parts = (slice(bounds[i], bounds[i + 1]) for i in range(len(wanted)))
    return {
        int(word): _Stretches.of(first[part], end[part])
        for word, part in zip(wanted, parts, strict=True)
    }, windows


def _batches(texts: Iterable[Any]) -> Iterator[tuple[Integers, Integers]]:
    """The lengths of some texts, and their words in a row."""
    rest = iter(texts)
    while batch := [_numbers(text) for text in islice(rest, TEXTS)]:
        yield np.array([len(text) for text in batch], dtype=np.int64), np.concatenate(batch)


def _numbers(text: Any) -> Integers:
    words = np.asarray(text)
    if words.ndim != 1 or (len(words) and words.dtype.kind not in "iu"):
        raise InvalidInput(
            f"texts must be lists of the numbers of their words, got {type(text).__name__} "
            f"{text!r:.40}"
        )
    return words.astype(np.int64, copy=False)
