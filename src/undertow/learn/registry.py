"""One table of learners and one of optimizers: estimators, model files and the command line read
these.

Nothing is loaded until it is used: a wrong name on the command line is told at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from undertow._errors import InvalidInput

if TYPE_CHECKING:
    from undertow.learn.learner import Learner
    from undertow.learn.optimizer import Optimizer

Kind = TypeVar("Kind", bound=type)


@dataclass(frozen=True)
class Entry:
    """What a name stands for: a class of options, and how they differ from its defaults."""

    kind: str
    home: str  # the module of the class
    options: Mapping[str, Any] = field(default_factory=dict)

    def make(self, **options: Any) -> Any:
        """The options, some of them changed."""
        return getattr(import_module(self.home), self.kind)(**{**self.options, **options})


_ALPHA_NCE = ("AlphaNCE", "undertow.learn.alpha_nce")
_DIVERGENCE = ("ContrastiveDivergence", "undertow.learn.divergence")
_PLAIN = {  # the exact likelihood ratio, with everything that it takes learned
    "noise_level": 0.0,
    "uniform": False,
    "sharpness": 1.0,
    "visible_bias": "learned",
    "normaliser": "learned",
}

LEARNERS: dict[str, Entry] = {
    "alpha-nce": Entry(*_ALPHA_NCE),
    "nce": Entry(*_ALPHA_NCE, _PLAIN),
    "cd": Entry(*_DIVERGENCE),
    "pcd": Entry(*_DIVERGENCE, {"persistent": True}),
}
OPTIMIZERS: dict[str, Entry] = {
    "adam": Entry("Adam", "undertow.learn.optimizer"),
    "sgd": Entry("SGD", "undertow.learn.optimizer"),
}


def register_learner(name: str, **options: Any) -> Callable[[Kind], Kind]:
    """A decorator for a learner of your own, a frozen dataclass that inherits from `Options`.

    Its name then does where "alpha-nce" does, and models trained with it load wherever it is
    registered. The options given are those that the name stands for.
    """
    return _registering(LEARNERS, name, options)


def register_optimizer(name: str, **options: Any) -> Callable[[Kind], Kind]:
    """The same for an optimizer of your own."""
    return _registering(OPTIMIZERS, name, options)


def find_learner(learner: Any) -> Learner:
    """The learner of a name, or the one given."""
    found: Learner = _found("learner", learner, LEARNERS)
    return found


def find_optimizer(optimizer: Any) -> Optimizer:
    """The optimizer of a name, or the one given."""
    found: Optimizer = _found("optimizer", optimizer, OPTIMIZERS)
    return found


def described(options: Any) -> dict[str, Any]:
    """A learner or an optimizer as plain data: its class and its options."""
    kind = type(options).__name__
    if kind not in {entry.kind for entry in _entries()}:
        raise InvalidInput(
            f"{kind} must be registered before it is saved (undertow.learn.register_learner or "
            f"register_optimizer)"
        )
    return {"kind": kind, **options.get_params()}


def restored(description: Mapping[str, Any]) -> Any:
    """What `described` described."""
    options = dict(description)
    kind = options.pop("kind", None)
    for entry in _entries():
        if entry.kind == kind:
            # JSON has no tuples: a pair comes back as a list
            plain = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in options.items()
            }
            return getattr(import_module(entry.home), entry.kind)(**plain)
    raise InvalidInput(
        f"{kind} must be registered before a model that was trained with it is loaded "
        f"(undertow.learn.register_learner or register_optimizer)"
    )


def _entries() -> list[Entry]:
    return [*LEARNERS.values(), *OPTIMIZERS.values()]


def _registering(
    table: dict[str, Entry], name: str, options: Mapping[str, Any]
) -> Callable[[Kind], Kind]:
    def register(kind: Kind) -> Kind:
        if any(one.kind == kind.__name__ and one.home != kind.__module__ for one in _entries()):
            raise InvalidInput(
                f"{kind.__name__} must have a name of its own, got one that is taken"
            )
        table[name] = Entry(kind.__name__, kind.__module__, dict(options))
        return kind

    return register


def _found(argument: str, given: Any, table: Mapping[str, Entry]) -> Any:
    if isinstance(given, str) and given in table:
        return table[given].make()
    kind, own = type(given).__name__, {entry.kind for entry in table.values()}
    of_others = kind not in own and kind in {entry.kind for entry in _entries()}
    if callable(getattr(given, "begin", None)) and not isinstance(given, type) and not of_others:
        return given
    names = ", ".join(map(repr, table))
    raise InvalidInput(
        f"{argument} must be one of {names}, or a learner's options, got {given!r}"
        if argument == "learner"
        else f"{argument} must be 'auto', one of {names}, or an optimizer's options, got {given!r}"
    )
