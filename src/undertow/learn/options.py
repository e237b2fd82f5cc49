"""What option classes share: they are frozen, and answer `get_params` and `set_params` as
scikit-learn asks of nested objects.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Self

from undertow._errors import InvalidInput


class Options:
    """Base of frozen dataclasses that `sklearn.clone` and grid searches can look into.

    They are checked when made. `set_params` is the only way to change one, and it checks as well.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All options by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **params: Any) -> Self:
        """Changes options in place; nothing changes if one of them is wrong."""
        known = self.get_params()
        for name in params:
            if name not in known:
                raise InvalidInput(
                    f"{type(self).__name__} must be given options among {', '.join(known)}, got "
                    f"{name!r}"
                )
        changed = replace(self, **params)  # type: ignore[type-var]  # every subclass is a dataclass
        for name, value in changed.get_params().items():
            object.__setattr__(self, name, value)
        return self
