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

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from undertow.learn import Options
    >>> @dataclass(frozen=True)
    ... class Mine(Options):
    ...     rate: float = 0.5
    >>> Mine().changed(rate=0.25).get_params()
    {'rate': 0.25}
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All options by name.

        Parameters
        ----------
        deep : bool
            Ignored: options have no parts.

        Returns
        -------
        dict of str to value
            Option -> value.

        Examples
        --------
        >>> from undertow.learn import SGD
        >>> SGD(momentum=0.5).get_params()["momentum"]
        0.5
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def changed(self, **params: Any) -> Self:
        """The same with some options changed.

        Parameters
        ----------
        **params
            Option -> value.

        Returns
        -------
        Options
            Another object of the same class.

        Raises
        ------
        InvalidInput
            Where there is no such option, or it cannot have that value.

        Examples
        --------
        >>> from undertow.learn import SGD
        >>> SGD().changed(momentum=0.5) == SGD(momentum=0.5)
        True
        """
        known = self.get_params()
        for name in params:
            if name not in known:
                raise InvalidInput(
                    f"{type(self).__name__} must be given options among {', '.join(known)}, got "
                    f"{name!r}"
                )
        return replace(self, **params)  # type: ignore[type-var]  # every subclass is a dataclass
