"""Codes, against iterative quantization written out in float64, and in models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import undertow
from tests.oracles.rounding import UNIT
from undertow import ReplicatedSoftmax
from undertow._errors import InvalidInput, ModelFileError
from undertow.storage import load_model, save_model
from undertow.vectors.codes import (
    CENTRE,
    FAINT,
    LEAST,
    ROWS,
    Codes,
    learned_codes,
    quantizing_turn,
    sizes,
)

UNITS, WORDS = 40, 30
Array = NDArray[np.float64]


def themes(documents: int, width: int, seed: int = 0) -> NDArray[np.float32]:
    """Vectors of length 1 about one of seven middles."""
    generator = np.random.default_rng(seed)
    middles = generator.gamma(0.3, size=(7, width))
    rows = middles[np.arange(documents) % 7] + 0.3 * generator.random((documents, width))
    unit: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1)[:, None]).astype(np.float32)
    return unit


def loss(values: Array, turn: Array) -> float:
    """The squared distance of turned values from their signs: what the search lessens."""
    turned = values @ turn
    return float(np.square(np.where(turned > 0, 1.0, -1.0) - turned).sum())


def one_round(values: Array, turn: Array) -> Array:
    """Signs, and the turn that brings values nearest to them: the orthogonal Procrustes problem.

    The turn with orthonormal rows is the polar factor of values' signs, (M M')^(-1/2) M.
    """
    product = values.T @ np.where(values @ turn > 0, 1.0, -1.0)
    squares, axes = np.linalg.eigh(product @ product.T)
    result: Array = axes @ np.diag(squares**-0.5) @ axes.T @ product
    return result


@pytest.mark.parametrize(("width", "bits"), [(8, 8), (8, 16), (5, 12)])
def test_a_round_is_that_of_the_oracle(width: int, bits: int) -> None:
    values = themes(210, width)
    values -= values.mean(axis=0)
    for rounds in range(4):
        before = quantizing_turn(values, bits, rounds).astype(np.float64)
        turned = values.astype(np.float64) @ before
        assert np.abs(turned).min() > 8 * UNIT  # no sign is a matter of rounding
        expected = one_round(values.astype(np.float64), before)
        product = values.T.astype(np.float64) @ np.where(turned > 0, 1.0, -1.0)
        # A polar factor moves by the error of its matrix over the smallest singular value.
        error = 4 * len(values) * UNIT * np.abs(values).sum() / len(values)
        smallest = np.linalg.svd(product, compute_uv=False)[-1]
        found = quantizing_turn(values, bits, rounds + 1)
        np.testing.assert_allclose(found, expected, rtol=0, atol=2 * error / smallest + UNIT)


@pytest.mark.parametrize(("width", "bits"), [(8, 8), (16, 32), (40, 40)])
def test_a_turn_has_orthonormal_rows_and_the_loss_never_rises(width: int, bits: int) -> None:
    values = themes(300, width, seed=1)
    values -= values.mean(axis=0)
    losses = []
    for rounds in range(8):
        turn = quantizing_turn(values, bits, rounds).astype(np.float64)
        np.testing.assert_allclose(turn @ turn.T, np.eye(width), rtol=0, atol=4 * bits * UNIT)
        losses.append(loss(values.astype(np.float64), turn))
    # Both sides of a round are the best for the other, so what rises is rounding: of each of the
    # documents' bits, whose distances are 1 at most or so.
    assert np.diff(losses).max() <= 8 * UNIT * values.shape[0] * bits
    assert losses[-1] < losses[0]


def test_codes_of_every_size_are_learned() -> None:
    assert sizes(256) == [32, 64, 128, 256]
    assert sizes(40) == [32, 40]
    assert sizes(8) == [8]
    assert sizes(300) == [32, 64, 128, 256, 300]
    vectors = themes(400, 150)
    codes = learned_codes(vectors)
    assert codes is not None
    assert {size: turn.shape for size, turn in codes.turns.items()} == {
        size: (150, size) for size in (32, 64, 128, 150)
    }
    np.testing.assert_allclose(
        codes.centre, vectors.astype(np.float64).mean(axis=0), rtol=UNIT, atol=0
    )
    # 128 bits are of 64 directions, those in which documents differ most
    spread = np.linalg.svd(vectors.astype(np.float64) - codes.centre)[2]
    kept = np.linalg.svd(codes.turns[128].astype(np.float64))
    assert (kept[1] > 0.5).sum() == LEAST
    inside = np.linalg.svd(spread[:7] @ kept[0][:, :LEAST], compute_uv=False)
    assert inside.min() > 0.99


def test_bits_are_signs_about_the_centre() -> None:
    vectors = themes(ROWS + 76, UNITS)
    codes = learned_codes(vectors)
    assert codes is not None
    turned = (vectors.astype(np.float64) - codes.centre) @ codes.turns[32].astype(np.float64)
    np.testing.assert_array_equal(codes.bits(vectors, 32), turned > FAINT)
    one_by_one = np.concatenate([codes.bits(row[None]) for row in vectors[::50]])
    np.testing.assert_array_equal(one_by_one, codes.bits(vectors)[::50])
    assert 0.2 < codes.bits(vectors).mean() < 0.8


def test_documents_that_are_all_alike_have_no_bits() -> None:
    alike = np.repeat(themes(1, UNITS), 50, axis=0)
    codes = learned_codes(alike)
    assert codes is not None
    assert np.isfinite(codes.turns[UNITS]).all()
    assert not codes.bits(alike).any()
    rounded = Codes(np.nextafter(codes.centre, np.float32(-1.0)), codes.turns)
    assert not rounded.bits(alike).any()
    assert learned_codes(alike[:0]) is None


@pytest.fixture(scope="module")
def counts() -> NDArray[np.int64]:
    generator = np.random.default_rng(5)
    rates = generator.gamma(0.3, size=(4, WORDS))
    found = generator.poisson(3 * rates[np.arange(200) % 4])
    found[7] = 0
    return found


@pytest.fixture(scope="module")
def model(counts: NDArray[np.int64]) -> ReplicatedSoftmax:
    return fitted(counts)


def fitted(counts: NDArray[np.int64], **options: Any) -> ReplicatedSoftmax:
    return ReplicatedSoftmax(UNITS, max_epochs=8, random_state=0, **options).fit(counts)


def test_a_model_packs_the_bits(model: ReplicatedSoftmax, counts: NDArray[np.int64]) -> None:
    codes = model.codes_
    assert codes is not None
    strengths = model.encode(counts, "strength").astype(np.float64)
    unit = (strengths / np.linalg.norm(strengths, axis=1)[:, None]).astype(np.float32)
    for number, width in ((None, UNITS), (32, 32), (UNITS, UNITS)):
        packed = model.encode(counts, "code", n_bits=number)
        assert packed.dtype == np.uint8
        assert packed.shape == (len(counts), width // 8)
        expected = codes.bits(unit, number)
        expected[7] = False  # an empty document has none
        near = np.unpackbits(packed, axis=1, count=width) != expected
        assert near.mean() < 1e-3  # lengths were rounded otherwise


def test_documents_of_a_theme_have_codes_alike(
    model: ReplicatedSoftmax, counts: NDArray[np.int64]
) -> None:
    bits = np.unpackbits(model.encode(counts, "code", n_bits=32), axis=1).astype(np.float64)
    apart = np.abs(bits[:, None] - bits[None]).mean(axis=2)
    same = (np.arange(200) % 4)[:, None] == (np.arange(200) % 4)[None]
    assert apart[same].mean() < 0.5 * apart[~same].mean()


def test_threads_do_not_matter(model: ReplicatedSoftmax, counts: NDArray[np.int64]) -> None:
    one = fitted(counts, n_jobs=1)
    two = fitted(counts, n_jobs=2)
    assert one.codes_ is not None
    assert two.codes_ is not None
    for name, array in one.codes_.arrays().items():
        assert array.tobytes() == two.codes_.arrays()[name].tobytes()
    many = np.tile(counts, (90, 1))  # more than are encoded at a time
    np.testing.assert_array_equal(one.encode(many, "code"), two.encode(many, "code"))
    np.testing.assert_array_equal(two.encode(many, "code")[:200], two.encode(counts, "code"))


def test_saved_and_loaded(
    model: ReplicatedSoftmax, counts: NDArray[np.int64], tmp_path: Path
) -> None:
    loaded = undertow.load(model.save(tmp_path / "m"))
    assert isinstance(loaded, ReplicatedSoftmax)
    for number in (None, 32):
        np.testing.assert_array_equal(
            loaded.encode(counts, "code", n_bits=number),
            model.encode(counts, "code", n_bits=number),
        )


def test_a_model_of_an_earlier_version_has_thresholds(
    model: ReplicatedSoftmax, counts: NDArray[np.int64], tmp_path: Path
) -> None:
    stored = load_model(model.save(tmp_path / "m"))
    save_model(tmp_path / "old", stored.parameters, training=stored.training)
    old = undertow.load(tmp_path / "old")
    assert isinstance(old, ReplicatedSoftmax)
    bits = np.unpackbits(old.encode(counts, "code"), axis=1, count=UNITS)
    np.testing.assert_array_equal(bits, model.encode(counts, "posterior") > 0.5)
    with pytest.raises(InvalidInput, match=f"n_bits must be {UNITS} or None .* got 32"):
        old.encode(counts, "code", n_bits=32)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({CENTRE: np.zeros(3, np.float32)}, "codes.centre must have shape"),
        ({"codes.32": np.zeros((UNITS, 31), np.float32)}, "codes.32 must have shape"),
        ({"codes.many": np.zeros((UNITS, 3), np.float32)}, "codes.many must have shape"),
        ({f"codes.{UNITS}": None}, "a bit for each of 40 units"),
        ({CENTRE: None}, "codes.centre must have shape .* got None"),
        ({CENTRE: np.full(UNITS, np.nan, np.float32)}, "codes.centre must be finite"),
    ],
)
def test_damaged_codes_are_refused(
    model: ReplicatedSoftmax, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    stored = load_model(model.save(tmp_path / "m"))
    arrays = {name: array for name, array in (stored.codes | change).items() if array is not None}
    with pytest.raises((ModelFileError, InvalidInput), match=message):
        undertow.load(
            save_model(tmp_path / "bad", stored.parameters, training=stored.training, codes=arrays)
        )


def test_a_stream_keeps_its_turns_and_moves_the_centre(counts: NDArray[np.int64]) -> None:
    model = ReplicatedSoftmax(UNITS, random_state=0).partial_fit(counts[:100])
    first = model.codes_
    assert first is not None
    second = model.partial_fit(counts[100:]).codes_
    assert second is not None
    assert second.turns is first.turns
    assert not np.array_equal(second.centre, first.centre)
    assert second.recentred(themes(0, UNITS)) is second  # no document tells nothing
    learned = model.set_params(warm_start=True, max_epochs=1).fit(counts).codes_
    assert learned is not None
    assert not np.array_equal(learned.turns[UNITS], first.turns[UNITS])


@pytest.mark.parametrize("number", [0, 16, 64, -32, "32"])
def test_bits_that_were_not_learned(
    model: ReplicatedSoftmax, counts: NDArray[np.int64], number: Any
) -> None:
    with pytest.raises(InvalidInput, match="n_bits must be one of 32, 40 or None, got"):
        model.encode(counts, "code", n_bits=number)


def test_other_kinds_have_no_bits(model: ReplicatedSoftmax, counts: NDArray[np.int64]) -> None:
    with pytest.raises(InvalidInput, match="n_bits must be left out unless the kind is 'code'"):
        model.encode(counts, "strength", n_bits=32)


def test_turns_are_told_apart_by_size() -> None:
    codes = Codes(np.zeros(2, np.float32), {2: np.eye(2, dtype=np.float32)})
    assert Codes.of_arrays({}, 2) is None
    again = Codes.of_arrays(codes.arrays(), 2)
    assert again is not None
    np.testing.assert_array_equal(again.turns[2], codes.turns[2])
