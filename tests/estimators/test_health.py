"""Units that tell no documents apart: which they are, and when a fit says so."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.storage.helpers import edit_header
from undertow import InvalidInput, ReplicatedSoftmax, TrainingDiverged, load
from undertow.counts import CountBatch
from undertow.engines import find_engine
from undertow.estimators._health import DEAD, FEWEST_STEPS, Seen, idle_units, warn_of_dead_units
from undertow.learn import SGD, Adam
from undertow.model import initial_parameters

WORDS = 40
KILLING = SGD(
    learning_rate=1000.0, hidden_bias_rate=1.0
)  # the hidden bias falls into the thousands, and all units with it


def make_counts(documents: int = 120) -> sparse.csr_array:
    """Documents of one of two themes, each with words of its own."""
    generator = np.random.default_rng(0)
    halves = np.repeat([0.9, 0.1], WORDS // 2) / (WORDS // 2)
    rows = [
        generator.multinomial(30, halves if row % 2 else halves[::-1]) for row in range(documents)
    ]
    return sparse.csr_array(np.array(rows))


def make_model(**changes: Any) -> ReplicatedSoftmax:
    return ReplicatedSoftmax(**{"n_components": 6, "random_state": 0, "batch_size": 32, **changes})


def dead_in(model: Any) -> list[int]:
    """The ids of dead units."""
    found: list[int] = model.dead_units_.tolist()
    return found


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Warnings of units; others (that kernels are compiled) are none of our business."""
    warnings = [
        record.getMessage() for record in caplog.records if record.levelno == logging.WARNING
    ]
    return [message for message in warnings if "hidden units" in message]


@pytest.mark.parametrize(
    ("activity", "idle"),
    [
        ([0.0, 1.0], 2),
        ([0.01, 0.5, 0.99], 0),
        ([0.0, 0.5, 1.0, 0.5], 2),
        ([5e-324, 1.0 - 2.0**-53], 0),  # one document of many is enough
        ([-0.0], 1),
        ([], 0),
    ],
)
def test_units_are_idle_that_are_on_in_no_document_or_in_all(
    activity: list[float], idle: int
) -> None:
    assert idle_units(np.array(activity)) == idle


@pytest.mark.parametrize(
    ("activity", "said"),
    [
        ([0.0, 0.0, 0.0], "3 of 3"),
        ([1.0, 0.0, 0.5], "2 of 3"),
        ([0.0, 1.0, 0.5, 0.5, 1.0], "3 of 5"),
        ([1.0], "1 of 1"),
    ],
)
def test_a_warning_tells_how_many_units_are_idle(
    activity: list[float], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    warn_of_dead_units(np.array(activity), FEWEST_STEPS)
    (message,) = messages(caplog)
    assert message.startswith(f"{said} hidden units are on in no document or in all: ")
    assert [record.name for record in caplog.records] == ["undertow"]
    for option in ("n_components", "optimizer=Adam(learning_rate=...)", "sparsity_cost=0"):
        assert option in message  # what to change


@pytest.mark.parametrize(
    "activity",
    [[0.2, 0.9, 0.5], [0.0, 0.5], [0.0, 1.0, 0.5, 0.5], [0.0, 0.5, 0.5, 1.0, 0.5], [0.5], []],
)
def test_half_of_the_units_may_be_idle(
    activity: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    warn_of_dead_units(np.array(activity), FEWEST_STEPS)
    assert not caplog.records


def test_a_fit_that_kills_all_units_fails() -> None:
    with pytest.raises(TrainingDiverged, match=r"^all 6 hidden units are dead.*learning rate"):
        make_model(optimizer=KILLING, max_epochs=25).fit(make_counts())


def test_a_partial_fit_that_kills_all_units_says_so(caplog: pytest.LogCaptureFixture) -> None:
    model = make_model(optimizer=KILLING)
    for _ in range(30):  # later documents may wake them, so that it is no error
        caplog.clear()
        model.partial_fit(make_counts())
    (message,) = messages(caplog)
    assert message.startswith("6 of 6 hidden units are dead, off or on in every document")


def test_learning_rates_of_one_do_not_go_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    model = make_model(n_components=16, optimizer=Adam(learning_rate=1.0), max_epochs=5)
    vectors = model.fit(make_counts()).encode(make_counts(), kind="posterior")
    constant = np.flatnonzero((vectors.max(axis=0) < 1e-3) | (vectors.min(axis=0) > 1 - 1e-3))
    assert 0 < len(constant) < 16
    assert dead_in(model) == constant.tolist()
    (message,) = messages(caplog)
    assert message.startswith(f"{len(constant)} of 16 hidden units are dead, off or on in every")
    assert "learning rate" in message


@pytest.mark.parametrize("optimizer", [Adam(learning_rate=1e30), SGD(learning_rate=1e30)])
def test_weights_beyond_any_use_are_no_model(optimizer: Any) -> None:
    with pytest.raises(TrainingDiverged, match=r"in epoch 1|after epoch 1: lower learning_rate"):
        make_model(optimizer=optimizer, max_epochs=2).fit(make_counts())


@pytest.mark.parametrize("rows", [[0] * 120, [0]])
def test_documents_that_do_not_differ_let_all_units_die(rows: list[int]) -> None:
    model = make_model(optimizer=KILLING, max_epochs=25, weighting=None)
    model.fit(make_counts()[rows])
    assert dead_in(model) == [*range(6)]


def test_an_interrupted_fit_is_kept_whatever_it_came_to() -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    model = make_model(optimizer=KILLING, max_epochs=25, callbacks=[stop])
    with pytest.raises(KeyboardInterrupt):
        model.fit(make_counts())
    assert model.n_iter_ == 1


def test_dead_units_are_saved(tmp_path: Path) -> None:
    model = make_model(n_components=16, optimizer=Adam(learning_rate=1.0), max_epochs=5)
    path = model.fit(make_counts()).save(tmp_path / "model")
    again = load(path)
    assert dead_in(again) == dead_in(model)
    edit_header(path, lambda header: header["manifest"]["training"].pop("dead_units"))
    assert load(path).dead_units_ is None  # as of an earlier version


def test_revived_units_learn_again() -> None:
    killing = Adam(learning_rate=1.0)
    model = make_model(n_components=16, optimizer=killing, max_epochs=5).fit(make_counts())
    dead = dead_in(model)
    others = np.delete(model.components_, dead, axis=0).copy()
    model.set_params(optimizer=Adam(learning_rate=0.01)).revive()
    assert dead_in(model) == []
    np.testing.assert_array_equal(np.delete(model.components_, dead, axis=0), others)
    assert (np.abs(model.components_[dead]).max(axis=1) < 0.1).all()
    for _ in range(20):
        model.partial_fit(make_counts())
    assert not set(dead_in(model)) & set(dead)
    seen = model.encode(make_counts(), kind="posterior")[:, dead]
    assert (np.ptp(seen, axis=0) > 10 * DEAD).all()


def test_units_to_revive_may_be_named() -> None:
    model = make_model(max_epochs=5).fit(make_counts()).name_units({1: "one", 2: "two"})
    before = model.components_.copy()
    changed = (model.revive([2]).components_ != before).any(axis=1)
    assert changed.tolist() == [False, False, True, False, False, False]
    assert model.unit_names_ == {1: "one"}
    wrong_ones: list[Any] = [[6], [-1], [1.5], ["a"]]
    for wrong in wrong_ones:
        with pytest.raises(InvalidInput, match=r"^units must be"):
            model.revive(wrong)


def test_units_that_have_not_learned_yet_are_not_dead(caplog: pytest.LogCaptureFixture) -> None:
    warn_of_dead_units(np.zeros(3), FEWEST_STEPS - 1)
    assert not messages(caplog)


def test_empty_documents_hide_neither_idle_nor_dead_units() -> None:
    counts = sparse.csr_array(
        sparse.vstack([make_counts(), sparse.csr_array((5, WORDS), dtype=np.int64)])
    )
    parameters = initial_parameters(6, np.full(WORDS, 1 / WORDS), np.ones(WORDS), seed=0)
    parameters.hidden_bias[:] = [9.0, -9.0, 0.0, 0.0, 9.0, 0.0]
    batch = CountBatch.from_csr(counts)
    seen = Seen.of(parameters, [batch], find_engine("cpu"))
    assert seen.dead.tolist() == [0, 1, 4]
    assert seen.activity[0] == 120 / 125
    assert seen.differ
    assert (
        Seen.of(parameters, [CountBatch.from_csr(counts[120:])], find_engine("cpu")).dead.size == 0
    )


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_usual_fit_has_nothing_to_say(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    model = make_model(random_state=seed).fit(make_counts())
    assert idle_units(model.activity_) == 0
    assert not messages(caplog)
