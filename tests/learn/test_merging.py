"""What replicas bring to a meeting adds up, and what they take home is the mean."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.engine import NO_PRESSURE, make_case
from undertow._errors import InvalidInput
from undertow.engines import Session
from undertow.learn import (
    SGD,
    Adam,
    AlphaNCE,
    ContrastiveDivergence,
    Learner,
    Moved,
    Optimizer,
    added,
)
from undertow.learn.averaging import RunningAverage
from undertow.learn.merging import shared_names

WORDS, UNITS = 40, 3


def one_replica(generator: np.random.Generator, share: float = 0.4, took_part: int = 1) -> Moved:
    """What a replica brings, or one that took no step."""
    words = np.flatnonzero(generator.random(WORDS) < share * took_part).astype(np.int32)
    return Moved(
        words,
        np.ones(len(words), dtype=np.int32),
        {
            "W": generator.normal(size=(len(words), UNITS)).astype(np.float32),
            "moments": generator.random((len(words), 2)),
        },
        {
            "a": took_part * generator.normal(size=UNITS),
            "all": np.full(1, took_part, dtype=np.float32),
        },
        took_part,
    )


@pytest.fixture
def parts() -> list[Moved]:
    generator = np.random.default_rng(0)
    return [one_replica(generator, took_part=took_part) for took_part in (1, 1, 0, 1, 1)]


def rows_of(parts: list[Moved], name: str, word: int) -> list[NDArray[np.float64]]:
    """The rows of a word that were brought."""
    return [
        np.asarray(part.rows[name][np.flatnonzero(part.words == word)[0]], dtype=np.float64)
        for part in parts
        if word in part.words
    ]


def test_rows_are_summed_and_averaged_over_those_that_moved_them(parts: list[Moved]) -> None:
    """Plain float64 is the oracle: four terms of single precision, below 4 each."""
    total = added(parts)
    expected = sorted({int(word) for part in parts for word in part.words})
    assert total.words.tolist() == expected
    means = total.mean_rows()
    for place, word in enumerate(expected):
        for name in ("W", "moments"):
            rows = rows_of(parts, name, word)
            assert total.brought[place] == len(rows)
            np.testing.assert_allclose(total.rows[name][place], sum(rows), atol=16 * 2.0**-24)
            np.testing.assert_allclose(
                means[name][place], np.mean(rows, axis=0), atol=20 * 2.0**-24
            )
    assert len({int(n) for n in total.brought}) > 2  # words of one, of some and of all
    assert (means["W"].dtype.name, means["moments"].dtype.name) == ("float32", "float64")


def test_everything_else_is_averaged_over_those_that_took_a_step(parts: list[Moved]) -> None:
    total = added(parts)
    assert total.replicas == 4
    moved = [part.others["a"] for part in parts if part.replicas]
    np.testing.assert_allclose(total.others["a"], np.sum(moved, axis=0), atol=1e-14)
    np.testing.assert_allclose(total.mean_others()["a"], np.mean(moved, axis=0), atol=1e-14)
    assert total.mean_others()["all"].tolist() == [1.0]
    assert total.mean_others()["all"].dtype == np.float32


def test_sums_of_sums_are_sums(parts: list[Moved]) -> None:
    """Over the replicas of each machine, and then over machines: counts are exact, sums are added
    in another order.
    """
    at_once, by_two = added(parts), added([added(parts[:2]), added(parts[2:])])
    assert by_two.replicas == at_once.replicas
    np.testing.assert_array_equal(by_two.words, at_once.words)
    np.testing.assert_array_equal(by_two.brought, at_once.brought)
    for name in ("W", "moments"):
        np.testing.assert_allclose(by_two.rows[name], at_once.rows[name], atol=16 * 2.0**-24)


def test_one_part_is_itself_and_nothing_of_nobody_is_nothing(parts: list[Moved]) -> None:
    assert added(parts[:1]) is parts[0]
    nothing = added([parts[2], parts[2]])
    assert (len(nothing.words), nothing.replicas) == (0, 0)
    assert nothing.mean_rows()["W"].shape == (0, UNITS)
    assert nothing.mean_others()["a"].tolist() == [0.0] * UNITS


def test_parts_are_not_written_to(parts: list[Moved]) -> None:
    before = [part.rows["W"].copy() for part in parts]
    added(parts).mean_rows()
    for part, rows in zip(parts, before, strict=True):
        np.testing.assert_array_equal(part.rows["W"], rows)


def test_counters_of_an_optimizer_stay_whole_numbers() -> None:
    """All replicas count alike, so the mean is what each of them has."""
    words = np.array([1, 5], dtype=np.int32)
    one = Moved(
        words,
        np.ones(2, dtype=np.int32),
        {"times": np.array([[3], [8]])},
        {"steps": np.array(7, dtype=np.int32)},
        1,
    )
    total = added([one, one, one])
    assert total.mean_rows()["times"].tolist() == [[3], [8]]
    steps = total.mean_others()["steps"]
    assert (int(steps), steps.dtype.name) == (7, "int32")


def begun(learner: Learner, optimizer: Optimizer, averaging: float = 0.9) -> tuple[Session, object]:
    case = make_case(words=WORDS)
    session = case.session()
    step = learner.begin(session, case.corpus, NO_PRESSURE)
    optimizer.begin(session)
    if averaging:
        RunningAverage(session, averaging)
    return session, step


ALL_LEARNED = AlphaNCE(visible_bias="learned", normaliser="learned")
P, OPT = "parameters.", "optimizer."
SHARED: dict[str, tuple[Learner, Optimizer, set[str], set[str]]] = {
    "adam": (
        AlphaNCE(),
        Adam(),
        {P + "weights", OPT + "row_moments"},
        {P + "hidden_bias", OPT + "hidden_bias_moments"},
    ),
    "adam per element": (
        AlphaNCE(),
        Adam(moments="element"),
        {P + "weights", OPT + "first_moments", OPT + "second_moments", OPT + "masses"},
        {P + "hidden_bias", OPT + "hidden_bias_moments"},
    ),
    "sgd": (
        AlphaNCE(),
        SGD(),
        {P + "weights", OPT + "weights_velocities"},
        {P + "hidden_bias", OPT + "hidden_bias_velocities"},
    ),
    "cd": (
        ContrastiveDivergence(),
        Adam(),
        {P + "weights", OPT + "row_moments"},
        {
            P + "hidden_bias",
            P + "visible_bias",
            OPT + "hidden_bias_moments",
            OPT + "visible_bias_moments",
        },
    ),
    "all learned": (
        ALL_LEARNED,
        SGD(),
        {P + "weights", OPT + "weights_velocities"},
        {
            P + "hidden_bias",
            P + "visible_bias",
            "learner.corrections",
            OPT + "hidden_bias_velocities",
            OPT + "visible_bias_velocities",
            OPT + "learner.corrections_velocities",
        },
    ),
}


@pytest.mark.parametrize("name", SHARED)
def test_what_replicas_share_is_all_that_moves(name: str) -> None:
    learner, optimizer, rows, others = SHARED[name]
    session, step = begun(learner, optimizer)
    found = shared_names(session, getattr(step, "stands_still", ()))
    assert (set(found.rows), set(found.others)) == (rows, others)
    assert len(found.rows) + len(found.others) == len(rows) + len(others)  # each once


def test_what_an_optimizer_of_ones_own_holds_is_shared() -> None:
    session, step = begun(AlphaNCE(), Adam())
    session.hold("optimizer.table", np.zeros((WORDS, 2)))
    session.hold("optimizer.steps", np.array(0))
    session.hold("optimizer.per_word", np.zeros(WORDS))
    found = shared_names(session, getattr(step, "stands_still", ()))
    assert "optimizer.table" in found.rows
    assert {"optimizer.steps", "optimizer.per_word"} <= set(found.others)


def test_what_cannot_be_shared_is_said() -> None:
    session, _ = begun(ContrastiveDivergence(persistent=True), Adam())
    with pytest.raises(
        InvalidInput,
        match=r"replicas must be 1 with this learner: it holds 'learner\.chains', which",
    ):
        shared_names(session)
