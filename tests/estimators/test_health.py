"""Units that tell no documents apart: which they are, and when a fit says so."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from undertow import ReplicatedSoftmax
from undertow.estimators import _training
from undertow.estimators._health import FEWEST_STEPS, idle_units, warn_of_dead_units
from undertow.learn import SGD

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


def test_a_fit_that_kills_its_units_says_so(caplog: pytest.LogCaptureFixture) -> None:
    model = make_model(optimizer=KILLING, max_epochs=25).fit(make_counts())
    assert (
        model.hidden_bias_ + model.components_.max(axis=1) < 0
    ).all()  # no document could switch one on
    np.testing.assert_array_equal(model.activity_, np.zeros(6))
    (message,) = messages(caplog)
    assert message.startswith("6 of 6 hidden units are on in no document or in all")


def test_a_partial_fit_says_so_too(caplog: pytest.LogCaptureFixture) -> None:
    model = make_model(optimizer=KILLING)
    for epoch in range(1, 27):  # four steps each
        caplog.clear()
        model.partial_fit(make_counts())
        assert [message[:6] for message in messages(caplog)] == ["6 of 6"] * (
            4 * epoch >= FEWEST_STEPS
        )


def test_units_that_have_not_learned_yet_are_not_dead(caplog: pytest.LogCaptureFixture) -> None:
    warn_of_dead_units(np.zeros(3), FEWEST_STEPS - 1)
    assert not messages(caplog)


def test_empty_documents_do_not_hide_units_that_are_always_on(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = sparse.csr_array(
        sparse.vstack([make_counts(), sparse.csr_array((5, WORDS), dtype=np.int64)])
    )
    always = np.full(6, 120 / 125)  # an empty document switches nothing on
    monkeypatch.setattr(_training, "_activity", lambda model, counts: always)
    make_model(max_epochs=25).fit(counts)
    assert [message[:6] for message in messages(caplog)] == ["6 of 6"]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_usual_fit_has_nothing_to_say(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    model = make_model(random_state=seed).fit(make_counts())
    assert idle_units(model.activity_) == 0
    assert not messages(caplog)
