"""BM25 of all documents for the words of a question: a walk along the lists of documents that hold
each word.

Threads share the documents, not the words: a document's parts are added in the order of the words
whoever does it, so scores do not depend on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from undertow.kernels.cpu.compile import kernel


@kernel
def add_matches(
    first: int,
    last: int,
    begins: Any,
    ends: Any,
    weights: Any,
    documents: Any,
    counts: Any,
    norms: Any,
    scores: Any,
) -> None:
    """Adds weight * count / (count + norm) to the scores of the documents from `first` to before
    `last`.

    The list of word w is `documents[begins[w] : ends[w]]`, rising. A damaged list may hold any
    number: what is not below `last` ends the walk, so nothing outside is ever written.
    """
    for word in range(begins.size):
        begin, end = begins[word], ends[word]
        low, high = begin, end
        while low < high:  # the first document of the list that is not before `first`
            middle = (low + high) // 2
            if np.int64(documents[middle]) < first:
                low = middle + 1
            else:
                high = middle
        weight = np.float32(weights[word])
        for place in range(low, end):
            document = np.int64(documents[place])
            if document >= last or document < first:
                break
            count = np.float32(counts[place])
            scores[document] += weight * count / (count + norms[document])
