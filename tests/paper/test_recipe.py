"""Recipes become the estimators that they describe, and the tables of settings the recipes that
they should.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from undertow.learn import SGD, Adam, AlphaNCE, ContrastiveDivergence
from undertow.paper import settings
from undertow.paper.recipe import Recipe, estimator, learner, normalised
from undertow.paper.scale import FULL, QUICK, Scale
from undertow.paper.texts import NEWSGROUPS, REVIEWS


def test_faithful_recipe_is_the_papers() -> None:
    recipe = settings.faithful(NEWSGROUPS, "α-NCE 25 idf")
    model = estimator(recipe, hidden=128, seed=3)
    assert model.learner == AlphaNCE(n_noise=25, noise_level=0.5, sharpness=1.0)
    assert model.learner.uniform
    whole: dict[str, Any] = {
        "learning_rate": 0.1 * 128,
        "l2": 1e-4 / 128,
    }  # for the sum over a minibatch, not its mean
    momentum: dict[str, Any] = {"momentum": 0.9, "early_momentum": 0.5, "early_steps": 500}
    assert model.optimizer == SGD(**whole, **momentum, hidden_bias_rate=0.01)
    assert (model.n_components, model.batch_size, model.random_state, model.n_jobs) == (
        128,
        128,
        3,
        1,
    )
    assert not model.early_stopping
    assert (model.sparsity_cost, model.averaging) == (0.0, 0.0)
    assert (model.weighting, model.count_transform) == ("idf", "log")
    assert model.max_epochs == recipe.epochs == 60


def test_noise_levels_are_the_papers() -> None:
    assert settings.faithful(NEWSGROUPS, "α-NCE 5").noise_level == 0.5
    assert settings.faithful(REVIEWS, "α-NCE 5").noise_level == 0.3


def test_nce_is_without_the_uniform_estimate() -> None:
    nce = AlphaNCE(n_noise=25, noise_level=0.0, uniform=False, sharpness=1.0, normaliser="frozen")
    assert learner(settings.faithful(NEWSGROUPS, "NCE")) == nce
    assert learner(settings.tuned(NEWSGROUPS, "NCE")) == nce


def test_divergence_has_its_gibbs_steps_and_adam() -> None:
    model = estimator(settings.tuned(NEWSGROUPS, "CD-5"), hidden=128, seed=0)
    assert model.learner == ContrastiveDivergence(n_steps=5)
    assert isinstance(model.optimizer, Adam)
    assert model.weighting is None


def test_options_without_a_field_are_passed_on() -> None:
    recipe = Recipe(
        learner_options=(("stream_length", 99),),
        optimizer_options=(("decay", 0.9),),
        estimator_options=(("features", "activation"),),
    )
    model = estimator(recipe, hidden=4, seed=0)
    assert (model.learner.stream_length, model.optimizer.decay, model.features) == (
        99,
        0.9,
        "activation",
    )


def test_model_may_have_numbers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.TUNED_CHANGES, (NEWSGROUPS, "CD-1 idf"), {"l2": 0.5})
    assert settings.tuned(NEWSGROUPS, "CD-1 idf").l2 == 0.5
    assert settings.tuned(NEWSGROUPS, "CD-1").l2 != 0.5


@pytest.mark.parametrize("data", [NEWSGROUPS, REVIEWS])
@pytest.mark.parametrize("model", settings.MODELS)
def test_every_model_has_both_recipes(data: str, model: str) -> None:
    for family in settings.FAMILIES.values():
        recipe = family(data, model)
        assert recipe.weighting == ("idf" if model.endswith("idf") else None)
        estimator(recipe, hidden=128, seed=0)  # its options are checked when made


def test_what_a_learner_does_not_use_is_not_remembered() -> None:
    changes: dict[str, Any] = {
        "n_noise": 7,
        "noise_level": 0.1,
        "sharpness": 3.0,
        "momentum": 0.5,
        "patience": 9,
        "sparsity_target": 0.3,
    }
    changed = replace(settings.TUNED_CD, **changes)
    assert normalised(changed) == normalised(settings.TUNED_CD)
    assert normalised(replace(changed, n_steps=5)) != normalised(changed)
    full = replace(settings.TUNED_NCE, early_stopping=True, optimizer="sgd")
    assert normalised(replace(full, **changes)) == replace(full, **changes)


def test_scales_shrink() -> None:
    assert FULL.corpus(settings.POSTS) == settings.POSTS
    assert FULL.recipe(settings.TUNED_CD) == settings.TUNED_CD
    small = Scale(
        "small", documents=10, most_words=100, most_hidden=16, most_epochs=3, made_up=True
    )
    assert small.corpus(settings.POSTS).data == "made-up posts"
    assert small.corpus(replace(settings.POSTS, words=None)).words == 100
    assert small.corpus(replace(settings.POSTS, words=50)).words == 50
    assert (small.hidden(512), small.hidden(8)) == (16, 8)
    assert small.recipe(Recipe(epochs="auto")).epochs == 3
    assert small.recipe(Recipe(epochs=2)).epochs == 2
    assert QUICK.seeds == 1
    assert FULL.seeds == 3
