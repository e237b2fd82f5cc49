"""The floor: kernels apart do what the step does, work is counted right, and computing and moving
overlap.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import floor, limits
from benchmarks.apart import apart
from benchmarks.step import BATCH, TOKENS, bare, begin, zipf_counts
from undertow.learn import train

WORDS = 500


def test_kernels_apart_do_what_the_step_does() -> None:
    """A whole epoch, up to rounding (inside a program the compiler fuses other multiplications):
    otherwise what is timed is not what is used. A kernel left out would move weights by the
    learning rate, 0.01.
    """
    together, source = begin(WORDS, bare(), threads=1)
    train(together, source, epochs=1)
    pieces, source = begin(WORDS, bare(), threads=1)
    with apart() as instrument:
        train(pieces, source, epochs=1)
    np.testing.assert_allclose(pieces.parameters.weights, together.parameters.weights, atol=1e-4)
    np.testing.assert_allclose(
        pieces.parameters.hidden_bias, together.parameters.hidden_bias, atol=1e-4
    )
    assert set(instrument.seconds) >= {"contrast", "adam", "inputs", "group"}


def test_work_is_counted_from_the_minibatch() -> None:
    run, source = begin(WORDS, bare(), threads=1)
    with apart() as instrument:
        train(run, source, epochs=1)
    work = floor.work_of(instrument.step, WORDS)
    documents = zipf_counts(WORDS).shape[0] % BATCH or BATCH
    assert set(work) == set(instrument.seconds)  # every kernel that is timed has a floor
    assert work["contrast"].exponentials == documents * 27 * limits.UNITS
    assert work["keep tokens"].random_numbers == documents * TOKENS
    assert work["prefix sums"].bytes["changed_core"] == 4 * 1024 * floor.ROW


@pytest.mark.parametrize(("exponentials", "seconds"), [(1.0, 3.0), (8.0, 4.0)])
def test_the_slower_of_moving_and_computing_counts(exponentials: float, seconds: float) -> None:
    rates = {"exponentials": 2.0, "random_numbers": 1.0, "bytes_core": 10.0, "bytes_shared": 5.0}
    work = floor.Work({"core": 10.0, "shared": 10.0}, exponentials=exponentials)
    assert work.seconds(rates) == seconds


def test_rows_that_are_read_again_come_from_a_cache() -> None:
    small = floor._reads(100.0, 40.0, "shared")
    large = floor._reads(100.0, 40.0, "memory")
    assert small == {"shared": 100.0 * floor.ROW}
    assert large == {"shared": 60.0 * floor.ROW, "memory": 40.0 * floor.ROW}
