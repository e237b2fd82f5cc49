"""One table of learners and one of optimizers: found by name, made known, written down and read
back.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest

from undertow._errors import InvalidInput
from undertow.learn import (
    SGD,
    Adam,
    AlphaNCE,
    ContrastiveDivergence,
    MetropolisDivergence,
    Options,
    RatioMatching,
    register_learner,
    register_optimizer,
    registry,
)
from undertow.learn.registry import (
    check_known,
    described,
    find_learner,
    find_optimizer,
    restored,
)

PLAIN = AlphaNCE(
    noise_level=0.0, uniform=False, sharpness=1.0, visible_bias="learned", normaliser="learned"
)


pytestmark = pytest.mark.usefixtures("own_tables")


@dataclass(frozen=True)
class Halving(Options):
    """A learner and an optimizer of one's own, of sorts."""

    pair: tuple[float, float] = (0.5, 0.25)
    times: int = 2

    def begin(self, *arguments: Any) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("name", "learner"),
    [
        ("alpha-nce", AlphaNCE()),
        ("nce", PLAIN),
        ("cd", ContrastiveDivergence()),
        ("pcd", ContrastiveDivergence(persistent=True)),
        ("mh-cd", MetropolisDivergence()),
        ("ratio-matching", RatioMatching()),
    ],
)
def test_learners_have_names(name: str, learner: Any) -> None:
    assert find_learner(name) == learner


def test_optimizers_have_names() -> None:
    assert (find_optimizer("adam"), find_optimizer("sgd")) == (Adam(), SGD())


def test_options_that_are_given_are_taken_as_they_are() -> None:
    learner, optimizer, own = AlphaNCE(n_noise=3), SGD(l2=0.5), Halving()
    assert find_learner(learner) is learner
    assert find_optimizer(optimizer) is optimizer
    assert find_learner(own) is own  # whether it is known or not


@pytest.mark.parametrize("wrong", ["abacus", "adam", None, 3, AlphaNCE, ["cd"], Adam(), SGD()])
def test_what_is_no_learner_is_named(wrong: Any) -> None:
    message = (
        f"learner must be one of 'alpha-nce', 'nce', 'cd', 'pcd', 'mh-cd', 'ratio-matching', or a "
        f"learner's options, got {wrong!r}"
    )
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        find_learner(wrong)


@pytest.mark.parametrize("wrong", ["auto", "cd", None, Adam, AlphaNCE()])
def test_what_is_no_optimizer_is_named(wrong: Any) -> None:
    message = (
        f"optimizer must be 'auto', one of 'adam', 'sgd', or an optimizer's options, got {wrong!r}"
    )
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        find_optimizer(wrong)


def test_one_of_ones_own_is_made_known() -> None:
    assert register_learner("halving", times=5)(Halving) is Halving
    register_optimizer("halving")(Halving)
    assert find_learner("halving") == Halving(times=5)
    assert find_optimizer("halving") == Halving()
    register_learner("halving", times=6)(Halving)  # a module that is loaded again
    assert find_learner("halving") == Halving(times=6)


def test_a_class_of_the_same_name_from_elsewhere_is_refused() -> None:
    taken = type("Adam", (Halving,), {"__module__": "elsewhere"})
    with pytest.raises(
        InvalidInput, match=r"^Adam must have a name of its own, got one that is taken$"
    ):
        register_optimizer("mine")(taken)
    assert "mine" not in registry.OPTIMIZERS


@pytest.mark.parametrize("register", [register_learner, register_optimizer])
def test_a_name_has_one_meaning(register: Any) -> None:
    kind = "learner" if register is register_learner else "optimizer"
    for name in ("auto", "cd" if kind == "learner" else "sgd"):
        message = f"name must be one that no {kind} has yet, got {name!r}"
        with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
            register(name)(Halving)


class Loose:
    """Begins, but has no options that could be written down."""

    def begin(self, *arguments: Any) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class Idle(Options):
    """Has options, but does not begin."""


@dataclass
class Fluid(Options):
    """Is not frozen."""

    times: int = 1

    def begin(self, *arguments: Any) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize("wrong", [Loose, Idle, Fluid, Halving(), "Halving"])
def test_what_cannot_be_registered_is_refused(wrong: Any) -> None:
    message = (
        f"what is registered must be a frozen dataclass with a method begin that inherits from "
        f"undertow.learn.Options, got {wrong!r}"
    )
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        register_learner("wrong")(wrong)
    assert "wrong" not in registry.LEARNERS


def test_one_that_is_in_both_tables_is_found_in_both() -> None:
    register_learner("halving")(Halving)
    own = Halving()
    assert find_learner(own) is own
    with pytest.raises(InvalidInput, match=r"^optimizer must be 'auto', one of"):
        find_optimizer(own)  # known, but as a learner
    register_optimizer("halving")(Halving)
    assert find_optimizer(own) is own


def _defined_again() -> type[Options]:
    """As a cell of a notebook that is run twice: the module has not got it, or an older one."""

    @dataclass(frozen=True)
    class Local(Options):
        times: int = 1

        def begin(self, *arguments: Any) -> Any:
            raise NotImplementedError

    return Local


def test_the_class_that_was_defined_last_counts() -> None:
    first = register_learner("local")(_defined_again())
    register_optimizer("also")(first)
    second = register_learner("local")(_defined_again())
    found: list[Any] = [find_learner("local"), find_optimizer("also")]
    found.append(restored(described(first(times=3))))  # type: ignore[call-arg]
    assert [type(one) for one in found] == [second] * 3


@pytest.mark.parametrize(
    "options",
    [
        AlphaNCE(noise_level=(0.2, 0.9), sharpness="auto"),
        PLAIN,
        ContrastiveDivergence(3, words="exact"),
        Adam(moments="element", momentum=0.9),
        SGD(early_steps=4),
        Halving((0.1, 0.2), 7),
        Halving(((0.1, 0.2), (0.3, ())), 7),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_what_is_written_down_is_read_back(options: Any) -> None:
    """Also by way of JSON, which has no tuples."""
    register_learner("halving")(Halving)
    description = described(options)
    assert description["kind"] == type(options).__name__
    again = restored(json.loads(json.dumps(description)))
    assert again == options
    assert type(again) is type(options)


def test_one_that_is_not_known_is_neither_written_nor_read() -> None:
    what_to_do = r": import the module that defines it, with undertow\.learn\.register_learner or "
    with pytest.raises(
        InvalidInput, match=f"^Halving must be registered before it is saved{what_to_do}"
    ):
        described(Halving())
    register_learner("halving")(Halving)
    description = described(Halving())
    check_known("learner", "halving")
    del registry.LEARNERS["halving"]
    with pytest.raises(
        InvalidInput, match=f"^Halving must be registered before it is loaded{what_to_do}"
    ):
        restored(description)
    with pytest.raises(
        InvalidInput, match=f"^learner 'halving' must be registered before it is loaded{what_to_do}"
    ):
        check_known("learner", "halving")


def test_names_that_a_stored_model_may_have() -> None:
    for argument, names in {
        "learner": ("alpha-nce", "pcd", "mh-cd", "ratio-matching"),
        "optimizer": ("auto", "adam", "sgd"),
    }.items():
        for name in (*names, None, AlphaNCE()):
            check_known(argument, name)
    with pytest.raises(InvalidInput, match=r"^optimizer 'rprop' must be registered"):
        check_known("optimizer", "rprop")


def test_another_class_of_the_same_name_is_not_taken_for_it() -> None:
    register_learner("halving")(Halving)
    other = type("Halving", (Halving,), {"__module__": "elsewhere"})
    with pytest.raises(InvalidInput, match=r"^Halving must be registered before it is saved"):
        described(other())
