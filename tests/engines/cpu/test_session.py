"""A session on the CPU keeps its arrays: what a verb leaves in them must not reach the next."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.engine import NO_PRESSURE, PLACE, make_case
from undertow.engines import AVERAGE, Gradient, Noise, Objective, Place
from undertow.engines.cpu.session import CpuSession
from undertow.learn import Adam, Moment
from undertow.learn.averaging import RunningAverage

LEARNED = Objective(True, 2.0, learns_visible_bias=True, corrections="mine")
FROZEN = Objective(True, 2.0)


def _gradient(session: CpuSession, objective: Objective, noise: Noise, number: int = 0) -> Gradient:
    kept = session.keep_words(make_case().batch(), Place(PLACE.epoch, number), 0.5)
    return session.contrast(session.draw_noise(kept, noise), objective, NO_PRESSURE)


def _session() -> CpuSession:
    """With visible biases that bring no gain when frozen, and a normaliser of its own."""
    case = make_case(free_bias=False)
    session = case.session()
    session.hold("mine", np.linspace(0.0, 3.0, case.corpus.longest + 1), learned=True)
    return session


@pytest.mark.parametrize("independent", [False, True])
@pytest.mark.parametrize("second", [FROZEN, LEARNED], ids=["frozen", "learned"])
def test_objectives_may_alternate(second: Objective, independent: bool) -> None:
    """b moves in between, so that it does bring gains when it is learned."""
    noise = Noise(4, independent, stream_length=20)
    first = LEARNED if second is FROZEN else FROZEN
    session, anew = _session(), _session()
    _gradient(session, FROZEN, noise)
    _gradient(anew, FROZEN, noise)
    for one in (session, anew):
        one.move(
            np.zeros(0, dtype=np.int32), np.zeros((0, 3)), {"visible_bias": np.linspace(-1, 1, 5)}
        )
    _gradient(session, first, noise)
    ours, expected = _gradient(session, second, noise, 1), _gradient(anew, second, noise, 1)
    assert ours.loss == expected.loss
    np.testing.assert_array_equal(ours.rows()[1], expected.rows()[1])
    assert ours.dense().keys() == expected.dense().keys()
    for name, array in expected.dense().items():
        np.testing.assert_array_equal(ours.dense()[name], array, err_msg=name)


def test_averages_that_wait_are_of_the_rows_of_their_gradient() -> None:
    """Another gradient in between (for a line search, say) writes over the arrays of the first."""
    case = make_case(words=40, documents=3, most_tokens=4)
    noise = Noise(2, stream_length=4)
    session = case.session()
    average, updater = RunningAverage(session, 0.5), Adam().begin(session)
    for step in range(1, 6):
        kept = session.keep_words(case.batch(), Place(0, step), 0.0)
        gradient = session.contrast(session.draw_noise(kept, noise), FROZEN, NO_PRESSURE)
        touched = np.sort(gradient.rows()[0])
        average.before_update(gradient, step)
        if step == 5:
            kept = session.keep_words(case.batch(), Place(1, step), 0.0)
            other = session.contrast(session.draw_noise(kept, noise), FROZEN, NO_PRESSURE)
            assert not np.array_equal(np.sort(other.rows()[0]), touched)
            until = session.arrays()[AVERAGE + "until"]
            assert (until[touched] == step - 1).all()
            return
        updater.apply(gradient, Moment(step, None))
        average.after_update(gradient, step)
