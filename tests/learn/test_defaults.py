"""What "auto" stands for: by the length of documents, and by how many there are."""

from __future__ import annotations

import numpy as np
import pytest

from undertow._errors import InvalidInput
from undertow.learn import SGD, Adam, AlphaNCE, ContrastiveDivergence, Sparsity
from undertow.learn.defaults import (
    brevity,
    epochs_for,
    make_optimizer,
    make_sparsity,
    replicas_for,
    sharpness,
)
from undertow.learn.registry import find_learner


@pytest.mark.parametrize(
    ("length", "share"),
    [
        (0.0, 1.0),
        (1e-9, 1.0),
        (50.0, 1.0),
        (400.0, 1.0),
        (500.0, 0.8),
        (800.0, 0.5),
        (1600.0, 0.25),
        (4e6, 1e-4),
    ],
)
def test_the_rate_is_less_for_long_documents(length: float, share: float) -> None:
    assert brevity(length) == share
    optimizer = make_optimizer("auto", AlphaNCE(), 0, length)
    assert optimizer == Adam(learning_rate=0.01 * share)


@pytest.mark.parametrize(
    ("length", "sharp"),
    [(0.03, 0.1), (3.0, 1.0), (75.0, 5.0), (300.0, 10.0), (301.0, 10.0), (1e6, 10.0)],
)
def test_short_documents_are_told_apart_less_sharply(length: float, sharp: float) -> None:
    assert sharpness(length) == pytest.approx(
        sharp, rel=4 * 2.0**-53
    )  # a quotient, a root and a product


@pytest.mark.parametrize(
    ("length", "cost"), [(10.0, 0.3), (400.0, 0.3), (800.0, 0.3 / 8), (4000.0, 0.3 / 1000)]
)
def test_sparsity_costs_less_where_documents_are_long(length: float, cost: float) -> None:
    sparsity = make_sparsity(0.2, "auto", length)
    assert sparsity.target == 0.2
    assert sparsity.cost == pytest.approx(cost, rel=8 * 2.0**-53)


@pytest.mark.parametrize(
    ("documents", "cost"), [(10, 0.003), (500, 0.15), (1000, 0.3), (10**6, 0.3)]
)
def test_sparsity_costs_less_where_documents_are_few(documents: int, cost: float) -> None:
    assert make_sparsity(0.1, "auto", 100.0, documents).cost == pytest.approx(
        cost, rel=8 * 2.0**-53
    )
    assert make_sparsity(0.1, 2.5, 100.0, documents) == Sparsity(0.1, 2.5)


@pytest.mark.parametrize("length", [10.0, 4000.0])
def test_what_is_given_is_taken_as_it_is(length: float) -> None:
    assert make_sparsity(0.1, 2.5, length) == Sparsity(0.1, 2.5)
    assert make_sparsity(0.1, 0, length) == Sparsity(0.1, 0)
    for given in (Adam(learning_rate=0.5), SGD()):
        assert make_optimizer(given, AlphaNCE(), 100, length) is given


def test_cd_and_plain_nce_do_not_go_by_length() -> None:
    for length in (10.0, 4000.0):
        optimizer = make_optimizer("auto", ContrastiveDivergence(), 100, length)
        assert optimizer == Adam(learning_rate=0.001, hidden_bias_rate=1.0, annealing=0.0)
    plain = find_learner("nce")
    assert isinstance(plain, AlphaNCE)
    assert plain.sharpness == 1.0


@pytest.mark.parametrize(
    ("documents", "epochs"),
    [
        *((100, 167), (1000, 167), (2225, 84), (4000, 52), (6000, 52)),
        *((11_314, 51), (100_000, 10), (500_000, 10), (1_000_000, 5), (5_000_000, 1), (10**9, 1)),
    ],
)
def test_auto_epochs(documents: int, epochs: int) -> None:
    assert epochs_for("auto", documents, 128) == pytest.approx(epochs, rel=0.02)


def test_auto_epochs_have_no_leaps() -> None:
    batches = np.arange(1, 1000)
    steps = np.array(
        [epochs_for("auto", 128 * number, 128) * number for number in batches.tolist()]
    )
    assert (
        np.abs(np.diff(steps)) <= np.maximum(batches[1:], 167)
    ).all()  # a minibatch more, or an epoch to and fro


@pytest.mark.parametrize(
    ("steps", "times"), [(0, 1), (10, 3), (1500, 3), (2250, 2), (4500, 1), (40_000, 1)]
)
def test_short_runs_learn_faster(steps: int, times: float) -> None:
    optimizer = make_optimizer("auto", AlphaNCE(), steps)
    assert optimizer == Adam(annealing=1.5 * (1 + times), l2=1e-4 * times)
    cd = ContrastiveDivergence()
    assert make_optimizer("auto", cd, steps) == make_optimizer("auto", cd)  # a constant rate
    assert make_optimizer(Adam(l2=0.5), AlphaNCE(), steps) == Adam(l2=0.5)


@pytest.mark.parametrize(
    ("documents", "replicas"),
    [(0, 1), (49_999, 1), (50_000, 2), (99_999, 2), (100_000, 4), (10**7, 4)],
)
def test_large_corpora_have_replicas(documents: int, replicas: int) -> None:
    assert replicas_for("auto", AlphaNCE(), "auto", documents, 10**6) == replicas
    assert replicas_for("auto", ContrastiveDivergence(), "auto", documents, 10**6) == 1
    assert replicas_for("auto", AlphaNCE(), Adam(), documents, 10**6) == 1
    assert replicas_for(3, ContrastiveDivergence(), "sgd", documents, 10**6) == 3


@pytest.mark.parametrize(
    ("bytes_each", "replicas"), [(2**29, 4), (2**29 + 1, 2), (2**30, 2), (2**31, 1), (2**40, 1)]
)
def test_replicas_take_two_gibibytes_at_most(bytes_each: int, replicas: int) -> None:
    assert replicas_for("auto", AlphaNCE(), "auto", 10**6, bytes_each) == replicas


@pytest.mark.parametrize("replicas", [0, -1, 1.5, "many", None])
def test_replicas_are_a_whole_number(replicas: object) -> None:
    with pytest.raises(InvalidInput, match="replicas must be"):
        replicas_for(replicas, AlphaNCE(), "auto", 100, 1)


def test_replicas_learn_by_the_steps_of_each_and_shrink_by_those_of_all() -> None:
    alone, one_of_three = (make_optimizer("auto", AlphaNCE(), 1500, replicas=n) for n in (1, 3))
    assert isinstance(alone, Adam)
    assert isinstance(one_of_three, Adam)
    assert one_of_three.annealing == alone.annealing == 2 * Adam().annealing
    assert alone.l2 == 3 * Adam().l2
    assert one_of_three.l2 == Adam().l2
