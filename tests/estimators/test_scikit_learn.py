"""scikit-learn's own checks of estimators, and the tools that people use around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from undertow import ReplicatedSoftmax

SMALL = {"n_components": 5, "max_epochs": 3, "random_state": 0}


def expected_failures(_estimator: Any) -> dict[str, str]:
    return {}


@parametrize_with_checks(
    [ReplicatedSoftmax(weighting=None, **SMALL), ReplicatedSoftmax(weighting="idf", **SMALL)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
