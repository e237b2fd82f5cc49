"""Sampling documents: what comes out, what it depends on, what is refused. (Its distribution:
tests/statistical.)
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.oracles.engine import make_case
from undertow._errors import InvalidInput
from undertow.engines.cpu import CpuEngine
from undertow.vectors import sample_documents

PARAMETERS = make_case(words=7, units=5).parameters
SIZES = [3, 1, 8] * 40  # more documents than one block


def test_documents_have_the_lengths_asked_for() -> None:
    batch = sample_documents(PARAMETERS, SIZES, n_steps=2, seed=1)
    assert np.diff(batch.starts).tolist() == SIZES
    assert batch.size == len(SIZES)
    assert batch.tokens == sum(SIZES) == len(batch.words)
    assert (batch.counts == 1).all()
    assert batch.words.min() >= 0
    assert batch.words.max() < PARAMETERS.words


def test_threads_do_not_matter_and_seeds_do() -> None:
    one, three, other = (
        sample_documents(PARAMETERS, SIZES, n_steps=3, seed=seed, engine=CpuEngine(threads)).words
        for seed, threads in ((1, 1), (1, 3), (2, 1))
    )
    np.testing.assert_array_equal(one, three)
    assert not np.array_equal(one, other)


def test_a_document_does_not_depend_on_the_others_lengths() -> None:
    """Draws are keyed by document, so the first one is the same whatever comes after it."""
    first = sample_documents(PARAMETERS, [5, 2], n_steps=2, seed=1).words[:5]
    again = sample_documents(PARAMETERS, [5, 9, 9], n_steps=2, seed=1).words[:5]
    np.testing.assert_array_equal(first, again)


def test_the_start_is_not_written_to() -> None:
    start = np.zeros(4, dtype=np.int32)
    drawn = sample_documents(PARAMETERS, [4], n_steps=5, seed=1, start=start)
    assert (start == 0).all()
    assert drawn.words is not start


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tokens": [2, 0]}, "tokens must be a list of whole numbers of at least 1, got [2, 0]"),
        ({"tokens": [1.5]}, "tokens must be a list of whole numbers of at least 1, got [1.5]"),
        ({"tokens": 3}, "tokens must be a list of whole numbers of at least 1, got 3"),
        ({"tokens": []}, "tokens must be a list of whole numbers of at least 1, got []"),
        ({"n_steps": 0}, "n_steps must be a whole number of at least 1, got 0"),
        (
            {"start": np.zeros(2, dtype=np.int32)},
            "start must hold 3 words, got an array of shape (2,)",
        ),
    ],
)
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    usual: dict[str, Any] = {"tokens": [3], "n_steps": 1, "seed": 0}
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        sample_documents(PARAMETERS, **{**usual, **arguments})
