"""The enumeration of bags of words."""

from __future__ import annotations

import re
from itertools import product
from math import comb

import numpy as np
import pytest

from tests.oracles.engine import make_case
from undertow._errors import InvalidInput
from undertow.model import exact_log_probabilities
from undertow.model.partition import all_documents


@pytest.mark.parametrize(("words", "tokens"), [(1, 4), (2, 3), (4, 4), (5, 2), (3, 0)])
def test_every_bag_once_with_its_orderings(words: int, tokens: int) -> None:
    counts, log_orderings = all_documents(words, tokens)
    assert counts.shape == (comb(words + tokens - 1, tokens), words)
    sequences = [
        tuple(np.bincount(np.array(s, dtype=np.int64), minlength=words))
        for s in product(range(words), repeat=tokens)
    ]
    for bag, log_number in zip(counts.tolist(), log_orderings, strict=True):
        assert np.exp(log_number) == pytest.approx(sequences.count(tuple(bag)), rel=1e-12)


def test_no_tokens_have_one_document() -> None:
    """Z_0 = 2^H: hidden units alone."""
    counts, log_probabilities, log_z = exact_log_probabilities(make_case().parameters, 0)
    assert counts.tolist() == [[0, 0, 0, 0, 0]]
    assert log_probabilities[0] == pytest.approx(0.0, abs=1e-12)
    assert log_z == pytest.approx(3 * np.log(2.0), abs=1e-12)


@pytest.mark.parametrize(
    ("words", "tokens", "message"),
    [
        (4, -1, "tokens must be a whole number of at least 0, got -1"),
        (4, 1.5, "tokens must be a whole number of at least 0, got 1.5"),
        (
            2000,
            3,
            "the exact normaliser enumerates at most 1000000 bags of words, got 1335334000 (2000 "
            "words, 3 tokens)",
        ),
    ],
)
def test_refusals(words: int, tokens: int, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        all_documents(words, tokens)
