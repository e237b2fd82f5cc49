"""What a fit sets by the length of documents: the rate, the sharpness and the sparsity."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from undertow import AlphaNCE, InvalidInput, ReplicatedSoftmax, load
from undertow.counts import CsrSource, checked_counts, word_distribution
from undertow.learn import Adam, Run, Settings, train
from undertow.learn.defaults import sharpness
from undertow.learn.registry import find_learner
from undertow.model import initial_parameters

WORDS = 30
SHORT, USUAL, LONG = 20, 350, 1000  # tokens of every document


def make_counts(length: int, documents: int = 96) -> sparse.csr_array:
    """Documents of one of two themes, all of this length."""
    generator = np.random.default_rng(0)
    halves = np.repeat([0.9, 0.1], WORDS // 2) / (WORDS // 2)
    return sparse.csr_array(
        np.array(
            [
                generator.multinomial(length, halves[:: 1 - 2 * (row % 2)])
                for row in range(documents)
            ]
        )
    )


def make_model(**changes: Any) -> ReplicatedSoftmax:
    usual = {"n_components": 6, "max_epochs": 8, "random_state": 0, "batch_size": 32}
    return ReplicatedSoftmax(**{**usual, "weighting": None, "count_transform": None, **changes})


def by_hand(length: int, documents: int = 1000) -> dict[str, Any]:
    """What a run of so few steps has by default, whose annealing is doubled and whose L2 is
    tripled.
    """
    annealing, l2 = 2 * 3.0, 3 * 1e-4
    short, long = AlphaNCE(noise_level=0.7, sharpness=10.0 * math.sqrt(20 / 300)), 400 / 1000
    usual = AlphaNCE(noise_level=0.7, sharpness=10.0)
    few = min(1.0, documents / 1000)
    return {
        SHORT: {
            "learner": short,
            "optimizer": Adam(0.01, annealing=annealing, l2=l2),
            "sparsity_cost": 0.3 * few,
        },
        USUAL: {
            "learner": usual,
            "optimizer": Adam(0.01, annealing=annealing, l2=l2),
            "sparsity_cost": 0.3 * few,
        },
        LONG: {
            "learner": usual,
            "optimizer": Adam(0.01 * long, annealing=annealing, l2=l2),
            "sparsity_cost": 0.3 * long**3 * few,
        },
    }[length]


def assert_same_bits(one: ReplicatedSoftmax, another: ReplicatedSoftmax) -> None:
    for name in ("components_", "hidden_bias_", "visible_bias_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(another, name), err_msg=name)
    assert [record.loss for record in one.history_] == [record.loss for record in another.history_]


@pytest.mark.parametrize("length", [SHORT, USUAL, LONG])
def test_a_fit_is_the_one_with_these_numbers(length: int) -> None:
    counts = make_counts(length)
    model = make_model().fit(counts)
    assert model.typical_length_ == length
    assert_same_bits(model, make_model(**by_hand(length, counts.shape[0])).fit(counts))


@pytest.mark.parametrize(
    ("length", "name"),
    [(SHORT, "learner"), (LONG, "optimizer"), (LONG, "sparsity_cost")],
    ids=lambda value: str(value),
)
def test_each_of_the_numbers_matters(length: int, name: str) -> None:
    """With that of documents of usual length, a fit is another one."""
    counts = make_counts(length)
    documents = counts.shape[0]
    other = make_model(**{**by_hand(length, documents), name: by_hand(USUAL, documents)[name]}).fit(
        counts
    )
    assert not np.array_equal(other.components_, make_model().fit(counts).components_)


def test_weighted_lengths_are_what_counts() -> None:
    """Words that weigh 50 make long documents of short ones."""
    counts = make_counts(SHORT)
    model = make_model(weighting=np.full(WORDS, 50.0)).fit(counts)
    assert model.typical_length_ == LONG
    assert_same_bits(
        model,
        make_model(weighting=np.full(WORDS, 50.0), **by_hand(LONG, counts.shape[0])).fit(counts),
    )


def test_half_of_the_documents_decide() -> None:
    """The median: a few documents of great length change nothing, and empty ones do not count."""
    counts = sparse.csr_array(
        sparse.vstack(
            [
                make_counts(SHORT),
                make_counts(LONG, 40),
                sparse.csr_array((70, WORDS), dtype=np.int64),
            ]
        )
    )
    model = make_model().fit(counts)
    assert model.typical_length_ == SHORT
    filled = int((np.diff(counts.indptr) > 0).sum())
    assert_same_bits(model, make_model(**by_hand(SHORT, filled)).fit(counts))


def test_a_learner_of_ones_own_goes_by_length_where_it_does_not_say() -> None:
    counts = make_counts(SHORT)
    chosen = make_model(learner=AlphaNCE(n_noise=3)).fit(counts)
    assert_same_bits(
        chosen, make_model(learner=AlphaNCE(n_noise=3, sharpness=sharpness(SHORT))).fit(counts)
    )
    blunt = make_model(learner=AlphaNCE(n_noise=3, sharpness=1.0)).fit(counts)
    assert not np.array_equal(blunt.components_, chosen.components_)


def test_a_partial_fit_goes_by_the_first_documents() -> None:
    model = make_model().partial_fit(make_counts(SHORT)).partial_fit(make_counts(LONG))
    assert model.typical_length_ == SHORT
    constant = {**by_hand(SHORT), "optimizer": Adam(annealing=0.0)}  # no end is known
    again = make_model(**constant).partial_fit(make_counts(SHORT)).partial_fit(make_counts(LONG))
    assert_same_bits(model, again)


def test_auto_stays_auto_in_a_file(tmp_path: Path) -> None:
    model = make_model(learner=AlphaNCE(n_noise=3)).fit(make_counts(SHORT))
    loaded = load(model.save(tmp_path / "model"))
    assert loaded.learner == AlphaNCE(n_noise=3, sharpness="auto")
    assert (loaded.sparsity_cost, loaded.typical_length_) == ("auto", SHORT)


# A run of its own, which knows nothing of the documents


@pytest.mark.parametrize("length", [SHORT, LONG])
def test_a_bare_run_takes_ten(length: int) -> None:
    counts = checked_counts(make_counts(length))
    p, source = word_distribution(counts), CsrSource(counts)
    runs = []
    for sharp in ("auto", 10.0, 9.0):
        settings = Settings(learner=AlphaNCE(sharpness=sharp), batch_size=32)
        parameters = initial_parameters(6, p, np.ones(WORDS), 0)
        run = Run(
            parameters, p, settings, documents=counts.shape[0], longest=source.longest, threads=1
        )
        runs.append(train(run, source, epochs=3).arrays())
    auto, ten, nine = runs
    assert auto.keys() == ten.keys()
    for name, array in auto.items():
        np.testing.assert_array_equal(array, ten[name], err_msg=name)
    assert not np.array_equal(auto["parameters.weights"], nine["parameters.weights"])


def test_auto_is_the_default() -> None:
    assert AlphaNCE().sharpness == "auto"
    assert ReplicatedSoftmax().sparsity_cost == "auto"
    assert find_learner("alpha-nce") == AlphaNCE(noise_level=0.7, sharpness="auto")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("dull", "^sharpness must be one of 'auto', got 'dull'$"),
        (-1.0, "^sharpness must be above 0, got -1.0$"),
        (math.inf, "^sharpness must be above 0, got inf$"),
        (None, "^sharpness must be a number above 0, got None$"),
    ],
)
def test_a_wrong_sharpness_is_named(value: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        AlphaNCE(sharpness=value)


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ("dear", "^sparsity_cost must be one of 'auto', got 'dear'$"),
        (-1.0, "^sparsity_cost must be of at least 0, got -1.0$"),
        (None, "^sparsity_cost must be a number of at least 0, got None$"),
    ],
)
def test_a_wrong_cost_is_named(cost: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make_model(sparsity_cost=cost).fit(make_counts(SHORT))
