"""Counter-based random numbers: a draw is a pure function of (seed, purpose, stage, epoch,
document, draw).

No state is kept, so any number of threads, any device, any process and a resumed run draw the same
numbers. The generator is Philox-4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2,
3", 2011): the 64-bit seed is its key, and the 128-bit counter is laid out as

    word 0: draw    word 1: document    word 2: epoch    word 3: purpose * 2**24 + stage

This module is the NumPy version, for draws that are few and as the oracle of the compiled one.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
LOW_32_BITS = 0xFFFFFFFF
RANGE = 2**18  # documents that numbers are drawn for at a time

ROWS = 4096  # of normal numbers that are made at a time

# Parts of what is drawn: other numbers here are other results.
SHARD = 32  # documents of a minibatch that share a noise stream
CHUNK = 2048  # words of the vocabulary that a Gibbs step draws among at a time
TOKENS_A_STEP = 32  # tokens of a document that are told from noise together


class Purpose(IntEnum):
    """What a draw is for: draws for different purposes never share a counter."""

    SHUFFLE = 1  # the order of an epoch
    KEEP = 2  # which tokens of a document are kept (V_r)
    WINDOW = 3  # where a noise window starts
    STREAM = 4  # the words of the noise stream
    NOISE = 5  # the words of independent noise documents
    HIDDEN = 6  # hidden units of a Gibbs step
    WORD = 7  # words of a Gibbs step
    WEIGHTS = 8  # the first weights
    HALF = 9  # which half of a document a token goes to
    HOLD_OUT = 10  # which documents are held out
    LEVEL = 11  # how much of a document is kept
    MAP = 12  # places on a map
    WORD_VECTORS = 13  # the directions that units take among vectors of words
    DIRECTIONS = 14  # where the search for directions of words begins
    PROPOSAL = 15  # words that tokens are offered, and whether they take them
    REPLACEMENT = 16  # which token is replaced, and by which word
    ANNEALING = 17  # the hidden units of chains that estimate log Z
    LATENT = 18  # latent words of documents, and hidden units of chains that sum them out
    TOKEN = 19  # tokens that are told from noise one by one: which, in which order, and the noise


def philox(
    seed: int, purpose: int, stage: Any, epoch: Any, document: Any, draw: Any
) -> NDArray[np.uint64]:
    """Four uniform 32-bit numbers (last axis, as uint64) for each element of the broadcast
    arguments.
    """
    mask, shift = np.uint64(LOW_32_BITS), np.uint64(32)
    counter = [np.asarray(part, dtype=np.uint64) for part in (draw, document, epoch)]
    last = np.asarray(stage, dtype=np.uint64) + np.uint64(int(purpose) << 24)
    c0, c1, c2, c3 = (np.array(part) for part in np.broadcast_arrays(*counter, last))
    k0, k1 = np.uint64(seed & LOW_32_BITS), np.uint64((seed >> 32) & LOW_32_BITS)
    for _ in range(ROUNDS):
        first, second = c0 * np.uint64(MULTIPLIERS[0]), c2 * np.uint64(MULTIPLIERS[1])
        c0, c1, c2, c3 = (
            (second >> shift) ^ c1 ^ k0,
            second & mask,
            (first >> shift) ^ c3 ^ k1,
            first & mask,
        )
        k0, k1 = (k0 + np.uint64(KEY_STEPS[0])) & mask, (k1 + np.uint64(KEY_STEPS[1])) & mask
    return np.stack([c0, c1, c2, c3], axis=-1)


def uniforms(
    seed: int, purpose: int, stage: Any, epoch: Any, document: Any, draw: Any
) -> NDArray[np.float64]:
    """One uniform number in [0, 1) with 53 random bits for each element of the broadcast
    arguments.
    """
    bits = philox(seed, purpose, stage, epoch, document, draw)
    top = (bits[..., 0] << np.uint64(21)) | (bits[..., 1] >> np.uint64(11))
    return top.astype(np.float64) * 2.0**-53


def permutation(seed: int, epoch: int, document_ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order of an epoch: positions of `document_ids` sorted by a number drawn for each
    document.
    """
    bits = philox(seed, Purpose.SHUFFLE, 0, epoch, document_ids, 0)
    return sorted_by((bits[..., 0] << np.uint64(32)) | bits[..., 1])


def sorted_by(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The positions of keys in ascending order, equal ones as they come. 64 random bits are hardly
    ever equal, and sorting is several times as quick where nobody asks about equal ones.
    """
    order = np.argsort(keys)
    ascending = keys[order]
    if (ascending[1:] == ascending[:-1]).any():
        return np.argsort(keys, kind="stable")
    return order


def lowest(seed: int, purpose: int, stage: int, documents: int, size: int) -> NDArray[np.int64]:
    """The `size` documents with the lowest random numbers, in order; never more than some are
    looked at at a time.
    """
    rows, keys = np.zeros(0, dtype=np.int64), np.zeros(0)
    for first in range(0, documents, RANGE):
        new = np.arange(first, min(first + RANGE, documents))
        drawn = uniforms(seed, purpose, stage, 0, new, 0)
        rows, keys = np.concatenate([rows, new]), np.concatenate([keys, drawn])
        order = np.argsort(keys, kind="stable")[:size]
        rows, keys = rows[order], keys[order]
    return np.sort(rows)


def normals(seed: int, purpose: int, rows: int, columns: int) -> NDArray[np.float32]:
    """Standard normal numbers, a row per document number, made in blocks of rows so that memory
    stays small. `undertow.kernels.cpu.normals` is the quick version.
    """
    out = np.empty((rows, columns), dtype=np.float32)
    pairs = np.arange((columns + 1) // 2)
    for first in range(0, rows, ROWS):
        block = np.arange(first, min(first + ROWS, rows))[:, None]
        bits = philox(seed, purpose, 0, 0, block, pairs)
        out[first : first + len(block)] = box_muller(bits, columns)
    return out


def box_muller(bits: NDArray[np.uint64], columns: int) -> NDArray[np.float64]:
    """So many normal numbers a row from 32-bit numbers (rows, pairs, 2 or more)."""
    radius = np.sqrt(-2.0 * np.log((bits[..., 0] + 1.0) * 2.0**-32))
    angle = bits[..., 1] * (2.0 * np.pi * 2.0**-32)
    both = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return both.reshape(len(bits), -1)[:, :columns]
