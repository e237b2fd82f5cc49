"""What the scan of codes goes through, held in memory: codes packed into words of 64 bits.

Held for one version of the documents. After a change it is read anew when it is next needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.search.database.store import Rows, Scores, Store

LEAST = 65_536  # codes that are worth a thread


def packed_words(codes: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Codes, a row of bytes each, as columns of 64-bit words; bits that are missing at the end are
    0.
    """
    documents, width = codes.shape
    padded = np.zeros((documents, -(-width // 8) * 8), dtype=np.uint8)
    padded[:, :width] = codes
    return np.ascontiguousarray(padded.view(np.uint64).T)


@dataclass(frozen=True)
class CodesInMemory:
    """All codes; 16 bytes a document for 128 topics, and 8 for the number of its row."""

    rows: Rows
    codes: NDArray[np.uint64]  # words x documents

    @classmethod
    def of(cls, store: Store) -> CodesInMemory:
        """Reads them."""
        rows, codes = _read(store, "code", np.uint8)
        return cls(rows, packed_words(codes))

    def nearest(
        self, code: NDArray[np.uint8], bits: int, n: int, allowed: Rows | None
    ) -> tuple[Rows, Scores]:
        """Rows of the codes that share the most of their `bits` with a code, and the share."""
        from undertow.kernels.cores import thread_count
        from undertow.kernels.cpu import pool  # compiled, so loaded for this alone
        from undertow.kernels.cpu.hamming import LEFT_OUT, bits_apart, closest
        from undertow.kernels.cpu.splitting import split

        n = min(n, len(self.rows))
        if not n:
            return self.rows[:0], np.zeros(0)
        distances = np.empty(len(self.rows), dtype=np.uint16)
        wanted = packed_words(code[None])[:, 0].copy()
        threads = thread_count(None)
        tasks = split(
            bits_apart, len(self.rows), threads, self.codes, wanted, distances, least=LEAST
        )
        pool.run(tasks, threads)
        if allowed is not None:
            inside = places_of(allowed, self.rows)
            kept = distances[inside]
            distances[:] = LEFT_OUT
            distances[inside] = kept
        found = np.empty(n, dtype=np.int64)
        found = found[: closest(distances, n, found)]
        found = found[np.argsort(distances[found], kind="stable")]
        return self.rows[found], 1.0 - distances[found] / bits


def places_of(allowed: Rows, rows: Rows) -> NDArray[np.int64]:
    """Where those of the allowed rows that are there stand among `rows`; both in order."""
    places = np.searchsorted(rows, allowed)
    inside = places < len(rows)
    places, sought = places[inside], allowed[inside]
    there: NDArray[np.int64] = places[rows[places] == sought]
    return there


def _read(store: Store, column: str, kind: type[np.generic]) -> tuple[Rows, NDArray[Any]]:
    """A column of all rows that have it, in the order of the rows' numbers."""
    pieces = list(store.encoded(column))
    if not pieces:
        return np.zeros(0, dtype=np.uint64), np.zeros(
            (0, store.schema.field(column).type.list_size), dtype=kind
        )
    rows, values = (np.concatenate(part) for part in zip(*pieces, strict=True))
    order = np.argsort(rows, kind="stable")
    in_order = bool((np.diff(order) == 1).all())
    return (rows, values.astype(kind)) if in_order else (rows[order], values[order].astype(kind))
