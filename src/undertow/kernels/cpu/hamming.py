"""Which codes differ from a code in the fewest bits: a scan over all of them.

Codes are packed into words of 64 bits, and all codes' first words lie together, then all second
words: the loop over codes then runs over neighbours in memory, and several are compared in one
instruction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from undertow.kernels.cpu.compile import kernel

LEFT_OUT = np.uint16(65535)  # the distance of a code that is not asked about


@intrinsic  # type: ignore[untyped-decorator]  # numba has no stubs
def _ones(_context: Any, word: Any) -> Any:
    """How many bits of a word are 1."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@kernel
def bits_apart(first: int, last: int, codes: Any, code: Any, distances: Any) -> None:
    """distances[i] = the number of bits in which code i, the column codes[:, i], differs from
    `code`.
    """
    for i in range(first, last):
        distances[i] = np.uint16(0)
    for word in range(codes.shape[0]):
        row, wanted = codes[word], code[word]
        for i in range(first, last):
            distances[i] += np.uint16(_ones(row[i] ^ wanted))


@kernel
def closest(distances: Any, n: int, found: Any) -> int:
    """Writes the numbers of the n smallest distances, in the order of their numbers, and says how
    many there are.

    Of equal distances the lower number comes first. What is `LEFT_OUT` is never found.
    """
    counts = np.zeros(65536, dtype=np.int64)
    limit, below = 65534, 0  # so many distances seen are not above the limit
    for i in range(distances.size):
        if distances[i] <= limit:
            counts[distances[i]] += 1
            below += 1
            while below - counts[limit] >= n:  # enough without those at the limit
                below -= counts[limit]
                limit -= 1
    wanted = n - (below - counts[limit])  # of those at the limit
    taken = 0
    for i in range(distances.size):
        if distances[i] < limit or (distances[i] == limit and wanted > 0):
            wanted -= distances[i] == limit
            found[taken] = i
            taken += 1
    return taken
