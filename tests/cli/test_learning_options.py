"""The options of `undertow fit` that say how it is learned, and one set of defaults for all ways to
ask for a model.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.search.conftest import make_table
from tests.shell import Run
from undertow import AlphaNCE, ReplicatedSoftmax, TopicModel, load
from undertow.cli.fit import fit
from undertow.engines import Session
from undertow.estimators import _training
from undertow.learn import (
    SGD,
    Adam,
    ContrastiveDivergence,
    Options,
    Settings,
    Sparsity,
    defaults,
    register_learner,
    register_optimizer,
)
from undertow.learn.alpha_nce import SHARPNESS
from undertow.learn.registry import LEARNERS, OPTIMIZERS, find_learner, find_optimizer


class _Asked(Exception):
    """Instead of training."""


@pytest.fixture
def asked(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The model that a command is about to fit."""
    corpus = tmp_path / "corpus.parquet"
    make_table().write_parquet(corpus)
    models: list[TopicModel] = []

    def fitting(model: TopicModel, *_: Any) -> bool:
        models.append(model)
        raise _Asked

    monkeypatch.setattr("undertow.cli.fit._fit", fitting)

    def ask(*options: Any) -> TopicModel:
        with pytest.raises(_Asked):
            run("fit", corpus, "--out", tmp_path / "made", *options)
        return models.pop()

    return ask


@pytest.fixture
def refused(run: Run, tmp_path: Path) -> Any:
    corpus = tmp_path / "corpus.parquet"
    make_table().write_parquet(corpus)

    def ask(*options: Any) -> str:
        code, _, err = run("fit", corpus, "--out", tmp_path / "made", *options)
        assert code == 2
        return " ".join(err.split()).removeprefix("undertow: ")

    return ask


ONE_LAYER = {name: entry for name, entry in LEARNERS.items() if entry.layers == 1}


@pytest.mark.parametrize("learner", ONE_LAYER)
@pytest.mark.parametrize("optimizer", ["auto", *OPTIMIZERS])
def test_every_name_of_the_tables_is_taken(asked: Any, learner: str, optimizer: str) -> None:
    model = asked("--learner", learner, "--optimizer", optimizer)
    assert (model.learner, model.optimizer) == (learner, optimizer)


@pytest.mark.parametrize("learner", sorted(LEARNERS.keys() - ONE_LAYER.keys()))
def test_learners_of_two_layers_are_refused(refused: Any, learner: str) -> None:
    assert "learner must be" in refused("--learner", learner)


def test_help_names_what_the_tables_hold() -> None:
    hints = inspect.get_annotations(fit, eval_str=True)
    for option, table in (("learner", ONE_LAYER), ("optimizer", {"auto": None, **OPTIMIZERS})):
        said = re.findall(r"'(.*?)'", hints[option].__metadata__[0].help)
        assert sorted(said) == sorted(table)


@pytest.mark.parametrize(
    ("options", "learner", "optimizer"),
    [
        (["--n-noise", 7], AlphaNCE(n_noise=7), "auto"),
        (["--noise-level", "auto"], AlphaNCE(noise_level="auto"), "auto"),
        (
            ["--learner", "nce", "--noise-level", 0.25],
            replace(find_learner("nce"), noise_level=0.25),  # type: ignore[type-var]
            "auto",
        ),
        (["--learning-rate", 0.02], "alpha-nce", Adam(learning_rate=0.02)),
        (["--learning-rate", 0.02, "--optimizer", "sgd"], "alpha-nce", SGD(learning_rate=0.02)),
        (
            ["--learning-rate", 0.02, "--learner", "cd"],
            "cd",
            replace(ContrastiveDivergence.usual_optimizer(), learning_rate=0.02),
        ),
    ],
    ids=str,
)
def test_options_change_what_a_name_stands_for(
    asked: Any, options: list[Any], learner: Any, optimizer: Any
) -> None:
    model = asked(*options)
    assert (model.learner, model.optimizer) == (learner, optimizer)


@dataclass(frozen=True)
class Own(Options):
    """Of one's own, with one option of the command's."""

    n_noise: int = 3

    def begin(self, session: Session, *arguments: Any) -> Any:
        raise NotImplementedError


@pytest.mark.usefixtures("own_tables")
def test_one_of_ones_own_goes_by_its_name_and_options(asked: Any, refused: Any) -> None:
    register_learner("own", n_noise=4)(Own)
    register_optimizer("own")(Own)
    model = asked("--learner", "own", "--optimizer", "own")
    assert (model.learner, model.optimizer) == ("own", "own")
    assert asked("--learner", "own", "--n-noise", 9).learner == Own(9)
    own = ("--learner", "own", "--optimizer", "own")
    assert refused(*own, "--noise-level", 0.5) == (
        "--noise-level must be used with a learner of noise, got 'own'"
    )
    assert refused(*own, "--learning-rate", 0.5) == (
        "--learning-rate must be used with an optimizer that has one, got 'own'"
    )


def test_wrong_names_are_told(refused: Any) -> None:
    assert refused("--optimizer", "lion") == (
        "--optimizer must be one of 'auto', 'adam', 'sgd', got 'lion'"
    )
    assert refused("--learner", "em") == (
        "--learner must be one of 'alpha-nce', 'nce', 'cd', 'pcd', 'mh-cd', 'ratio-matching', "
        "got 'em'"
    )


@pytest.mark.parametrize(("given", "replicas"), [((), "auto"), (("--replicas", 3), 3)])
def test_replicas_are_asked_for(asked: Any, given: tuple[Any, ...], replicas: Any) -> None:
    assert asked(*given).replicas == replicas


@pytest.mark.parametrize("given", [0, -2, "many"])
def test_wrong_numbers_of_replicas_are_told(refused: Any, given: Any) -> None:
    assert "Invalid value for '--replicas'" in refused("--replicas", given)


def test_replicas_that_a_learner_cannot_have_are_told(run: Run, tmp_path: Path) -> None:
    make_table().write_parquet(tmp_path / "corpus.parquet")
    given = ("--learner", "pcd", "--replicas", 2, "--n-components", 4, "--quiet")
    code, _, err = run("fit", tmp_path / "corpus.parquet", "--out", tmp_path / "made", *given)
    assert (code, "replicas must be 1 with this learner" in " ".join(err.split())) == (2, True)


def test_a_model_of_replicas_is_the_same_on_any_number_of_threads(run: Run, tmp_path: Path) -> None:
    """From the command line: two replicas, on one thread and on two."""
    make_table().write_parquet(tmp_path / "corpus.parquet")
    given = ("--replicas", 2, "--n-components", 4, "--max-epochs", 3, "--batch-size", 4)
    found = []
    for n_jobs in (1, 2):
        out = tmp_path / f"model{n_jobs}"
        code, _, err = run(
            "fit", tmp_path / "corpus.parquet", "--out", out, *given, "--quiet", "--n-jobs", n_jobs
        )
        assert code == 0, err
        model: Any = load(out)
        assert model.replicas == 2
        found.append(model.softmax_.components_)
    np.testing.assert_array_equal(found[0], found[1])


# One set of defaults


def settings_of(model: Any, length: float = defaults.LONG) -> Settings:
    """What an estimator hands on for documents of usual length, neither few nor short."""
    made = ReplicatedSoftmax(
        **{name: getattr(model, name) for name in ReplicatedSoftmax().get_params(deep=False)}
    )
    made.typical_length_, made._seed = length, 0
    level = getattr(find_learner(made.learner), "noise_level", None)
    return _training.settings_of(made, level, defaults.STEPS, defaults.FEW)


def test_all_ways_to_ask_mean_the_same(asked: Any) -> None:
    ways: dict[str, Any] = {
        "TopicModel()": TopicModel(),
        "ReplicatedSoftmax()": ReplicatedSoftmax(),
        "by name": TopicModel(learner="alpha-nce", optimizer="adam"),
        "by its options": TopicModel(learner=AlphaNCE(), optimizer=Adam()),
        "undertow fit": asked(),
        "undertow fit --n-noise 25": asked("--n-noise", 25),
        "undertow fit --noise-level 0.7": asked("--noise-level", 0.7),
        "undertow fit --learning-rate 0.01": asked("--learning-rate", 0.01),
    }
    # "auto" is 10 where documents are not short, which a run takes for it, too
    usual = replace(Settings(), learner=AlphaNCE(sharpness=SHARPNESS))
    for way, model in ways.items():
        assert settings_of(model) == usual, way
        assert model.learner in ("alpha-nce", AlphaNCE()), way
    short = {way: settings_of(model, length=50.0) for way, model in ways.items()}
    assert len({settings.learner for settings in short.values()}) == 1
    assert short["TopicModel()"].learner != usual.learner


def test_what_the_defaults_are() -> None:
    """As README.md and the docstrings say."""
    assert find_learner("alpha-nce") == Settings().learner == AlphaNCE()
    learner = AlphaNCE()
    assert (learner.n_noise, learner.noise_level, learner.sharpness) == (25, 0.7, "auto")
    assert find_optimizer("adam") == Settings().optimizer == Adam()
    settings = Settings()
    assert (settings.sparsity, settings.averaging, settings.batch_size) == (
        Sparsity(target=0.1, cost=0.3),
        0.999,
        128,
    )
