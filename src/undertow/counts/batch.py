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

    `document_ids` are stable names of the documents within their source: random draws are keyed by
    them, so a document meets the same noise whatever batch, thread or process it is in.
    """

    document_ids: NDArray[np.int64]  # (B,)
    starts: NDArray[np.int64]  # (B + 1,): document d owns entries starts[d] to starts[d + 1]
    words: NDArray[np.int32]  # (E,)
    counts: NDArray[np.int32]  # (E,), at least 1

    @property
    def size(self) -> int:
        """Number of documents."""
        return len(self.document_ids)

    @property
    def tokens(self) -> int:
        """Number of tokens, repeated words counted."""
        return int(self.counts.sum())

    def part(self, first: int, last: int) -> CountBatch:
        """The documents from `first` to before `last`, as far as there are any; words and counts
        are views.
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
        """All rows of a matrix; row i is named `first_id + i`."""
        return cls(
            document_ids=np.arange(first_id, first_id + counts.shape[0], dtype=np.int64),
            starts=counts.indptr.astype(np.int64, copy=False),
            words=counts.indices.astype(np.int32, copy=False),
            counts=counts.data.astype(np.int32, copy=False),
        )
