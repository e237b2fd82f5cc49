"""A minibatch of documents as sparse word counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class CountBatch:
    """Documents as rows of a compressed sparse matrix of whole-number counts.

    Parameters
    ----------
    document_ids : array of int64, (documents,)
        Stable names of the documents within their source. Random draws are keyed by them, so a
        document meets the same noise whatever batch, thread or process it is in.
    starts : array of int64, (documents + 1,)
        Document d has the entries from `starts[d]` to before `starts[d + 1]`.
    words : array of int32, (entries,)
        The word of each entry.
    counts : array of int32, (entries,)
        How often it occurs in its document: at least once.

    Examples
    --------
    >>> from undertow.counts import CountBatch
    >>> batch = CountBatch.from_csr(counts)
    >>> batch.size, batch.tokens
    (3, 12)
    >>> batch.words.tolist(), batch.counts.tolist()
    ([0, 2, 1, 2], [2, 1, 8, 1])
    """

    document_ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    words: NDArray[np.int32]
    counts: NDArray[np.int32]

    @property
    def size(self) -> int:
        """Number of documents."""
        return len(self.document_ids)

    @property
    def tokens(self) -> int:
        """Number of tokens, repeated words counted."""
        return int(self.counts.sum())

    def part(self, first: int, last: int) -> CountBatch:
        """A run of its documents; words and counts are views.

        Parameters
        ----------
        first, last : int
            From which document to before which one, as far as there are any.

        Returns
        -------
        CountBatch
            These documents, with the ids that they have here.

        Examples
        --------
        >>> batch.part(1, 5).document_ids.tolist()
        [1, 2]
        """
        starts = self.starts[first : last + 1]
        entries = slice(starts[0], starts[-1])
        return CountBatch(
            self.document_ids[first:last],
            starts - starts[0],
            self.words[entries],
            self.counts[entries],
        )

    @classmethod
    def from_csr(cls, counts: sparse.csr_array, first_id: int = 0) -> CountBatch:
        """All rows of a matrix.

        Parameters
        ----------
        counts : sparse array, (documents, words)
            Whole counts, as `checked_counts` gives them.
        first_id : int
            The id of the first row; the others count on from it.

        Returns
        -------
        CountBatch
            A document for each row, empty ones included.

        Examples
        --------
        >>> CountBatch.from_csr(counts, first_id=10).document_ids.tolist()
        [10, 11, 12]
        """
        return cls(
            document_ids=np.arange(first_id, first_id + counts.shape[0], dtype=np.int64),
            starts=counts.indptr.astype(np.int64, copy=False),
            words=counts.indices.astype(np.int32, copy=False),
            counts=counts.data.astype(np.int32, copy=False),
        )
