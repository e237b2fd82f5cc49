"""scikit-learn's own checks of estimators: all of them pass, none is expected to fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from undertow import DeepReplicatedSoftmax, ReplicatedSoftmax

SMALL: dict[str, Any] = {"n_components": 5, "max_epochs": 3, "random_state": 0}


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [
        ReplicatedSoftmax(weighting=None, **SMALL),
        ReplicatedSoftmax(weighting="idf", **SMALL),
        DeepReplicatedSoftmax(n_latent_words=4, **SMALL),
    ],
)
def test_scikit_learn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
