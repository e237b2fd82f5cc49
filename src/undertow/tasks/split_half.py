"""Split-half retrieval, a measure that needs no labels: does one half of a document find the other
half?

Each document's tokens are split at random into two halves; the vector of the first half is compared
by cosine with the second halves of all documents, and the reciprocal of the rank of its own is
averaged (MRR).

Ties: whatever is as similar as the sought half counts as standing before it. An encoder that gives
every document the same vector scores 1/N among N documents, as does a half whose vector is zero
(similarity 0 to everything). Documents of fewer than two tokens cannot be halved; `splittable`
names the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import checked_counts
from undertow.kernels.randomness import Purpose, philox
from undertow.tasks import _vectors

# Stages of Purpose.HALF, so that the two kinds of draw never share a counter.
_TOKEN_STAGE, _DOCUMENT_STAGE = 0, 1


def split_half_score(
    encode: Callable[[sparse.csr_array], Any], counts: Any, *, seed: int = 0, at_most: int = 2000
) -> float:
    """Split-half retrieval of counts: how often one half of a document finds the other half.

    Parameters
    ----------
    encode : callable
        Turns counts into a matrix with a row for each document.
    counts : sparse matrix (documents, words)
        Documents of at least two tokens take part.
    seed : int
        Decides which documents are taken and how they are split. It should stay the same while
        models change, so that they are asked the same questions.
    at_most : int
        How many documents are taken.

    Returns
    -------
    float
        The mean of 1 / rank of the half that was sought (MRR).

    Raises
    ------
    InvalidInput
        With fewer than two documents of two tokens.

    Examples
    --------
    >>> from undertow.tasks import split_half_score
    >>> counts = sparse.csr_array([[8, 8, 0, 0], [0, 0, 8, 8]])
    >>> split_half_score(lambda counts: counts.toarray(), counts)
    1.0
    """
    matrix = checked_counts(counts)
    seed = _check.whole_number("seed", seed, at_least=0)
    at_most = _check.whole_number("at_most", at_most, at_least=2)
    rows = splittable(matrix)
    if len(rows) < 2:
        raise InvalidInput(
            f"counts must hold at least 2 documents of at least 2 tokens, got {len(rows)}"
        )
    # The smallest keys, in the order of the matrix: a document's key does not depend on the other
    # documents.
    rows = np.sort(rows[np.argsort(_keys(seed, _DOCUMENT_STAGE, rows, 0), kind="stable")[:at_most]])
    first, second = split_halves(matrix[rows], seed=seed, document_ids=rows)
    return split_half_mrr(_encoded(encode, first), _encoded(encode, second))


def splittable(counts: sparse.csr_array) -> NDArray[np.int64]:
    """The documents that can be halved.

    Parameters
    ----------
    counts : sparse matrix (documents, words)
        Word counts.

    Returns
    -------
    array of int
        Numbers of the rows with at least two tokens.

    Examples
    --------
    >>> from undertow.tasks import splittable
    >>> splittable(sparse.csr_array([[1, 1], [1, 0], [0, 2]]))
    array([0, 2])
    """
    return np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel() >= 2)


def split_halves(
    counts: Any, *, seed: int, document_ids: NDArray[np.int64] | None = None
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Splits the tokens of each document at random into two halves.

    A document's split depends on the seed, its own counts and its number alone, not on what else is
    in the matrix. Time and memory grow with the number of tokens.

    Parameters
    ----------
    counts : sparse matrix (documents, words)
        Word counts.
    seed : int
        Another seed, another split.
    document_ids : array of int or None
        The number of each document; None for the number of its row.

    Returns
    -------
    first, second : sparse matrices (documents, words)
        They add up to `counts`. Of D tokens of a document, floor(D / 2) are in the first.

    Examples
    --------
    >>> from undertow.tasks import split_halves
    >>> first, second = split_halves(sparse.csr_array([[2, 3], [4, 0]]), seed=0)
    >>> (first + second).toarray()
    array([[2, 3],
           [4, 0]], dtype=int32)
    >>> first.sum(axis=1)
    array([2, 2])
    """
    matrix = checked_counts(counts)
    seed = _check.whole_number("seed", seed, at_least=0)
    ids = _checked_ids(document_ids, matrix.shape[0])
    lengths = np.asarray(matrix.sum(axis=1, dtype=np.int64)).ravel()
    document = np.repeat(np.arange(len(lengths)), lengths)  # of each token
    # within its document
    place = np.arange(len(document)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    shuffled = np.lexsort((_keys(seed, _TOKEN_STAGE, ids[document], place), document))
    # Shuffling keeps documents together, so `place` also numbers the shuffled tokens of each
    # document.
    taken = shuffled[place < lengths[document] // 2]
    entry = np.repeat(np.arange(matrix.nnz), matrix.data)  # of each token
    first = np.bincount(entry[taken], minlength=matrix.nnz).astype(np.int32)
    return _with_counts(matrix, first), _with_counts(matrix, matrix.data - first)


def split_half_mrr(first: Any, second: Any, *, block: int = 512) -> float:
    """How far up the second half of each document comes when its first half asks.

    Parameters
    ----------
    first, second : array-like (documents, dimensions)
        Vectors of the two halves; row i of both is of the same document.
    block : int
        Documents compared with all others at a time.

    Returns
    -------
    float
        The mean of 1 / rank (MRR). Halves that are as similar as the one that is sought count as
        standing before it.

    Examples
    --------
    >>> from undertow.tasks import split_half_mrr
    >>> split_half_mrr([[1, 0], [0, 1]], [[2, 1], [1, 2]])
    1.0
    """
    block = _check.whole_number("block", block, at_least=1)
    asking, answers = _vectors.matrix("first", first), _vectors.matrix("second", second)
    if asking.shape != answers.shape:
        raise InvalidInput(
            f"second must have the shape of first, {asking.shape}, got {answers.shape}"
        )
    asking, answers = _vectors.unit_rows(asking), _vectors.unit_rows(answers)
    total = 0.0
    for start in range(0, len(asking), block):
        similarity = asking[start : start + block] @ answers.T
        inside = np.arange(len(similarity))
        own = similarity[inside, start + inside]
        rank = (similarity >= own[:, None] - _vectors.TIED).sum(axis=1)  # its own is among them
        total += float((1.0 / rank).sum())
    return total / len(asking)


def _keys(seed: int, stage: int, documents: Any, draws: Any) -> NDArray[np.uint64]:
    """A random 64-bit number for each (document, draw)."""
    bits = philox(seed, Purpose.HALF, stage, 0, documents, draws)
    keys: NDArray[np.uint64] = (bits[..., 0] << np.uint64(32)) | bits[..., 1]
    return keys


def _with_counts(matrix: sparse.csr_array, counts: NDArray[np.int32]) -> sparse.csr_array:
    """The matrix with other counts, entries of 0 left out; a copy, because leaving out moves
    entries in place.
    """
    half = sparse.csr_array((counts, matrix.indices, matrix.indptr), shape=matrix.shape, copy=True)
    half.eliminate_zeros()
    return half


def _encoded(
    encode: Callable[[sparse.csr_array], Any], counts: sparse.csr_array
) -> NDArray[np.float64]:
    vectors = _vectors.matrix("encode's result", encode(counts))
    if len(vectors) != counts.shape[0]:
        raise InvalidInput(
            f"encode's result must have {counts.shape[0]} rows, one per document, got "
            f"{len(vectors)}"
        )
    return vectors


def _checked_ids(document_ids: NDArray[np.int64] | None, size: int) -> NDArray[np.int64]:
    if document_ids is None:
        return np.arange(size, dtype=np.int64)
    ids = np.asarray(document_ids)
    if ids.shape != (size,) or ids.dtype.kind not in "iu" or (ids < 0).any():
        raise InvalidInput(
            f"document_ids must be {size} whole numbers of at least 0, got {ids.dtype} of shape "
            f"{ids.shape}"
        )
    return ids.astype(np.int64, copy=False)
