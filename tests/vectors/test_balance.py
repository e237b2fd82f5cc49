"""Balanced vectors, against the same written out in float64."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from tests.oracles.rounding import UNIT
from tests.storage.helpers import edit_header
from undertow import InvalidInput, ModelFileError, ReplicatedSoftmax, load
from undertow.counts import CountBatch
from undertow.engines.cpu import CpuEngine
from undertow.estimators import _count_vectors
from undertow.learn import Adam
from undertow.model import Parameters
from undertow.storage import save_model
from undertow.vectors import balanced
from undertow.vectors.balance import balance_of, plain_balance
from undertow.vectors.directions import word_directions

WORDS, UNITS = 30, 6
Array = NDArray[np.float64]


def make_counts(documents: int = 80, seed: int = 0) -> NDArray[np.int64]:
    """Documents of one of two themes. Every tenth is empty; every tenth, further on, holds the
    first word alone.
    """
    generator = np.random.default_rng(seed)
    halves = np.repeat([0.9, 0.1], WORDS // 2) / (WORDS // 2)
    rows = np.array(
        [
            generator.multinomial(5 + row % 40, halves[:: 1 - 2 * (row % 2)])
            for row in range(documents)
        ]
    )
    rows[::10] = 0
    rows[3::10] = 0
    rows[3::10, 0] = 7
    return rows


def make_model(**changes: Any) -> ReplicatedSoftmax:
    usual = {
        "n_components": UNITS,
        "max_epochs": 40,
        "random_state": 0,
        "batch_size": 32,
        "weighting": word_weights(),
    }
    return ReplicatedSoftmax(**{**usual, **changes})


def word_weights() -> Array:
    """Any, but for the first word, which does not count."""
    return np.append(0.0, np.random.default_rng(5).uniform(0.5, 3.0, WORDS - 1))


@pytest.fixture(scope="module")
def counts() -> NDArray[np.int64]:
    return make_counts()


@pytest.fixture(scope="module")
def model(counts: NDArray[np.int64]) -> ReplicatedSoftmax:
    return make_model().fit(counts)


@dataclass(frozen=True)
class Exact:
    """Balance and vectors of training documents, and how far single precision may be from them."""

    scale: float
    centre: Array
    vectors: Array
    scale_error: float  # relative
    centre_error: float
    vector_errors: Array  # (documents, 1)


def no_directions(words: int) -> NDArray[np.float32]:
    return np.zeros((words, 0), dtype=np.float32)


def directions_of(model: ReplicatedSoftmax) -> Array:
    return model.balance_.directions.astype(np.float64)


def halves_of(vectors: NDArray[Any], units: int) -> tuple[Array, Array]:
    """What units say and what words say, each of length 1."""
    wide = vectors.astype(np.float64)
    first, second = wide[:, :units], wide[:, units:]
    return first / np.linalg.norm(first, axis=1, keepdims=True), second / np.linalg.norm(
        second, axis=1, keepdims=True
    )


def written_out(parameters: Parameters, counts: NDArray[Any], directions: Array) -> Exact:
    W, a, w = (
        array.astype(np.float64)
        for array in (parameters.weights, parameters.hidden_bias, parameters.word_weights)
    )
    u = w * counts
    L = u.sum(axis=1, keepdims=True)
    known = L[:, 0] > 0
    safe = np.where(L > 0, L, 1.0)
    m = (u @ W + L * a) / safe
    spread = m[known].std(axis=0).mean()
    scale = 3.0 / spread
    strengths = np.log(1.0 + np.log(1.0 + np.exp(scale * m)))
    centre = strengths[known].mean(axis=0) / 2
    vectors = strengths - centre
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = (L > 0) * vectors / norms
    # A mean input sums over n words, with a few roundings each. The spread is off by no more than
    # the inputs are.
    words = (counts > 0).sum(axis=1).max()
    off = (words + 8) * UNIT * ((u @ np.abs(W) + L * np.abs(a)) / safe).max()
    scale_error = off / (spread - off)
    # log(1 + softplus(x)) has a slope of at most a third, and x times its slope is at most 1; exp,
    # log1p twice and two sums round a few times more.
    strength_error = scale * off / 3 + scale_error + 2 * UNIT + 12 * UNIT * (1 + strengths.max())
    centre_error = strength_error + UNIT * np.abs(centre).max()
    # Dividing by the length turns an error at most into twice its share of it, and rounds a few
    # times.
    difference = strength_error + centre_error + UNIT * strengths.max()
    errors = 2 * np.sqrt(len(a)) * difference / norms + 4 * UNIT
    # The words' side: sums over n words, divided by their length, .7 of it; then both are divided
    # by theirs.
    told = (L > 0) * ((1.0 + w) * counts @ directions)
    lengths = np.linalg.norm(told, axis=1, keepdims=True)
    told_error = (
        (words + 8) * UNIT * ((1.0 + w) * counts @ np.abs(directions)).max(axis=1, keepdims=True)
    )
    there = lengths > 0
    told = np.divide(told, lengths, out=np.zeros_like(told), where=there)
    told_errors = np.divide(
        2 * np.sqrt(told.shape[1]) * told_error, lengths, out=np.zeros_like(lengths), where=there
    )
    both = np.hstack([vectors, 0.7 * told])
    whole = np.linalg.norm(both, axis=1, keepdims=True)
    both = np.divide(both, whole, out=np.zeros_like(both), where=L > 0)
    return Exact(
        scale,
        centre,
        both,
        scale_error,
        centre_error,
        (L > 0) * (2 * (errors + told_errors) + 8 * UNIT),
    )


def assert_balanced(model: ReplicatedSoftmax, counts: NDArray[Any]) -> Exact:
    """That a model which takes counts as they are has the balance of these, and gives the vectors
    that go with it.
    """
    exact = written_out(model.parameters_, counts, directions_of(model))
    assert (
        np.quantile(exact.vector_errors, 0.9) < 1e-3
    )  # only a document in the very middle has hardly a direction
    assert abs(model.balance_.scale - exact.scale) <= exact.scale_error * exact.scale
    np.testing.assert_allclose(model.balance_.centre, exact.centre, rtol=0, atol=exact.centre_error)
    ours = model.encode(counts, "balanced")
    assert ours.dtype == np.float32
    assert (np.abs(ours - exact.vectors) <= exact.vector_errors).all()
    return exact


# What they are


@pytest.mark.parametrize("units", [1, UNITS, 70])
@pytest.mark.parametrize("transform", [None, "log"])
def test_vectors_are_the_ones_written_out(
    counts: NDArray[np.int64], transform: Any, units: int
) -> None:
    model = make_model(n_components=units, count_transform=transform).fit(counts)
    seen = counts if transform is None else np.ceil(np.log1p(counts)).astype(np.int64)
    exact = written_out(model.parameters_, seen, directions_of(model))
    assert exact.vectors.shape[1] == units + min(units, WORDS) == model._n_features_out
    assert exact.scale != pytest.approx(
        model.typical_length_, rel=0.01
    )  # so that one is not taken for the other
    assert_balanced(model.set_params(count_transform=None), seen)


def test_they_are_the_default(model: ReplicatedSoftmax, counts: NDArray[np.int64]) -> None:
    assert ReplicatedSoftmax().features == "balanced"
    expected = model.encode(counts, "balanced")
    np.testing.assert_array_equal(model.transform(counts), expected)
    np.testing.assert_array_equal(model.encode(counts), expected)
    assert not np.array_equal(model.encode(counts, "strength"), expected)


def test_lengths_are_one_and_empty_documents_are_zero(
    model: ReplicatedSoftmax, counts: NDArray[np.int64]
) -> None:
    empty = counts[:, 1:].sum(axis=1) == 0  # the first word does not count
    assert empty.sum() == 16
    lengths = np.linalg.norm(model.transform(counts).astype(np.float64), axis=1)
    np.testing.assert_allclose(lengths[~empty], 1.0, rtol=0, atol=4 * UNIT)
    np.testing.assert_array_equal(lengths[empty], 0.0)


def test_documents_that_were_not_learned_from_are_measured_alike(model: ReplicatedSoftmax) -> None:
    new = make_counts(seed=1)
    damped = np.ceil(np.log1p(new)) * model.word_weights_.astype(np.float64)
    lengths = damped.sum(axis=1, keepdims=True)
    mean = (damped @ model.components_.T.astype(np.float64)) / np.where(
        lengths > 0, lengths, 1.0
    ) + model.hidden_bias_
    vectors = np.log1p(np.logaddexp(0.0, model.balance_.scale * mean)) - model.balance_.centre
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    exact = written_out(model.parameters_, np.ceil(np.log1p(new)), directions_of(model))
    known = lengths[:, 0] > 0
    assert exact.vector_errors.max() < 2e-3
    ours = model.transform(new)
    np.testing.assert_allclose(
        halves_of(ours[known], UNITS)[0], vectors[known], rtol=0, atol=exact.vector_errors.max()
    )
    words, expected = (halves_of(vectors[known], UNITS)[1] for vectors in (ours, exact.vectors))
    np.testing.assert_allclose(words, expected, rtol=0, atol=3 * exact.vector_errors.max())


def test_empty_documents_do_not_move_the_middle(counts: NDArray[np.int64]) -> None:
    full = counts[counts[:, 1:].sum(axis=1) > 0]
    padded = np.concatenate([full, np.zeros((50, WORDS), dtype=np.int64)])
    balances = [make_model().fit(documents).balance_ for documents in (full, padded)]
    assert balances[0].scale == balances[1].scale
    np.testing.assert_array_equal(balances[0].centre, balances[1].centre)


def test_a_partial_fit_measures_by_the_documents_it_was_given(counts: NDArray[np.int64]) -> None:
    model = make_model(count_transform=None, optimizer=Adam(annealing=0), sparsity_cost=0.0)
    for part in (counts[:40], counts[40:]):
        for _ in range(40):
            model.partial_fit(part)
        assert_balanced(model, part)
    first = word_directions(sparse.csr_array(counts[:40]), model.word_weights_, UNITS, model._seed)
    np.testing.assert_array_equal(
        model.balance_.directions, first
    )  # so that vectors before and after are comparable


# Bits


@pytest.mark.parametrize("units", [1, UNITS, 70])
def test_a_batch_is_encoded_as_its_rows_are(counts: NDArray[np.int64], units: int) -> None:
    model = make_model(n_components=units, max_epochs=8).fit(counts)
    rows = np.concatenate([model.transform(row[None]) for row in counts])
    np.testing.assert_array_equal(model.transform(counts), rows)


def test_threads_never_change_the_balance(counts: NDArray[np.int64]) -> None:
    one, three = (make_model(n_jobs=jobs).fit(counts) for jobs in (1, 3))
    assert one.balance_.scale == three.balance_.scale
    np.testing.assert_array_equal(one.balance_.centre, three.balance_.centre)
    np.testing.assert_array_equal(one.balance_.directions, three.balance_.directions)
    np.testing.assert_array_equal(one.transform(counts), three.transform(counts))


def test_documents_are_measured_some_at_a_time(
    counts: NDArray[np.int64], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks of one document, some of them empty, and of seven: sums in float64, in another
    order.
    """
    whole = make_model(count_transform=None).fit(counts)
    for block in (1, 7):
        monkeypatch.setattr(_count_vectors, "BLOCK", block)
        again = make_model(count_transform=None).fit(counts)
        assert_balanced(again, counts)
        assert again.balance_.scale == pytest.approx(whole.balance_.scale, rel=1e-12)
        np.testing.assert_allclose(
            again.balance_.centre, whole.balance_.centre, rtol=0, atol=2 * UNIT
        )


# Documents that do not differ


def block_of(counts: NDArray[np.int64]) -> CountBatch:
    return CountBatch.from_csr(sparse.csr_array(counts))


def make_parameters(words: int, units: int) -> Parameters:
    generator = np.random.default_rng(0)
    weights, bias = (
        generator.normal(0.0, 0.5, shape).astype(np.float32) for shape in ((words, units), units)
    )
    return Parameters(
        weights, bias, np.zeros(words, dtype=np.float32), np.ones(words, dtype=np.float32)
    )


def test_equal_documents_are_measured_by_the_typical_length(counts: NDArray[np.int64]) -> None:
    same = np.tile(counts[5], (20, 1))
    model = make_model(max_epochs=8).fit(same)
    assert model.balance_.scale == model.typical_length_
    strength = model.encode(same, "strength")[0]
    np.testing.assert_array_equal(model.balance_.centre, strength / 2)
    direction = strength.astype(np.float64) / np.linalg.norm(strength.astype(np.float64))
    sides = halves_of(model.transform(same), UNITS)
    np.testing.assert_allclose(sides[0], np.tile(direction, (20, 1)), rtol=0, atol=8 * UNIT)
    np.testing.assert_allclose(
        sides[1][:, :1], 1.0, rtol=0, atol=8 * UNIT
    )  # there is one direction, and all have it
    others = model.transform(counts)
    assert np.isfinite(others).all()
    np.testing.assert_allclose(np.linalg.norm(others[[1, 2, 4]], axis=1), 1.0, atol=4 * UNIT)


@pytest.mark.parametrize(
    "documents",
    [
        pytest.param(np.tile([1, 2, 0, 3, 1], (3000, 1)), id="many that are equal"),
        pytest.param(np.outer([1, 3, 5, 7, 11], [1, 2, 0, 3, 1]), id="the same shares of words"),
        pytest.param(
            np.outer([1, 2, 4, 8], [1, 2, 0, 3, 1]), id="the same shares, without rounding"
        ),
        pytest.param(np.array([[1, 2, 0, 3, 1]]), id="one"),
    ],
)
def test_rounding_is_no_spread(documents: NDArray[np.int64]) -> None:
    balance = balance_of(
        make_parameters(5, 40), [block_of(documents)], 12.5, no_directions(5), engine=CpuEngine(1)
    )
    assert balance.scale == 12.5


@pytest.mark.parametrize("blocks", [0, 1, 3])
def test_without_a_document_that_counts_there_are_plain_strengths(blocks: int) -> None:
    parameters = make_parameters(5, 3)
    parameters.word_weights[2] = 0.0
    empty = block_of(np.array([[0, 0, 0, 0, 0], [0, 0, 9, 0, 0]]))
    balance, plain = (
        balance_of(parameters, blocks * [empty], 12.5, no_directions(5), engine=CpuEngine(1)),
        plain_balance(3, 12.5, no_directions(5)),
    )
    assert balance.scale == plain.scale == 12.5
    for centre in (balance.centre, plain.centre):
        assert centre.dtype == np.float32
        np.testing.assert_array_equal(centre, np.zeros(3))


@pytest.mark.parametrize("units", [1, 3])
def test_documents_of_a_single_word_are_all_alike(units: int) -> None:
    counts = np.array([1, 2, 0, 4, 8, 2])[:, None]
    model = ReplicatedSoftmax(
        units, weighting=None, count_transform=None, max_epochs=3, random_state=0
    ).fit(counts)
    assert model.balance_.scale == model.typical_length_ == 2.0
    known = counts[:, 0] > 0
    vectors = model.transform(counts)
    np.testing.assert_array_equal(vectors[~known], np.zeros((1, units + 1)))
    np.testing.assert_allclose(vectors[known], np.tile(vectors[0], (5, 1)), rtol=0, atol=64 * UNIT)
    np.testing.assert_allclose(np.linalg.norm(vectors[known], axis=1), 1.0, rtol=0, atol=4 * UNIT)


def test_one_unit_says_which_side_of_the_middle(counts: NDArray[np.int64]) -> None:
    model = make_model(n_components=1, count_transform=None).fit(counts)
    known = counts[:, 1:].sum(axis=1) > 0
    u = counts * model.word_weights_.astype(np.float64)
    mean = (u @ model.components_[0].astype(np.float64))[known] / u.sum(axis=1)[
        known
    ] + model.hidden_bias_[0]
    strengths = np.log1p(np.logaddexp(0.0, model.balance_.scale * mean))
    sides = strengths - strengths.mean() / 2
    assert (sides > 0).any()
    assert (sides < 0).any()
    assert np.abs(sides).min() > 1e-4  # none is so near the middle that rounding decides
    ours = halves_of(model.transform(counts)[known], 1)[0]
    np.testing.assert_allclose(ours[:, 0], np.sign(sides), rtol=0, atol=2 * UNIT)


def test_a_model_of_untouched_weights_tells_nothing_apart() -> None:
    """All inputs are 0, and all documents the same."""
    parameters = make_parameters(5, 3)
    parameters.weights[:], parameters.hidden_bias[:] = 0.0, 0.0
    block = block_of(np.array([[1, 0, 0, 2, 0], [0, 3, 0, 0, 0]]))
    balance = balance_of(parameters, [block], 12.5, no_directions(5), engine=CpuEngine(1))
    assert balance.scale == 12.5
    np.testing.assert_allclose(
        balanced(parameters, block, balance), np.full((2, 3), 3**-0.5), rtol=0, atol=4 * UNIT
    )


# Files


def test_a_stored_model_keeps_its_balance_to_the_bit(
    model: ReplicatedSoftmax, counts: NDArray[np.int64], tmp_path: Path
) -> None:
    loaded = load(model.save(tmp_path / "model"))
    assert loaded.balance_.scale == model.balance_.scale
    assert loaded.balance_.centre.dtype == np.float32
    assert loaded.balance_.centre.tobytes() == model.balance_.centre.tobytes()
    assert loaded.balance_.directions.tobytes() == model.balance_.directions.tobytes()
    np.testing.assert_array_equal(loaded.transform(counts), model.transform(counts))


@pytest.mark.parametrize("how", ["absent", "null"])
def test_an_older_model_has_plain_strengths(
    model: ReplicatedSoftmax, counts: NDArray[np.int64], tmp_path: Path, how: str
) -> None:
    def change(header: dict[str, Any]) -> None:
        training = header["manifest"]["training"]
        if how == "absent":
            del training["balance"]
        else:
            training["balance"] = None

    folder = model.save(tmp_path / "model")
    edit_header(folder, change)
    loaded = load(folder)
    assert loaded.balance_.scale == model.typical_length_
    np.testing.assert_array_equal(loaded.balance_.centre, np.zeros(UNITS, dtype=np.float32))
    known = counts[:, 1:].sum(axis=1) > 0
    strengths = model.encode(counts[known], "strength").astype(np.float64)
    expected = strengths / np.linalg.norm(strengths, axis=1, keepdims=True)
    units, words = halves_of(loaded.encode(counts[known], "balanced"), UNITS)
    np.testing.assert_allclose(units, expected, rtol=0, atol=8 * UNIT)
    np.testing.assert_allclose(
        words, halves_of(model.transform(counts[known]), UNITS)[1], rtol=0, atol=8 * UNIT
    )
    np.testing.assert_array_equal(
        loaded.encode(counts[~known], "balanced"), np.zeros((16, 2 * UNITS))
    )


def test_a_model_without_directions_has_units_alone(
    model: ReplicatedSoftmax, counts: NDArray[np.int64], tmp_path: Path
) -> None:
    older = copy.copy(model)
    older.balance_ = replace(model.balance_, directions=no_directions(WORDS))
    loaded = load(older.save(tmp_path / "model"))
    known = counts[:, 1:].sum(axis=1) > 0
    ours = loaded.transform(counts)
    assert ours.shape == (len(counts), UNITS) == (len(counts), len(loaded.get_feature_names_out()))
    np.testing.assert_allclose(
        ours[known], halves_of(model.transform(counts[known]), UNITS)[0], rtol=0, atol=8 * UNIT
    )


@pytest.mark.parametrize(
    ("directions", "said"),
    [
        pytest.param(
            np.zeros((WORDS - 1, 3), np.float32),
            "must have a row for each of 30 words",
            id="too few words",
        ),
        pytest.param(
            np.zeros(WORDS, np.float32), "must have a row for each of 30 words", id="no matrix"
        ),
        pytest.param(np.full((WORDS, 2), np.nan, np.float32), "must be finite, got nan", id="NaN"),
        pytest.param(
            np.full((WORDS, 2), 1.5, np.float32),
            "must be of length 1 at most, got 1.5",
            id="too long",
        ),
        pytest.param(np.zeros((WORDS, 2)), "must be float32, got float64", id="double precision"),
    ],
)
def test_damaged_directions_are_refused(
    model: ReplicatedSoftmax, tmp_path: Path, directions: NDArray[Any], said: str
) -> None:
    with pytest.raises(InvalidInput, match=f"directions {said}"):
        save_model(tmp_path / "refused", model.parameters_, directions=directions)


def test_words_that_come_later_have_no_part_in_directions(counts: NDArray[np.int64]) -> None:
    model = make_model().fit(counts)
    before = model.transform(counts)
    model.add_words(3)
    assert model.balance_.directions.shape == (WORDS + 3, UNITS)
    np.testing.assert_array_equal(model.balance_.directions[WORDS:], 0.0)
    np.testing.assert_array_equal(
        model.transform(np.hstack([counts, np.zeros((len(counts), 3), np.int64)])), before
    )


def test_one_that_does_not_know_its_length_either_is_taken_for_a_hundred_words(
    model: ReplicatedSoftmax, tmp_path: Path
) -> None:
    def forget(header: dict[str, Any]) -> None:
        del (
            header["manifest"]["training"]["balance"],
            header["manifest"]["training"]["typical_length"],
        )

    folder = model.save(tmp_path / "model")
    edit_header(folder, forget)
    assert load(folder).balance_.scale == 100.0


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda balance: balance.update(scale=-1.0), id="negative scale"),
        pytest.param(lambda balance: balance.update(scale=0.0), id="no scale"),
        pytest.param(lambda balance: balance.update(scale="nan"), id="NaN as scale"),
        pytest.param(lambda balance: balance.update(scale="inf"), id="infinite scale"),
        pytest.param(
            lambda balance: balance.update(scale=1e300),
            id="scale beyond single precision",
        ),
        pytest.param(
            lambda balance: balance.update(centre=balance["centre"][1:]), id="too few units"
        ),
        pytest.param(
            lambda balance: balance.update(centre=[*balance["centre"], 0.0]), id="too many units"
        ),
        pytest.param(
            lambda balance: balance.update(centre=[balance["centre"]]), id="a row too deep"
        ),
        pytest.param(
            lambda balance: balance.update(centre=["nan", *balance["centre"][1:]]),
            id="NaN in the centre",
        ),
        pytest.param(
            lambda balance: balance.update(centre=["inf", *balance["centre"][1:]]),
            id="infinite centre",
        ),
    ],
)
def test_a_damaged_balance_is_refused(
    model: ReplicatedSoftmax, tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    folder = model.save(tmp_path / "model")
    edit_header(folder, lambda header: change(header["manifest"]["training"]["balance"]))
    with pytest.raises(ModelFileError, match=r"got others: balance.* must (be|hold) .*number"):
        load(folder)


@pytest.mark.parametrize(
    "balance",
    [
        {},
        {"scale": 1.0},
        {"centre": [0.0] * UNITS},
        [1.0],
        1.0,
        "even",
        {"scale": None, "centre": []},
        True,
    ],
)
def test_what_is_no_balance_is_refused(
    model: ReplicatedSoftmax, tmp_path: Path, balance: object
) -> None:
    folder = model.save(tmp_path / "model")
    edit_header(folder, lambda header: header["manifest"]["training"].update(balance=balance))
    with pytest.raises(
        ModelFileError,
        match="must hold settings that a ReplicatedSoftmax can use here, got others",
    ):
        load(folder)


@pytest.mark.parametrize("name", ["scale", "centre"])
def test_a_number_that_is_not_finite_is_no_json(
    model: ReplicatedSoftmax, tmp_path: Path, name: str
) -> None:
    folder = model.save(tmp_path / "model")
    values = {"scale": model.balance_.scale, "centre": float(model.balance_.centre[0])}
    text = (folder / "model.json").read_text()
    assert text.count(repr(values[name])) == 1
    (folder / "model.json").write_text(text.replace(repr(values[name]), "NaN"))
    with pytest.raises(
        ModelFileError, match="must be valid JSON, got the number NaN, which is not finite"
    ):
        load(folder)
