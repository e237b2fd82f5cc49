"""What option classes share: they are frozen, and answer `get_params` as scikit-learn asks."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Self

from undertow._errors import InvalidInput


class Options:
    """Base of frozen dataclasses that `sklearn.clone` and grid searches can look into.

    They are checked when made, and never change: `changed` gives others. Estimators whose
    parameters they are put these in their place when `set_params` asks for
    `learner__n_noise`, say.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All options by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def changed(self, **params: Any) -> Self:
        """The same with some options changed."""
        known = self.get_params()
        for name in params:
            if name not in known:
                raise InvalidInput(
                    f"{type(self).__name__} must be given options among {', '.join(known)}, got "
                    f"{name!r}"
                )
        return replace(self, **params)  # type: ignore[type-var]  # every subclass is a dataclass
