"""What replicas moved, cut into slices that can be added up in different places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from undertow.learn.merging import Moved


def sliced(moved: Moved, number: int) -> list[Moved]:
    """So many slices, which `joined` puts together again.

    A word is in the slice that is its number modulo theirs: frequent words, which all replicas
    move, come first in a vocabulary, and each slice has its share of them. Of everything else,
    arrays are dealt out in the order of their names.
    """
    if number == 1:
        return [moved]
    names, found = sorted(moved.others), []
    for slice_ in range(number):
        own = moved.words % number == slice_
        found.append(
            Moved(
                moved.words[own],
                moved.brought[own],
                {name: sums[own] for name, sums in moved.rows.items()},
                {name: moved.others[name] for name in names[slice_::number]},
                moved.replicas,
            )
        )
    return found


def joined(slices: Sequence[Moved]) -> Moved:
    """The whole of which these are the slices."""
    if len(slices) == 1:
        return slices[0]
    words = np.concatenate([one.words for one in slices])
    order = np.argsort(words, kind="stable")
    rows = {
        name: np.concatenate([one.rows[name] for one in slices])[order] for name in slices[0].rows
    }
    others = {name: sums for one in slices for name, sums in one.others.items()}
    brought = np.concatenate([one.brought for one in slices])[order]
    return Moved(words[order], brought, rows, others, slices[0].replicas)
