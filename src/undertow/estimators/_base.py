"""What both estimators are to scikit-learn."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from undertow._errors import InvalidInput
from undertow.learn import Options
from undertow.learn.registry import LEARNERS, OPTIMIZERS

TABLES = {"learner": LEARNERS, "optimizer": OPTIMIZERS}  # whose names have options


# scikit-learn has no stubs
class Base(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer whose output columns are named after its class."""

    def set_params(self, **params: Any) -> Self:
        """Changes parameters by name; `learner__n_noise` is an option of the learner.

        Options of learners and optimizers are frozen: others take their place.

        Returns
        -------
        self

        Examples
        --------
        >>> from undertow import AlphaNCE, ReplicatedSoftmax
        >>> model = ReplicatedSoftmax(64, learner=AlphaNCE())
        >>> model.set_params(batch_size=64, learner__n_noise=10).learner.n_noise
        10
        """
        nested: dict[str, dict[str, Any]] = defaultdict(dict)
        known = self.get_params(deep=False)
        for name, value in params.items():
            first, _, option = name.partition("__")
            if option and first in known:
                nested[first][option] = value
        own = {
            name: value for name, value in params.items() if name.partition("__")[0] not in nested
        }
        own |= {name: params[name] for name in nested if name in params}
        super().set_params(**own)
        for name, options in nested.items():
            setattr(self, name, _changed(name, getattr(self, name), options))
        return self


def _changed(name: str, value: Any, options: dict[str, Any]) -> Any:
    table = TABLES.get(name, {})
    if isinstance(value, str) and value in table:
        value = table[value].make()  # what the name stands for
    if isinstance(value, Options):
        return value.changed(**options)
    if not hasattr(value, "set_params") or isinstance(value, type):
        wanted = ", ".join(f"{name}__{option}" for option in options)
        raise InvalidInput(
            f"{name} must be an object with options, of which to set {wanted}, got {value!r}"
        )
    return value.set_params(**options)
