"""Rows of arrays that stand side by side, brought to their mean: where replicas meet.

Only rows that some of them moved are touched. A row is computed from beginning to end by one
worker, in the order of the arrays, so the bits do not depend on the workers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from undertow.kernels.cpu import program
from undertow.kernels.cpu.compile import kernel, piece

BLOCK = 128  # words that a worker takes at a time


@intrinsic  # type: ignore[untyped-decorator]  # numba has no stubs
def _floats_at(_context: Any, _address: Any) -> Any:
    """The address of single-precision numbers as a pointer: any number of arrays can then be named
    by an array of addresses.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.float32)(types.int64), generate


@piece
def _bringers(word: Any, words: Any, ends: Any, at: Any, found: Any) -> Any:
    """Writes which lists go on with this word to `found`, moves them on, and returns how many."""
    n = 0
    for member in range(at.size):
        if at[member] < ends[member] and words[at[member]] == word:
            found[n] = member
            at[member] += 1
            n += 1
    return n


@piece
def _bring_to_mean(word: Any, found: Any, addresses: Any, width: Any, total: Any) -> None:
    """The mean of the rows of a word in the arrays found, written to all of these arrays."""
    offset = np.int64(4) * word * width
    total[:width] = np.float32(0.0)
    for i in range(found.size):
        row = carray(_floats_at(addresses[found[i]] + offset), (width,))
        for j in range(width):
            total[j] += row[j]
    share = np.float32(1.0) / np.float32(found.size)
    for j in range(width):
        total[j] *= share
    for member in range(addresses.size):
        row = carray(_floats_at(addresses[member] + offset), (width,))
        for j in range(width):
            row[j] = total[j]


@kernel
def mean_rows_together(
    worker: Any, words: Any, starts: Any, addresses: Any, widths: Any, vocabulary: int
) -> None:
    """A program for all workers. words[starts[m] : starts[m + 1]] are those whose rows member m
    moved, ascending; addresses[a, m] is where array a of member m begins, with rows of widths[a]
    numbers of single precision. A row becomes the mean of the members that moved it, in all.
    """
    if program.join(worker) < 0:
        return
    members = starts.size - 1
    at, found = np.empty(members, dtype=np.int64), np.empty(members, dtype=np.int64)
    ends, total = starts[1:], np.empty(widths.max(), dtype=np.float32)
    block = program.next_item(worker, 0)
    while block * BLOCK < vocabulary:
        last = min((block + 1) * BLOCK, vocabulary)
        for member in range(members):
            own = words[starts[member] : ends[member]]
            at[member] = starts[member] + np.searchsorted(own, block * BLOCK)
        for word in range(block * BLOCK, last):
            n = _bringers(word, words, ends, at, found)
            if n:
                for array in range(widths.size):
                    _bring_to_mean(word, found[:n], addresses[array], widths[array], total)
        block = program.next_item(worker, 0)
    program.leave(worker, 1)
