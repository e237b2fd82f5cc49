"""The map: exact neighbours, places that are the same every time, and documents of any number."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from undertow import InvalidInput
from undertow.insight import _nearest_rows, layout

Vectors = NDArray[np.float32]


def groups(
    documents: int, number: int = 3, units: int = 8, seed: int = 0
) -> tuple[Vectors, NDArray[np.int64]]:
    """Unit vectors of some groups, and the group of each."""
    generator = np.random.default_rng(seed)
    of = np.arange(documents) % number
    vectors = np.eye(units)[of] + generator.uniform(0, 0.3, size=(documents, units))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), of


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 4),
    columns=st.integers(1, 300),
    data=st.data(),
    kind=st.sampled_from(["many ties", "few ties"]),
)
def test_the_highest_are_those_of_a_sort(
    rows: int, columns: int, data: st.DataObject, kind: str
) -> None:
    k = data.draw(st.integers(1, columns))
    generator = np.random.default_rng(data.draw(st.integers(0, 1000)))
    values = generator.integers(
        0, 5 if kind == "many ties" else 10**6, size=(rows, columns)
    ).astype(np.float32)
    found, highest = _nearest_rows.highest(values, k)
    np.testing.assert_array_equal(highest, -np.sort(-values, axis=1)[:, :k])
    np.testing.assert_array_equal(np.take_along_axis(values, found, axis=1), highest)
    assert all(len(set(row)) == k for row in found.tolist())


def test_neighbours_are_exact_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_nearest_rows, "BLOCK", 32)
    vectors, _ = groups(700)
    cosines = vectors.astype(np.float64) @ vectors.T
    done: list[None] = []
    _, found = _nearest_rows.nearest(vectors[:100], vectors, 7, done=lambda: done.append(None))
    np.testing.assert_allclose(found, -np.sort(-cosines[:100], axis=1)[:, :7], atol=1e-6)
    assert len(done) == _nearest_rows.blocks(100) == 4
    rows, found = _nearest_rows.nearest(vectors, vectors, 7, same=True)
    np.fill_diagonal(cosines, -2.0)
    np.testing.assert_allclose(found, -np.sort(-cosines, axis=1)[:, :7], atol=1e-6)
    assert not (rows == np.arange(700)[:, None]).any()


def test_nothing_of_the_size_documents_by_documents_is_made() -> None:
    vectors, _ = groups(3000)
    largest = 0
    original = _nearest_rows.highest

    def watched(values: Vectors, k: int) -> object:
        nonlocal largest
        largest = max(largest, values.size)
        return original(values, k)

    with (
        mock.patch.object(_nearest_rows, "highest", watched),
        mock.patch.object(layout, "MOST_LAID_OUT", 500),
    ):
        layout.positions(vectors)
    assert largest == _nearest_rows.BLOCK * 500


@pytest.mark.parametrize("documents", [0, 1, 2, 3, 5, 9, 10, 11, 35, 200])
def test_any_number_of_documents_has_places(documents: int) -> None:
    places = layout.positions(groups(documents)[0])
    assert places.shape == (documents, 2)
    assert places.dtype == np.float32
    assert ((places >= 0) & (places <= 1)).all()
    assert len(np.unique(places, axis=0)) == documents
    if documents > 1:
        assert np.ptp(places, axis=0).max() == pytest.approx(1.0)


@pytest.mark.parametrize("most", [15_000, 50, 7])
@pytest.mark.parametrize("units", [1, 8])
def test_equal_vectors_do_not_coincide(
    monkeypatch: pytest.MonkeyPatch, most: int, units: int
) -> None:
    for name, number in (
        ("EARLY", 125),
        ("LATE", 250),
        ("MOST_LAID_OUT", most),
    ):  # they do come together
        monkeypatch.setattr(layout, name, number)
    places = layout.positions(np.ones((200, units), dtype=np.float16))
    assert len(np.unique(places, axis=0)) == 200
    assert ((places >= 0) & (places <= 1)).all()


@pytest.mark.parametrize("documents", [300, 1500])
def test_the_same_bits_for_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch, documents: int
) -> None:
    monkeypatch.setattr(layout, "MOST_LAID_OUT", documents - 100)
    monkeypatch.setattr(_nearest_rows, "BLOCK", 64)
    vectors, _ = groups(documents)
    found = set()
    for threads in (1, 1, 2, 5):
        monkeypatch.setattr(_nearest_rows, "thread_count", lambda wanted, threads=threads: threads)
        found.add(layout.positions(vectors).tobytes())
    assert len(found) == 1
    assert layout.positions(vectors, seed=1).tobytes() not in found


def test_the_length_of_vectors_does_not_matter() -> None:
    vectors, _ = groups(60)
    np.testing.assert_array_equal(layout.positions(vectors), layout.positions(vectors * 4))


def test_documents_without_a_vector_have_no_place() -> None:
    vectors, _ = groups(40)
    with_some = np.insert(vectors, [0, 17, 40], np.nan, axis=0)
    places = layout.positions(with_some)
    missing = np.isnan(with_some).any(axis=1)
    assert np.isnan(places[missing]).all()
    np.testing.assert_array_equal(places[~missing], layout.positions(vectors))
    assert np.isnan(layout.positions(np.full((3, 4), np.nan))).all()


@pytest.mark.parametrize("most", [15_000, 120])
def test_neighbours_on_the_map_are_of_one_group(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    for name, number in (("EARLY", 100), ("LATE", 100), ("MOST_LAID_OUT", most)):
        monkeypatch.setattr(layout, name, number)
    vectors, of = groups(300)
    places = layout.positions(vectors)
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1)[:, :10]
    assert (of[nearest] == of[:, None]).mean() > 0.99


def test_a_place_amid_neighbours_is_among_the_many_not_between() -> None:
    here = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [9.0, 9.0], [9.1, 9.0]])
    np.testing.assert_allclose(layout.amid(here[None]), [[0.1 / 3, 0.1 / 3]])
    np.testing.assert_allclose(layout.amid(here[None, 3:4]), [[9.0, 9.0]])


def test_progress_goes_from_the_first_step_to_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "MOST_LAID_OUT", 150)
    monkeypatch.setattr(_nearest_rows, "BLOCK", 16)
    told: list[tuple[int, int]] = []
    layout.positions(groups(200)[0], progress=lambda done, of: told.append((done, of)))
    done = [first for first, _ in told]
    assert {of for _, of in told} == {10 + 25 + 4}
    assert done == sorted(done)
    assert (done[0], done[-1]) == (1, 39)
    assert len(done) >= 10 + 5 + 4
    told.clear()
    layout.positions(groups(1)[0], progress=lambda done, of: told.append((done, of)))
    assert told[-1][0] == told[-1][1]


def test_work_is_given_up_when_progress_says_so() -> None:
    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        layout.positions(groups(100)[0], progress=stop)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("undertow._extras.find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match=r"undertow\[explorer\]"):
        layout.positions(groups(30)[0])
