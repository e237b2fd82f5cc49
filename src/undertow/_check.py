"""Checks of arguments, worded once.

Each function returns the checked value and raises `InvalidInput` naming the argument, what it must
be and what came.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from undertow import _lazy
from undertow._errors import InvalidInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = _lazy.module("numpy")  # a wrong option is told without it

Number = TypeVar("Number", int, float)

SIZE = r"\s*(\d{1,18}(?:\.\d{1,18})?)\s*([KMGT]I?)?B?\s*"  # a number too long is none
BYTES = {
    "": 1,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "KI": 2**10,
    "MI": 2**20,
    "GI": 2**30,
    "TI": 2**40,
}

SPANS = {"s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0}
SPANS |= {"hour": 3600.0, "d": 86400.0, "day": 86400.0}


def whole_number(name: str, value: object, *, at_least: int) -> int:
    """A whole number of at least `at_least` (a bool is not a number here)."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = at_least - 1
    if isinstance(value, bool) or number < at_least:
        raise InvalidInput(
            f"{name} must be a whole number of at least {at_least}, got {value!r:.200}"
        )
    return number


def number(
    name: str,
    value: object,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
) -> float:
    """A finite number inside the stated interval."""
    wanted = _interval(above, at_least, below)
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InvalidInput(f"{name} must be a number{wanted}, got {value!r:.200}")
    checked = float(value)
    inside = (
        math.isfinite(checked)
        and (above is None or checked > above)
        and (at_least is None or checked >= at_least)
        and (below is None or checked < below)
    )
    if not inside:
        raise InvalidInput(f"{name} must be{wanted or ' finite'}, got {value!r:.200}")
    return checked


def ascending(
    name: str, pair: tuple[object, ...], check: Callable[[str, object], Number]
) -> tuple[Number, Number]:
    """Two numbers that pass a check of one, the lower first."""
    first, last = (check(name, one) for one in pair)
    if first > last:
        raise InvalidInput(f"{name} must give the lower number first, got {pair!r}")
    # the tuple itself where it was plain: scikit-learn's `clone` wants to find what it gave
    kept: Any = pair if pair[0] is first and pair[1] is last else (first, last)
    return kept  # type: ignore[no-any-return]


def keep(options: object, **checked: object) -> None:
    """Puts checked values in the place of those that a frozen dataclass was given: numbers of NumPy
    become plain ones, as kernels for cards and JSON want them.
    """
    for name, value in checked.items():
        object.__setattr__(options, name, value)


def number_of_bytes(name: str, size: object) -> int:
    """A number of bytes, as such or as text: "500MB" is 500 million, "2GiB" are 2 times 2^30."""
    if isinstance(size, str):
        found = re.fullmatch(SIZE, size.upper())
        if found is None:
            raise InvalidInput(
                f"{name} must be a number of bytes such as '500MB' or '2GiB', got {size!r:.60}"
            )
        size = int(float(found[1]) * BYTES[found[2] or ""])
    return whole_number(name, size, at_least=0)


def how_often(name: str, value: object) -> tuple[float, str]:
    """How often something is to be done: so many "seconds", "epochs" or "steps". A number alone is
    one of seconds.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-z]*)\s*", f"{value}".lower())
    if found is not None and not isinstance(value, bool):
        amount, unit = float(found[1]), found[2]
        one = unit if unit == "s" else unit.removesuffix("s")
        if one in SPANS or not one:
            return amount * SPANS.get(one, 1.0), "seconds"
        if one in ("epoch", "step") and amount >= 1 and amount == int(amount):
            return amount, f"{one}s"
    raise InvalidInput(
        f"{name} must be a time such as '10min' or '30s', or such as '1epoch' or '500steps', got "
        f"{value!r:.200}"
    )


def one_of(name: str, value: object, allowed: Sequence[str]) -> str:
    """One of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        raise InvalidInput(f"{name} must be one of {words}, got {value!r:.200}")
    return str(value)  # NumPy's kind becomes a plain one


def only_with(other: str, given: Mapping[str, object]) -> None:
    """Refuses what says something beside another argument alone, which was not given."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise InvalidInput(f"{name} must be used with {other}, got none")


def vector(name: str, value: Any, *, size: int, non_negative: bool = False) -> NDArray[np.float64]:
    """A vector of `size` finite numbers, as float64."""
    array = np.asarray(value, dtype=np.float64)
    if array.shape != (size,):
        raise InvalidInput(f"{name} must hold {size} numbers, got an array of shape {array.shape}")
    if not np.isfinite(array).all():
        raise InvalidInput(
            f"{name} must be finite, got {array[~np.isfinite(array)][0]} among its values"
        )
    if non_negative and (array < 0).any():
        raise InvalidInput(f"{name} must not be negative, got {array.min()} among its values")
    return array


def _interval(above: float | None, at_least: float | None, below: float | None) -> str:
    if at_least is not None and below is not None:
        return f" in [{at_least:g}, {below:g})"
    if above is not None and below is not None:
        return f" in ({above:g}, {below:g})"
    if above is not None:
        return f" above {above:g}"
    if at_least is not None:
        return f" of at least {at_least:g}"
    if below is not None:
        return f" below {below:g}"
    return ""
