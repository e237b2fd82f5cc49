"""The gradient of W in factored form, touching only the rows that occur.

A row's gradient is a sum of coefficient * vector over its entries: a token of a document brings
that document's vector, a word of the noise stream brings its position's vector. Vectors are shared,
so the gradient is never written out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu import program
from undertow.kernels.cpu.compile import kernel, piece, shared
from undertow.kernels.cpu.gather import add_rows
from undertow.kernels.cpu.prefetch import FAR_AHEAD, prefetch_number


class Entries(NamedTuple):
    """Coordinates of the factored gradient, in any order: shard s has counts[s] of them, from
    starts[s] on.
    """

    words: NDArray[np.int32]
    vectors: NDArray[np.int32]  # which vector
    coefficients: NDArray[np.float32]
    starts: NDArray[np.int64]  # (S + 1,): the last is where the arrays end
    counts: NDArray[np.int64]  # (S,)


class RowGradient(NamedTuple):
    """The entries grouped by word, in parts that have words of their own. Part p has sizes[p] rows:
    row i is word rows[p, i], with entries starts[p, i] to starts[p, i + 1].
    """

    sizes: NDArray[np.int64]  # (P,)
    rows: NDArray[np.int32]  # (P, most)
    starts: NDArray[np.int64]  # (P, most + 1)
    vector_ids: NDArray[np.int32]  # (P, most)
    coefficients: NDArray[np.float32]  # (P, most)
    vectors: NDArray[np.float32]  # (N, H)
    scalars: NDArray[np.float32]  # (N,): the same for the visible bias

    def touched(self) -> NDArray[np.int32]:
        """All words that have a row."""
        return np.concatenate(
            [rows[:size] for rows, size in zip(self.rows, self.sizes, strict=True)]
        )


class Grouping(NamedTuple):
    """Entries, and space for grouping them by word."""

    entries: Entries
    slots: NDArray[np.int32]  # these three are what `group_part` takes
    found: NDArray[np.int32]
    rows: RowGradient


@shared
def split_entries(
    first: int,
    last: int,
    documents: Any,
    kept: Any,
    word_weights: Any,
    spans: Any,
    entries: Any,
    n: int,
) -> int:
    """Appends documents `first` to `last` of a minibatch at entry n, each split into replaced
    tokens (vectors 0 to B) and kept ones (vectors B to 2B); returns where they end.

    spans[d]: where the replaced tokens of document d begin, where its kept ones do, and where these
    end.
    """
    starts, words, counts = documents.starts, documents.words, documents.counts
    size = starts.size - 1
    for d in range(first, last):
        for part in range(2):
            spans[d, part] = n
            for i in range(starts[d], starts[d + 1]):
                prefetch_number(word_weights, words[min(i + FAR_AHEAD, words.size - 1)])
                tokens = kept[i] if part else counts[i] - kept[i]
                entries.words[n] = words[i]
                entries.vectors[n] = part * size + d
                entries.coefficients[n] = word_weights[words[i]] * np.float32(tokens)
                n += tokens > 0  # without a branch, which nobody could predict
        spans[d, 2] = n
    return n


@shared
def stream_entries(
    stream: Any, covering: Any, word_weights: Any, first_vector: int, entries: Any, n: int
) -> int:
    """Appends the covered positions of a noise stream at entry n; returns where they end."""
    for position in range(stream.size):
        if covering[position] > 0:
            word = stream[position]
            entries.words[n] = word
            entries.vectors[n] = first_vector + position
            entries.coefficients[n] = word_weights[word]
            n += 1
    return n


@shared
def document_entries(
    first: int,
    last: int,
    starts: Any,
    words: Any,
    counts: Any,
    word_weights: Any,
    first_vector: int,
    entries: Any,
    n: int,
) -> int:
    """Appends whole documents, document d with vector `first_vector + d`, at entry n; returns where
    they end.
    """
    for d in range(first, last):
        for i in range(starts[d], starts[d + 1]):
            word = words[i]
            entries.words[n] = word
            entries.vectors[n] = first_vector + d
            entries.coefficients[n] = word_weights[word] * np.float32(counts[i])
            n += 1
    return n


@shared
def group_part(entries: Any, part: int, slots: Any, found: Any, grouped: Any) -> None:
    """Groups the entries of one part of the words by word, in the order of first occurrence.

    There are a power of two of parts, and the lowest bits of a word say which is its own. `slots`
    (P, words of a part) is -1 everywhere before and after: the place of each touched word among the
    rows. `found` (P, entries, 2) is scratch.
    """
    parts = slots.shape[0]
    bits = 0
    while 1 << bits < parts:
        bits += 1
    mask, mine, seen = parts - 1, slots[part], found[part]
    rows, starts = grouped.rows[part], grouped.starts[part]
    n = 0
    for shard in range(entries.counts.size):
        begin = entries.starts[shard]
        for i in range(begin, begin + entries.counts[shard]):
            seen[n, 0] = i
            n += (entries.words[i] & mask) == part  # without a branch, which nobody could predict
    n_rows = 0
    for at in range(n):
        prefetch_number(mine, entries.words[seen[min(at + FAR_AHEAD, n - 1), 0]] >> bits)
        word = entries.words[seen[at, 0]]
        slot = mine[word >> bits]
        if slot < 0:
            slot = n_rows
            mine[word >> bits] = slot
            rows[slot] = word
            starts[slot + 1] = 0
            n_rows += 1
        starts[slot + 1] += 1
        seen[at, 1] = slot
    starts[0] = 0
    for row in range(n_rows):
        starts[row + 1] += starts[row]
        mine[rows[row] >> bits] = -1
    # Fill each row from its end, last entry first, so that a row keeps the order of its entries;
    # this moves starts[row + 1] back to starts[row], which is put right afterwards.
    vector_ids, coefficients = grouped.vector_ids[part], grouped.coefficients[part]
    for at in range(n - 1, -1, -1):
        i, slot = seen[at, 0], seen[at, 1]
        starts[slot + 1] -= 1
        place = starts[slot + 1]
        vector_ids[place] = entries.vectors[i]
        coefficients[place] = entries.coefficients[i]
    for row in range(n_rows):
        starts[row] = starts[row + 1]
    starts[n_rows] = n
    grouped.sizes[part] = n_rows


@kernel
def group_entries(worker: Any, entries: Any, slots: Any, found: Any, grouped: Any) -> None:
    """Groups all entries: a program for all workers."""
    if program.join(worker) >= 0:
        part = program.next_item(worker, 0)
        while part < slots.shape[0]:
            group_part(entries, part, slots, found, grouped)
            part = program.next_item(worker, 0)
        program.leave(worker, 1)


@piece
def row_gradient(gradient: Any, part: Any, row: Any, weights: Any, l2: Any, total: Any) -> Any:
    """Writes the gradient of a touched row, L2 included, to `total`, and returns its mean
    square.
    """
    for j in range(total.size):
        total[j] = l2 * weights[j]
    starts = gradient.starts[part]
    add_rows(
        total,
        gradient.vectors,
        gradient.vector_ids[part],
        gradient.coefficients[part],
        starts[row],
        starts[row + 1],
        starts[gradient.sizes[part]],
    )
    square = np.float32(0.0)
    for j in range(total.size):
        square += total[j] * total[j]
    return square / np.float32(total.size)


@piece
def row_scalar(gradient: Any, part: Any, row: Any) -> Any:
    """The sparse part of the gradient of the visible bias of a touched word."""
    total = np.float32(0.0)
    for entry in range(gradient.starts[part, row], gradient.starts[part, row + 1]):
        total += (
            gradient.coefficients[part, entry] * gradient.scalars[gradient.vector_ids[part, entry]]
        )
    return total


@kernel
def write_rows(gradient: Any, out: Any) -> None:
    """Writes the gradients of all touched rows, part after part."""
    n, nothing = 0, np.zeros(out.shape[1], dtype=np.float32)
    for part in range(gradient.sizes.size):
        for i in range(gradient.sizes[part]):
            row_gradient(gradient, part, i, nothing, np.float32(0.0), out[n])
            n += 1
