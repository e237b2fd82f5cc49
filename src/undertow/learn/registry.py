"""One table of learners and one of optimizers: estimators, model files and the command line read
these.

Nothing is loaded until it is used: a wrong name on the command line is told at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from undertow._errors import InvalidInput
from undertow.learn.options import Options

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
    layers: int = 1  # of the models that a learner is for
    own: type | None = None  # the class, where it was registered

    def found(self) -> Any:
        """The class."""
        return self.own or getattr(import_module(self.home), self.kind)

    def is_of(self, kind: type) -> bool:
        """Whether it stands for this class."""
        return (self.kind, self.home) == (kind.__name__, kind.__module__)

    def make(self) -> Any:
        """The options that the name stands for."""
        return self.found()(**self.options)


_ALPHA_NCE = ("AlphaNCE", "undertow.learn.alpha_nce")
_DIVERGENCE = ("ContrastiveDivergence", "undertow.learn.divergence")
_DEEP = ("DeepDivergence", "undertow.learn.deep_divergence")
_METROPOLIS = ("MetropolisDivergence", "undertow.learn.metropolis")
_RATIOS = ("RatioMatching", "undertow.learn.ratio_matching")
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
    "mh-cd": Entry(*_METROPOLIS),
    "ratio-matching": Entry(*_RATIOS),
    "deep-pcd": Entry(*_DEEP, layers=2),
    "deep-cd": Entry(*_DEEP, {"persistent": False}, layers=2),
}
OPTIMIZERS: dict[str, Entry] = {
    "adam": Entry("Adam", "undertow.learn.optimizer"),
    "sgd": Entry("SGD", "undertow.learn.optimizer"),
}


def register_learner(name: str, **options: Any) -> Callable[[Kind], Kind]:
    """A decorator for a learner of your own, a frozen dataclass that inherits from `Options`.

    Its name then does where "alpha-nce" does, and models trained with it load wherever it is
    registered. docs/extending.md has a whole one.

    Parameters
    ----------
    name : str
        What it is called.
    **options
        Those that the name stands for, where they are not the defaults.

    Returns
    -------
    function
        The decorator, which gives the class back as it is.

    Raises
    ------
    InvalidInput
        Where another class has that name, or what is decorated is no such dataclass.

    Examples
    --------
    >>> from undertow.learn import AlphaNCE, register_learner
    >>> decorate = register_learner("gentle", n_noise=5, noise_level=0.9)
    >>> decorate(AlphaNCE) is AlphaNCE
    True
    >>> import undertow
    >>> undertow.ReplicatedSoftmax(8, learner="gentle", max_epochs=1).fit(counts).noise_level_
    0.9
    """
    return _registering("learner", LEARNERS, name, options)


def register_optimizer(name: str, **options: Any) -> Callable[[Kind], Kind]:
    """The same for an optimizer of your own.

    Parameters
    ----------
    name : str
        What it is called.
    **options
        Those that the name stands for, where they are not the defaults.

    Returns
    -------
    function
        The decorator, which gives the class back as it is.

    Raises
    ------
    InvalidInput
        As `register_learner`.

    Examples
    --------
    >>> from undertow.learn import SGD, register_optimizer
    >>> _ = register_optimizer("heavy", momentum=0.99)(SGD)
    >>> import undertow
    >>> model = undertow.ReplicatedSoftmax(8, optimizer="heavy", max_epochs=1).fit(counts)
    """
    return _registering("optimizer", OPTIMIZERS, name, options)


def learner_names(layers: int = 1) -> list[str]:
    """The names of the learners for models of so many layers."""
    return [name for name, entry in LEARNERS.items() if entry.layers == layers]


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
    kind = type(options)
    if not any(entry.is_of(kind) for entry in _entries()):
        raise InvalidInput(f"{kind.__name__} must be registered before it is saved: {_HOW}")
    return {"kind": kind.__name__, **options.get_params()}


def restored(description: Mapping[str, Any]) -> Any:
    """What `described` described."""
    options = dict(description)
    kind = options.pop("kind", None)
    for entry in _entries():
        if entry.kind == kind:
            return entry.found()(**{name: _in_tuples(value) for name, value in options.items()})
    raise InvalidInput(f"{kind} must be registered before it is loaded: {_HOW}")


def check_known(argument: str, given: Any) -> None:
    """Refuses the name of a learner or an optimizer that is not registered here."""
    known = [*LEARNERS] if argument == "learner" else ["auto", *OPTIMIZERS]
    if isinstance(given, str) and given not in known:
        raise InvalidInput(f"{argument} {given!r} must be registered before it is loaded: {_HOW}")


_HOW = (
    "import the module that defines it, with undertow.learn.register_learner or "
    "register_optimizer above the class"
)


def _in_tuples(value: Any) -> Any:
    """JSON has no tuples: they come back as lists."""
    return tuple(map(_in_tuples, value)) if isinstance(value, list) else value


def _entries() -> list[Entry]:
    return [*LEARNERS.values(), *OPTIMIZERS.values()]


def _registering(
    argument: str, table: dict[str, Entry], name: str, options: Mapping[str, Any]
) -> Callable[[Kind], Kind]:
    def register(kind: Kind) -> Kind:
        _check_kind(kind)
        if any(one.kind == kind.__name__ and not one.is_of(kind) for one in _entries()):
            raise InvalidInput(
                f"{kind.__name__} must have a name of its own, got one that is taken"
            )
        if name == "auto" or (name in table and not table[name].is_of(kind)):
            raise InvalidInput(f"name must be one that no {argument} has yet, got {name!r}")
        for entries in (LEARNERS, OPTIMIZERS):
            for known, entry in entries.items():
                if entry.is_of(kind):  # a module that is loaded again: its latest class counts
                    entries[known] = replace(entry, own=kind)
        layers = getattr(kind, "layers", 1)
        table[name] = Entry(kind.__name__, kind.__module__, dict(options), layers, kind)
        return kind

    return register


def _check_kind(kind: Any) -> None:
    sound = isinstance(kind, type) and issubclass(kind, Options) and is_dataclass(kind)
    if not (sound and kind.__dataclass_params__.frozen and _begins(kind)):
        raise InvalidInput(
            f"what is registered must be a frozen dataclass with a method begin that inherits from "
            f"undertow.learn.Options, got {kind!r}"
        )


def _begins(given: Any) -> bool:
    return callable(getattr(given, "begin", None))


def _found(argument: str, given: Any, table: Mapping[str, Entry]) -> Any:
    if isinstance(given, str) and given in table:
        return table[given].make()
    if _begins(given) and not isinstance(given, type):
        here = any(entry.is_of(type(given)) for entry in table.values())
        if here or not any(entry.is_of(type(given)) for entry in _entries()):
            return given  # known here, or nowhere: one of a user's own
    names = ", ".join(repr(name) for name, entry in table.items() if entry.layers == 1)
    raise InvalidInput(
        f"{argument} must be one of {names}, or a learner's options, got {given!r}"
        if argument == "learner"
        else f"{argument} must be 'auto', one of {names}, or an optimizer's options, got {given!r}"
    )
