"""Every draw of a step, as the other engines make it, for all documents at once.

How many tokens a document keeps and where things lie is worked out on the host, from a few numbers
for each document; what is drawn for each token is drawn on the device.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from undertow.engines.devices import has_fused_kernels
from undertow.engines.torch.documents import Documents, to_device
from undertow.engines.torch.philox import TO_UNIT, below, philox
from undertow.engines.torch.sums import starts_of
from undertow.kernels.cpu.alias import build_alias_table
from undertow.kernels.randomness import LOW_32_BITS, Purpose, uniforms

POSITIONS = 256  # tokens of every document that numbers are drawn for at a time


def alias_table(distribution: NDArray[np.float64], device: Any) -> Any:
    """(K, 2) Threshold and alias of each column (see `kernels.cpu.alias`)."""
    return to_device(build_alias_table(distribution).astype(np.int64), device)


def kept_tokens(
    documents: Documents, seed: int, epoch: int, level: float | tuple[float, float]
) -> NDArray[np.int64]:
    """D_r of every document, on the host."""
    levels: Any = level
    if isinstance(level, tuple):
        lowest, highest = level
        shares = uniforms(seed, Purpose.LEVEL, 0, epoch, documents.batch.document_ids, 0)
        levels = lowest + (highest - lowest) * shares
    kept = np.ceil(levels * documents.tokens - 1e-9).astype(np.int64)
    fewer: NDArray[np.int64] = np.minimum(kept, documents.tokens - 1)
    return fewer


def kept_counts(documents: Documents, to_keep: NDArray[np.int64], seed: int, epoch: int) -> Any:
    """(E,) How many tokens of each entry belong to V_r: selection sampling, position after position
    and all documents side by side; or in one kernel.
    """
    device, longest = documents.ids.device, int(documents.tokens.max())
    tokens = to_device(documents.tokens, device)
    needed = to_device(to_keep.copy(), device)
    if has_fused_kernels(device):
        from undertow.engines.torch.triton_draws import kept_of  # needs Triton

        parts = (documents.ids, documents.starts, documents.counts.int(), tokens, needed)
        return kept_of(*parts, seed, epoch).long()
    chosen = torch.empty((longest, documents.size), dtype=torch.bool, device=device)
    for begin in range(0, longest, POSITIONS):
        end = min(begin + POSITIONS, longest)
        calls = torch.arange(begin // 4, -(-end // 4), device=device)
        bits = philox(seed, Purpose.KEEP, 0, epoch, documents.ids, calls[:, None])
        bits = bits.transpose(0, 1).reshape(-1, documents.size)  # four positions from each call
        left = (tokens - torch.arange(begin, end, device=device)[:, None]).clamp(min=0)
        drawn = below(bits[: end - begin], left)
        for position in range(begin, end):
            torch.lt(drawn[position - begin], needed, out=chosen[position])
            needed.add_(chosen[position], alpha=-1)
    return _by_entry(documents, tokens, chosen)


def _by_entry(documents: Documents, tokens: Any, chosen: Any) -> Any:
    """Counts what was chosen (positions, documents) of the tokens of each entry."""
    total, device = int(documents.tokens.sum()), tokens.device
    owners = torch.repeat_interleave(tokens, output_size=total)
    positions = torch.arange(total, device=device) - starts_of(tokens)[owners]
    so_far = starts_of(chosen[positions, owners])
    return so_far[starts_of(documents.counts)].diff()


def words_of_groups(
    seed: int,
    purpose: int,
    groups: tuple[Any, int, Any],
    sizes: NDArray[np.int64],
    table: Any,
) -> Any:
    """So many words for each of some groups, one group after the other. A group is keyed by a
    stage, the epoch and a document's number; two words come from each call of Philox.
    """
    stages, epoch, numbers = groups
    calls_of, device = (sizes + 1) // 2, table.device
    on_device, calls = to_device(sizes, device), to_device(calls_of, device)
    owners = torch.repeat_interleave(calls, output_size=int(calls_of.sum()))
    call = torch.arange(len(owners), device=device) - starts_of(calls)[owners]
    bits = philox(seed, purpose, _of(stages, owners), epoch, _of(numbers, owners), call)
    words = torch.stack([word_of(table, bits[0], bits[1]), word_of(table, bits[2], bits[3])], dim=1)
    odd = (2 * call + 1 < on_device[owners])[:, None]  # the last call of a group may be half used
    wanted = torch.cat([torch.ones_like(odd), odd], dim=1)
    places = torch.cumsum(wanted.reshape(-1), 0) - 1
    out = torch.empty(int(sizes.sum()) + 1, dtype=torch.int64, device=device)
    out[torch.where(wanted.reshape(-1), places, len(out) - 1)] = words.reshape(-1)
    return out[:-1]


def _of(keys: Any, owners: Any) -> Any:
    return keys[owners] if isinstance(keys, torch.Tensor) else keys


def word_of(table: Any, high: Any, low: Any) -> Any:
    """The words that two 32-bit random numbers choose."""
    product = high * len(table) + ((low * len(table)) >> 32)
    column = product >> 32
    threshold, alias = table[column].unbind(-1)
    return torch.where((product & LOW_32_BITS) < threshold, column, alias)


def windows(
    documents: Documents, seed: int, epoch: int, places: NDArray[np.int64], noises: int
) -> Any:
    """(B, k) Where each document's noise windows begin, each at one of so many places."""
    calls = torch.arange(-(-noises // 4), device=documents.ids.device)
    bits = philox(seed, Purpose.WINDOW, 0, epoch, documents.ids[:, None], calls)
    bits = bits.permute(1, 2, 0).reshape(documents.size, -1)[:, :noises]
    return below(bits, to_device(places, bits.device)[:, None])


def hidden_units(seed: int, epoch: int, step: int, ids: Any, posteriors: Any) -> Any:
    """h_j = 1 with probability posteriors[d, j]."""
    units = posteriors.shape[1]
    calls = torch.arange(-(-units // 4), device=ids.device)
    bits = philox(seed, Purpose.HIDDEN, step, epoch, ids[:, None], calls)
    shares = bits.permute(1, 2, 0).reshape(len(ids), -1)[:, :units].double() * TO_UNIT
    return (shares < posteriors).to(posteriors.dtype)
