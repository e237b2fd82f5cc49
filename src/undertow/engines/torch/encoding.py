"""What hidden units see of documents: one kernel on a card, where Triton is there, and a few
operations of torch elsewhere.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from undertow.engines.devices import has_fused_kernels
from undertow.engines.torch.documents import Documents
from undertow.engines.torch.sums import spans, weighted_rows

MOST_UNITS = 2048  # that one program can work on


def inputs(rows: Any, word_weights: Any, documents: Documents) -> tuple[Any, Any]:
    """Of every document the weighted sum of its words' rows (W.u), and L in float64."""
    if _is_fused(rows):
        from undertow.engines.torch.triton_encode import inputs_of  # needs Triton

        return inputs_of(rows, word_weights, documents.starts, documents.words, documents.counts)
    coefficients = word_weights[documents.words] * documents.counts.to(word_weights.dtype)
    sums = weighted_rows(rows, documents.words, coefficients.to(rows.dtype), documents.starts)
    return sums, spans(coefficients.double(), documents.starts)


def posteriors(
    weights: Any, word_weights: Any, hidden_bias: Any, documents: Documents
) -> tuple[Any, Any, Any]:
    """P(h | document); L and the scores S(u) in float64."""
    if _is_fused(weights):
        from undertow.engines.torch.triton_encode import posteriors_of  # needs Triton

        parts = (documents.starts, documents.words, documents.counts)
        return posteriors_of(weights, word_weights, hidden_bias, *parts)
    sums, lengths = inputs(weights, word_weights, documents)
    x = sums + lengths.to(sums.dtype)[:, None] * hidden_bias
    return x.sigmoid(), lengths, softplus_sums(x) - x.shape[1] * math.log(2.0)


def softplus_sums(x: Any) -> Any:
    """sum_j softplus(x_j) over the last axis, added up in float64."""
    return torch.nn.functional.softplus(x).sum(dim=-1, dtype=torch.float64)


def _is_fused(rows: Any) -> bool:
    return has_fused_kernels(rows.device) and bool(rows.shape[1] <= MOST_UNITS)
