"""Minibatches on the device, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from undertow.counts import CountBatch


@dataclass(frozen=True)
class Documents:
    """A minibatch: what decides about sizes is on the host, so that nobody waits for the device."""

    batch: CountBatch
    tokens: NDArray[np.int64]  # (B,) D, on the host
    ids: Any  # (B,)
    starts: Any  # (B + 1,)
    words: Any  # (E,)
    counts: Any  # (E,)

    @property
    def size(self) -> int:
        """Number of documents."""
        return len(self.tokens)


@dataclass(frozen=True)
class Seen:
    """Documents, or samples of as many tokens, and what the hidden units see of them."""

    documents: Documents
    posteriors: Any  # (B, H)
    lengths: Any  # (B,) float64
    scores: Any  # (B,) float64


def to_device(array: NDArray[Any], device: Any, dtype: Any = None) -> Any:
    """As a tensor, of another type if one is named. On the CPU it may share the array's memory."""
    whole = np.require(array, requirements=["C", "W"])
    tensor = torch.from_numpy(whole).to(device)  # first there: then fewer bytes go over
    return tensor if dtype is None else tensor.to(dtype)


def to_host(tensor: Any) -> NDArray[Any]:
    """As an array. On the CPU it shares the tensor's memory."""
    array: NDArray[Any] = tensor.detach().cpu().numpy()
    return array


def documents_of(batch: CountBatch, device: Any) -> Documents:
    """A minibatch, taken to the device."""
    before = np.concatenate([[0], np.cumsum(batch.counts, dtype=np.int64)])
    arrays = (batch.document_ids, batch.starts, batch.words, batch.counts)
    return Documents(
        batch,
        np.diff(before[batch.starts]),
        *(to_device(array, device, torch.int64) for array in arrays),
    )
