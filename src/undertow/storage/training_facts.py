"""What a model folder tells about its training, checked: kinds, ranges and sizes of its values.

A folder may be a stranger's, and its checksums fit whatever he wrote. What is checked here is used
by estimators and by search, which reads models without loading an estimator.
"""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Callable, Mapping
from typing import Any

from undertow._errors import InvalidInput
from undertow.learn.history import EpochRecord

LARGEST = 1e30  # of a stored number: products with it stay within single precision
LARGEST_WHOLE = 2**53  # beyond, whole numbers are no longer exact in double precision
LONGEST_MESSAGE = 300
LONGEST_TEXT = 1000  # letters of an option; a pattern for tokens fits

DESCRIBED = ("learner", "optimizer", "weighting")  # may be objects of options of their own
WHOLE = ("n_components", "batch_size", "n_iter_no_change", "replicas", "max_epochs")
NUMBERS = ("sparsity_target", "sparsity_cost", "averaging", "validation_fraction")


def check_training(training: Mapping[str, Any], units: int) -> None:
    """Refuses what an estimator could not use; what is not there is an earlier version's."""
    for name, check in _CHECKS.items():
        if name in training:
            check(name, training[name])
    for name in ("activity", "balance"):
        found = training.get(name)
        values = found["centre"] if name == "balance" and found is not None else found
        if values is not None and len(values) != units:
            raise InvalidInput(f"{name} must hold {units} numbers, got {len(values)}")
    for unit in training.get("dead_units") or ():
        if unit >= units:
            raise InvalidInput(f"dead_units must be below {units}, got {unit}")
    for name in ("unit_names", "topic_names"):
        _check_units(name, training.get(name, {}), units)


def check_position(manifest: Mapping[str, Any]) -> None:
    """Refuses what a checkpoint tells of where a run is, where that can be no run's."""
    position, tally = manifest.get("position"), manifest.get("tally")
    if not isinstance(position, dict) or not isinstance(tally, dict):
        raise InvalidInput("position and tally must be objects, got others")
    for name, value in position.items():
        _whole(f"position.{name:.60}", value)
    for name, value in tally.items():
        _number(f"tally.{name:.60}", value)
    _history("history", manifest.get("history"))


def check_fit(told: Mapping[str, Any]) -> None:
    """Refuses what a checkpoint tells of the fit that it belongs to, where that can be no fit's."""
    for name in ("options", "corpus"):
        if not isinstance(told[name], dict):
            raise _wrong(name, "an object", told[name])
    for name in ("documents", "words"):
        _whole(f"corpus.{name}", told["corpus"].get(name))
    _whole("seed", told["seed"])


def check_choices(facts: Mapping[str, Any], *, stopping: bool) -> None:
    """The same of what was chosen on the way: the noise level, and where to stop."""
    if "level" in facts:
        _noise_level("level", facts["level"])
        scores = facts.get("scores")
        if not isinstance(scores, list):
            raise _wrong("scores", "a list of pairs", scores)
        for pair in scores:
            _numbers("scores", pair)
            if len(pair) != 2:
                raise _wrong("scores", "pairs of numbers", pair)
    if stopping:
        found = facts.get("stopping")
        if not isinstance(found, dict) or "best" not in found:
            raise _wrong("stopping", "an object with best and best_epoch", found)
        _whole("best_epoch", found.get("best_epoch"))
        if found["best"] is not None:
            _number("best", found["best"])


def one_line(error: BaseException) -> str:
    """The beginning of what an error says: that of other libraries may be a page, and hold values
    of the folder.
    """
    return " ".join(str(error).split())[:LONGEST_MESSAGE]


def _number(name: str, value: Any, *, least: float = -LARGEST, most: float = LARGEST) -> None:
    sound = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (sound and least <= value <= most):
        raise _wrong(name, f"a number from {least:g} to {most:g}", value)


def _whole(name: str, value: Any, *, least: int = 0) -> None:
    if type(value) is not int or not least <= value <= LARGEST_WHOLE:
        raise _wrong(name, f"a whole number from {least} to {LARGEST_WHOLE}", value)


def _numbers(name: str, value: Any, *, least: float = -LARGEST, most: float = LARGEST) -> None:
    if not isinstance(value, (list, tuple)):
        raise _wrong(name, "a list of numbers", value)
    for one in value:
        _number(name, one, least=least, most=most)


def _positive(name: str, value: Any) -> None:
    _number(name, value, least=1.0 / LARGEST)


def _shares(name: str, value: Any) -> None:
    _numbers(name, value, least=0.0, most=1.0)


def _noise_level(name: str, value: Any) -> None:
    """A number, several, or what a learner of a user's own takes."""
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if one is not None:
            _plain(name, one)


def _units(name: str, value: Any) -> None:
    if value is not None:
        if not isinstance(value, list):
            raise _wrong(name, "a list of units", value)
        for one in value:
            _whole(name, one)


def _balance(name: str, value: Any) -> None:
    if value is None:
        return
    if not isinstance(value, dict) or set(value) != {"scale", "centre"}:
        raise _wrong(name, "an object with scale and centre", value)
    _positive(f"{name}.scale", value["scale"])
    _numbers(f"{name}.centre", value["centre"])


def _history(name: str, value: Any) -> None:
    """Records of epochs, in the types that `EpochRecord` says."""
    kinds = {one.name: str(one.type) for one in dataclasses.fields(EpochRecord)}
    needed = {
        one.name for one in dataclasses.fields(EpochRecord) if one.default is dataclasses.MISSING
    }
    if not isinstance(value, list):
        raise _wrong(name, "a list of epochs", value)
    for record in value:
        if not isinstance(record, dict) or not needed <= set(record) <= set(kinds):
            raise _wrong(name, f"objects with {', '.join(kinds)}", record)
        for key, figure in record.items():
            if kinds[key] == "int":
                _whole(f"{name}.{key}", figure)
            elif figure is not None or "None" not in kinds[key]:
                _number(f"{name}.{key}", figure)


def _estimator(name: str, value: Any) -> None:
    """Options, by the kinds of values that they take; those of other names, which a class of a
    user's own may have, are plain.
    """
    if not isinstance(value, dict):
        raise _wrong(name, "an object of options", value)
    for option, given in value.items():
        where = f"{name}.{option:.60}"
        if given is None or (isinstance(given, dict) and option in DESCRIBED):
            continue
        if option in WHOLE and given != "auto":
            _whole(where, given, least=1)
        elif option in NUMBERS and given != "auto":
            _number(where, given)
        else:
            _plain(where, given)


def _plain(name: str, value: Any) -> None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        _number(name, value)
    elif not isinstance(value, (str, bool)):
        raise _wrong(name, "a word, a number, true or false", value)
    elif isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise _wrong(name, f"a text of at most {LONGEST_TEXT} letters", value)


def _vectorizer(name: str, value: Any) -> None:
    """Plain values; what each may be is the vectorizer's to say."""
    if not isinstance(value, dict):
        raise _wrong(name, "an object of options", value)
    for option, given in value.items():
        where = f"{name}.{option:.60}"
        for one in given if isinstance(given, list) else [given]:
            if one is not None:
                _plain(where, one)


def _check_units(name: str, names: Any, units: int) -> None:
    if not isinstance(names, dict):
        raise _wrong(name, "an object of names", names)
    for unit, said in names.items():
        known = unit.isascii() and unit.isdecimal() and len(unit) < 16 and int(unit) < units
        if not known or not isinstance(said, str):
            raise InvalidInput(
                f"{name} must map units below {units} to names, got {reprlib.repr({unit: said})}"
            )


def _wrong(name: str, wanted: str, got: Any) -> InvalidInput:
    try:
        shown = reprlib.repr(got)
    except ValueError:  # a whole number of thousands of digits cannot even be printed
        shown = "a number too large to print"
    return InvalidInput(f"{name} must be {wanted}, got {shown:.120}")


_CHECKS: dict[str, Callable[[str, Any], None]] = {
    "estimator": _estimator,
    "history": _history,
    "n_iter": _whole,
    "noise_level": _noise_level,
    "typical_length": _positive,
    "balance": _balance,
    "seed": _whole,
    "activity": _shares,
    "dead_units": _units,
    "vectorizer": _vectorizer,
}
