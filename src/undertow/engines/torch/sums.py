"""Sums whose terms are added in a fixed order: torch's own additions to places that repeat are
made in any order on a card, and would give other bits every time.

Terms are rows of a table, each with a coefficient, and lie side by side for each sum: those of sum
i from starts[i] to before starts[i + 1].
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

MOST = 64  # terms that are added one after the other; sums of more are sums of such sums


class Groups(NamedTuple):
    """Terms that are put together by a key."""

    keys: Any  # (n,) each once, from the lowest on
    order: Any  # (E,) the terms, those of one key side by side, in their own order
    starts: Any  # (n + 1,)


def weighted_rows(table: Any, rows: Any, coefficients: Any | None, starts: Any) -> Any:
    """out[i]: the sum of coefficients[t] * table[rows[t]] over the terms t of sum i."""
    if not len(rows):
        return table.new_zeros((len(starts) - 1, table.shape[1]))
    return torch.nn.functional.embedding_bag(
        rows,
        table,
        starts,
        mode="sum",
        per_sample_weights=coefficients,
        include_last_offset=True,
    )


def spans(values: Any, starts: Any) -> Any:
    """out[i]: the sum of values[t] over the terms t of sum i; values may be numbers or rows."""
    table = values if values.ndim == 2 else values[:, None]
    rows = torch.arange(len(values), device=values.device)
    out = weighted_rows(table.contiguous(), rows, None, starts)
    return out if values.ndim == 2 else out[:, 0]


def grouped_by(keys: Any) -> Groups:
    """Terms by their key, a whole number."""
    ordered, order = torch.sort(keys, stable=True)
    found, sizes = torch.unique_consecutive(ordered, return_counts=True)
    return Groups(found, order, starts_of(sizes))


def grouped_rows(groups: Groups, table: Any, rows: Any, coefficients: Any | None) -> Any:
    """(n, C) The sum of coefficients[t] * table[rows[t]] over the terms t of every key."""
    rows = rows[groups.order]
    coefficients = None if coefficients is None else coefficients[groups.order]
    sizes = groups.starts.diff()
    parts = (sizes + (MOST - 1)) // MOST
    first = starts_of(parts)
    owners = torch.repeat_interleave(parts)
    within = torch.arange(len(owners), device=rows.device) - first[owners]
    begins = groups.starts[owners] + MOST * within
    partial = weighted_rows(table, rows, coefficients, torch.cat([begins, groups.starts[-1:]]))
    return weighted_rows(partial, torch.arange(len(partial), device=rows.device), None, first)


def starts_of(sizes: Any) -> Any:
    """Where things of these sizes begin that lie one after the other, and where the last ends."""
    return torch.nn.functional.pad(sizes.cumsum(0), (1, 0))


def running_sums(values: Any, dim: int) -> Any:
    """Sums along a dimension. One line alone would be cut into parts whose sums are added in any
    order, so it gets company.
    """
    if values.numel() > values.shape[dim]:
        return values.cumsum(dim)
    return torch.stack([values, torch.zeros_like(values)]).cumsum(dim % values.ndim + 1)[0]
