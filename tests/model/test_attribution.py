"""What the words of a document did."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from undertow.model import Parameters
from undertow.model.attribution import attributions, pushes, shared_out

WEIGHTS = np.array([[1.0, -2.0], [0.5, 0.0], [-1.0, -1.0]], dtype=np.float32)
PARAMETERS = Parameters(
    weights=WEIGHTS,
    visible_bias=np.zeros(3, dtype=np.float32),
    hidden_bias=np.array([0.25, -0.5], dtype=np.float32),
    word_weights=np.array([1.0, 2.0, 3.0], dtype=np.float32),
)
COUNTS = sparse.csr_array(np.array([[2, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=np.int32))


def test_a_push_is_the_weight_times_weight_and_bias() -> None:
    np.testing.assert_allclose(pushes(PARAMETERS, 0), [1.25, 1.5, -2.25])
    np.testing.assert_allclose(pushes(PARAMETERS, 1), [-2.5, -1.0, -4.5])


def test_attributions_add_up_to_the_input() -> None:
    found = attributions(PARAMETERS, COUNTS, 0)
    np.testing.assert_allclose(
        found.toarray(), [[2.5, 1.5, 0.0], [0.0, 0.0, -2.25], [0.0, 0.0, 0.0]]
    )


def test_a_part_is_shared_by_those_who_pushed_the_unit_up() -> None:
    parts = np.array([[8.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    found = shared_out(PARAMETERS, COUNTS, parts).toarray()
    np.testing.assert_allclose(found[0], [5.0, 3.0, 0.0])
    assert not found[1:].any()


def test_where_none_pushed_it_up_all_share_alike() -> None:
    parts = np.array([[0.0, 6.0], [3.0, 0.0], [0.0, 0.0]])
    found = shared_out(PARAMETERS, COUNTS, parts).toarray()
    np.testing.assert_allclose(found, [[3.0, 3.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])


def test_the_parts_are_kept() -> None:
    parts = np.random.default_rng(0).normal(size=(2, 2))
    found = shared_out(PARAMETERS, COUNTS[:2], parts)
    np.testing.assert_allclose(found.sum(axis=1), parts.sum(axis=1))
