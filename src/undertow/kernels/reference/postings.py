"""BM25, slowly: every document against every word of a question, one at a time, in float64."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray


def bm25(
    documents: Sequence[Sequence[str]],
    question: Mapping[str, float],
    k1: float = 1.2,
    b: float = 0.75,
) -> NDArray[np.float64]:
    """The score of each document, a list of words, for a question, whose words have weights."""
    total = len(documents)
    average = sum(map(len, documents)) / max(total, 1) or 1.0
    scores = np.zeros(total)
    for place, words in enumerate(documents):
        counts = Counter(words)
        for word, weight in question.items():
            holding = sum(word in other for other in documents)
            idf = math.log(1.0 + (total - holding + 0.5) / (holding + 0.5))
            norm = k1 * (1.0 - b + b * len(words) / average)
            scores[place] += weight * idf * (k1 + 1.0) * counts[word] / (counts[word] + norm)
    return scores
