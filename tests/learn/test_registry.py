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
    Options,
    register_learner,
    register_optimizer,
    registry,
)
from undertow.learn.registry import described, find_learner, find_optimizer, restored

PLAIN = AlphaNCE(
    noise_level=0.0, uniform=False, sharpness=1.0, visible_bias="learned", normaliser="learned"
)


@pytest.fixture(autouse=True)
def tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test makes known is forgotten after it."""
    for name in ("LEARNERS", "OPTIMIZERS"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))


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


@pytest.mark.parametrize("wrong", ["abacus", "adam", None, 3, AlphaNCE, ["cd"]])
def test_what_is_no_learner_is_named(wrong: Any) -> None:
    message = (
        f"learner must be one of 'alpha-nce', 'nce', 'cd', 'pcd', or a learner's options, "
        f"got {wrong!r}"
    )
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        find_learner(wrong)


@pytest.mark.parametrize("wrong", ["auto", "cd", None, Adam])
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
    taken = type("Adam", (Options,), {"__module__": "elsewhere"})
    with pytest.raises(
        InvalidInput, match=r"^Adam must have a name of its own, got one that is taken$"
    ):
        register_optimizer("mine")(taken)
    assert "mine" not in registry.OPTIMIZERS


@pytest.mark.parametrize(
    "options",
    [
        AlphaNCE(noise_level=(0.2, 0.9), sharpness="auto"),
        PLAIN,
        ContrastiveDivergence(3, words="exact"),
        Adam(moments="element", momentum=0.9),
        SGD(early_steps=4),
        Halving((0.1, 0.2), 7),
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
    with pytest.raises(InvalidInput, match=r"^Halving must be registered before it is saved \("):
        described(Halving())
    register_learner("halving")(Halving)
    description = described(Halving())
    del registry.LEARNERS["halving"]
    with pytest.raises(
        InvalidInput,
        match=r"^Halving must be registered before a model that was trained with it is loaded \(",
    ):
        restored(description)
