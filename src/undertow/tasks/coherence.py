"""How well the top words of topics go together, and how much topics differ: NPMI and diversity.

NPMI of two words is log(p(x, y) / p(x) p(y)) / -log p(x, y), with p the share of documents that
hold a word or both: 1 for words that only occur together, 0 for independent ones, -1 for words that
never meet. A topic's coherence is the mean over the pairs of its top words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow._errors import InvalidInput


def npmi(counts: sparse.csr_array, topics: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The mean NPMI over pairs of each topic's words, from whole documents.

    Only the columns that occur in a topic are looked at, and pairs are counted topic by topic.

    Parameters
    ----------
    counts : sparse matrix (documents, words)
        How often each word occurs in each document.
    topics : sequence of sequences of int
        The column numbers of each topic's words.

    Returns
    -------
    array (topics,)
        Between -1, for words that never meet, and 1, for words that only occur together. A topic of
        fewer than two words has 0. Words that occur in no document make their pairs -1.

    Raises
    ------
    InvalidInput
        Without documents, or with words that are no columns.

    Examples
    --------
    >>> from undertow.tasks import npmi
    >>> counts = sparse.csr_array([[1, 1, 0], [2, 1, 0], [0, 0, 1], [0, 0, 3]])
    >>> npmi(counts, [[0, 1], [0, 2]])
    array([ 1., -1.])
    """
    documents = counts.shape[0]
    if documents == 0:
        raise InvalidInput("counts must hold at least one document, got none")
    present = _presence(counts, topics)
    return np.array([_topic_npmi(present, list(words), documents) for words in topics])


def diversity(topics: Sequence[Sequence[Any]]) -> float:
    """The share of different words among the words of all topics.

    Parameters
    ----------
    topics : sequence of sequences
        The words of each topic, or their numbers.

    Returns
    -------
    float
        1 where no word is shared, low where topics are alike.

    Raises
    ------
    InvalidInput
        Where there is no word.

    Examples
    --------
    >>> from undertow.tasks import diversity
    >>> diversity([["moon", "rocket"], ["moon", "tide"]])
    0.75
    """
    words = [word for topic in topics for word in topic]
    if not words:
        raise InvalidInput("topics must hold at least one word, got none")
    return len(set(words)) / len(words)


def _presence(
    counts: sparse.csr_array, topics: Sequence[Sequence[int]]
) -> dict[int, NDArray[np.int64]]:
    """The sorted rows that hold each of the topics' words."""
    wanted = sorted({int(word) for topic in topics for word in topic})
    if wanted and (wanted[0] < 0 or wanted[-1] >= counts.shape[1]):
        raise InvalidInput(
            f"topics must hold words 0 to {counts.shape[1] - 1}, got {wanted[0]} to {wanted[-1]}"
        )
    columns = counts[:, wanted].tocsc()
    return {
        word: np.sort(columns.indices[columns.indptr[i] : columns.indptr[i + 1]])
        for i, word in enumerate(wanted)
    }


def _topic_npmi(present: dict[int, NDArray[np.int64]], words: list[int], documents: int) -> float:
    values = []
    for i, first in enumerate(words):
        for second in words[i + 1 :]:
            both = len(np.intersect1d(present[first], present[second], assume_unique=True))
            values.append(_pair_npmi(len(present[first]), len(present[second]), both, documents))
    return float(np.mean(values)) if values else 0.0


def _pair_npmi(first: int, second: int, both: int, documents: int) -> float:
    if both == 0:
        return -1.0
    if both == documents:
        return 1.0  # in every document: the limit of the formula
    joint = both / documents
    return float(np.log(joint * documents * documents / (first * second)) / -np.log(joint))
