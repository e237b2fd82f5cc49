"""Drawing words from a fixed distribution in constant time: the alias method (Walker; Vose's
construction).

Column c of the table holds word c with probability threshold_c / 2^32 and word alias_c otherwise
(side by side, since a draw needs both). One 64-bit number u chooses both: u K / 2^64 has the column
as its whole part and, independent of it, the fraction that is compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu.compile import kernel, piece
from undertow.kernels.cpu.philox import MASK, SHIFT

AliasTable = NDArray[np.uint32]  # (K, 2): threshold and alias


def build_alias_table(distribution: NDArray[np.float64]) -> AliasTable:
    """The table of a distribution of K words (positive, summing to one)."""
    size = len(distribution)
    scaled = distribution * (size / distribution.sum())
    aliases = np.arange(size, dtype=np.int32)
    _pair_columns(scaled, aliases, np.empty(size, np.int32), np.empty(size, np.int32))
    # A column that is full keeps itself as alias, so that capping its threshold below 2^32 changes
    # nothing.
    thresholds = np.minimum(np.rint(scaled * 2.0**32), 2.0**32 - 1).astype(np.uint32)
    return np.stack([thresholds, aliases.astype(np.uint32)], axis=1)


def implied_distribution(table: AliasTable) -> NDArray[np.float64]:
    """The distribution that a table draws from, exactly."""
    share = table[:, 0] * 2.0**-32
    distribution = share.copy()
    np.add.at(distribution, table[:, 1], 1.0 - share)
    return distribution / len(share)


@kernel
def _pair_columns(scaled: Any, aliases: Any, small: Any, large: Any) -> None:
    """Fills each column that is not full with a word that has too much; `scaled` becomes the
    thresholds.
    """
    n_small = n_large = 0
    for word in range(scaled.size):
        if scaled[word] < 1.0:
            small[n_small] = word
            n_small += 1
        else:
            large[n_large] = word
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        column, word = small[n_small], large[n_large - 1]
        aliases[column] = word
        scaled[word] -= 1.0 - scaled[column]
        if scaled[word] < 1.0:
            n_large -= 1
            small[n_small] = word
            n_small += 1
    # What is left over is full up to rounding.
    for i in range(n_small):
        scaled[small[i]] = 1.0
    for i in range(n_large):
        scaled[large[i]] = 1.0


@piece
def draw_word(table: Any, high: Any, low: Any) -> Any:
    """The word that two 32-bit random numbers choose."""
    size = np.uint64(table.shape[0])
    product = high * size + ((low * size) >> SHIFT)
    column = np.int64(product >> SHIFT)
    return (
        np.int32(column)
        if (product & MASK) < np.uint64(table[column, 0])
        else np.int32(table[column, 1])
    )
