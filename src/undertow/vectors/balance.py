"""What the units' side of "balanced" vectors is measured by, from the documents that were learned
from.

Mean inputs are divided by a third of their spread (the mean over units of their deviations): so
log(1 + softplus) bends where documents differ, whatever the lengths of documents and the size of
the weights. Half of the mean over documents is then taken away: with none, what all documents have
in common counts most; with all, what a unit that is off says counts too much. docs/design_notes.md
has the other functions that were tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.engines import Engine
from undertow.model.parameters import Parameters
from undertow.vectors.encoding import activations, strengths
from undertow.vectors.features import Balance

TIMES, SHARE = 3.0, 0.5
# of sums of words, relative to the largest mean input
ROUNDING = 64 * float(np.finfo(np.float32).eps)


def plain_balance(units: int, length: float, directions: NDArray[np.float32]) -> Balance:
    """That of a model that has not learned yet, or does not say: strengths of documents of that
    length.
    """
    return Balance(length, np.zeros(units, dtype=np.float32), directions)


def balance_of(
    parameters: Parameters,
    blocks: Iterable[CountBatch],
    length: float,
    directions: NDArray[np.float32],
    *,
    engine: Engine,
) -> Balance:
    """The balance of a model by some of its documents; empty ones do not count. `length` is the
    typical one.
    """
    known = [block for block in map(_not_empty(parameters), blocks) if block.size]
    number = sum(block.size for block in known)
    if not number:
        return plain_balance(parameters.units, length, directions)
    spread = _spread([activations(parameters, block, engine=engine) for block in known])
    scale = TIMES / spread if spread > 0 else length
    middle = np.zeros(parameters.units)
    for block in known:
        middle += strengths(parameters, block, scale, engine=engine).sum(axis=0, dtype=np.float64)
    return Balance(scale, (SHARE * middle / number).astype(np.float32), directions)


def _spread(blocks: Sequence[NDArray[np.float32]]) -> float:
    """The mean over units of the deviation of mean inputs over documents; 0 where it is nothing but
    rounding.
    """
    # squares of what differs from it lose no digits to what all have in common
    first = blocks[0][0].astype(np.float64)
    total, squares, largest = np.zeros_like(first), np.zeros_like(first), 0.0
    for block in blocks:
        off = block - first
        total += off.sum(axis=0)
        squares += np.square(off).sum(axis=0)
        largest = max(largest, float(np.abs(block).max()))
    number = sum(map(len, blocks))
    spread = float(np.sqrt(np.maximum(squares / number - np.square(total / number), 0.0)).mean())
    return spread if spread > ROUNDING * largest else 0.0


def _not_empty(parameters: Parameters) -> Callable[[CountBatch], CountBatch]:
    """Takes the documents without a word that counts out of a block."""

    def known(block: CountBatch) -> CountBatch:
        weighted = parameters.word_weights[block.words] * block.counts
        owners = np.repeat(np.arange(block.size), np.diff(block.starts))
        kept = np.bincount(owners, weights=weighted, minlength=block.size) > 0
        entries = np.repeat(kept, np.diff(block.starts))
        starts = np.concatenate([[0], np.cumsum(np.diff(block.starts)[kept])])
        return CountBatch(
            block.document_ids[kept], starts, block.words[entries], block.counts[entries]
        )

    return known
