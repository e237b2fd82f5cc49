"""The words of texts in the order of the texts, as numbers: for measures that look at words within
windows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.corpus.texts import text_chunks
from undertow.corpus.vectorizer import Vectorizer


def words_in_order(vectorizer: Vectorizer, texts: Any) -> list[NDArray[np.int32]]:
    """The columns of the terms of each text, in its order; those that the vocabulary does not have
    are left out.

    An n-gram stands after the shorter ones that begin with the same token.
    """
    columns, found = vectorizer._columns(), []
    for chunk in text_chunks(texts):
        parts = []
        # tokens, pairs and so on
        for number, terms in enumerate(vectorizer._analyzer().terms(chunk)):
            known = np.array([columns.get(word, -1) for word in terms.types], dtype=np.int32)[
                terms.codes
            ]
            document = np.repeat(np.arange(len(chunk)), np.diff(terms.starts))
            place = np.arange(len(known)) - terms.starts[document]
            parts.append(
                np.stack([document, place, np.full(len(known), number), known])[:, known >= 0]
            )
        document, place, number, known = np.concatenate(parts, axis=1)
        order = np.lexsort((number, place, document))
        ends = np.cumsum(np.bincount(document, minlength=len(chunk)))
        found += np.split(known[order].astype(np.int32), ends[:-1])
    return found
