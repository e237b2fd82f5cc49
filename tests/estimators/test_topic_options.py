"""The options of a `TopicModel` are those of its parts."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from tests.estimators.test_topic_model import make_texts
from undertow import SGD, AlphaNCE, InvalidInput, ReplicatedSoftmax, TopicModel, Vectorizer

OWN = {"vectorizer", "seeds", "memory_limit", "scratch_folder"}
QUICK: dict[str, Any] = {"max_epochs": 2, "batch_size": 32, "random_state": 0}


def parameters(of: Any) -> dict[str, inspect.Parameter]:
    return {name: one for name, one in inspect.signature(of).parameters.items() if name != "self"}


@pytest.mark.parametrize("part", [Vectorizer, ReplicatedSoftmax])
def test_each_option_of_a_part_is_one_of_the_model_with_the_same_default(part: Any) -> None:
    ours = parameters(TopicModel)
    for name, theirs in parameters(part).items():
        assert ours[name].default == theirs.default, name
        assert type(ours[name].default) is type(theirs.default), name
        assert ours[name].kind is theirs.kind or name == "vocabulary_size", name


def test_nothing_else_is_an_option_and_none_is_hidden() -> None:
    ours = parameters(TopicModel)
    assert set(ours) == {*parameters(Vectorizer), *parameters(ReplicatedSoftmax), *OWN}
    kinds = {one.kind for name, one in ours.items() if name != "n_components"}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}
    assert TopicModel().get_params(deep=False) == {name: one.default for name, one in ours.items()}
    documented = (TopicModel.__doc__ or "").partition("Attributes")[0]
    assert [name for name in ours if name not in documented] == []


def test_each_option_comes_to_its_part() -> None:
    learner = AlphaNCE(noise_level=0.6)
    words = {"vocabulary_size": 15, "stop_words": "english", "min_df": 2, "strip_html": True}
    units = {"learner": learner, "features": "strength", "sparsity_cost": 0.0, "averaging": 0.5}
    model = TopicModel(5, **words, **units, n_jobs=1, **QUICK).fit(make_texts())  # type: ignore[arg-type]
    assert words.items() <= model.vectorizer_.get_params().items()
    assert units.items() <= model.softmax_.get_params().items()
    assert model.vectorizer_.n_jobs == model.softmax_.n_jobs == 1
    assert model.transform(make_texts()).shape == (100, 5)
    assert model.softmax_.noise_level_ == 0.6


def test_a_vectorizer_beside_its_options_is_an_error() -> None:
    own = Vectorizer(min_df=2, ngram_range=(1, 2))
    for options in ({"min_df": 2}, {"stop_words": ["a"]}, {"vocabulary": np.array(["a"])}):
        (name,) = options
        with pytest.raises(
            InvalidInput,
            match=rf"vectorizer must be left out beside {name}, got Vectorizer\(.* and {name}=",
        ):
            TopicModel(5, vectorizer=own, **options, **QUICK).fit(make_texts())
    model = TopicModel(5, vectorizer=own, n_jobs=1, **QUICK).fit(make_texts())
    assert model.vectorizer_.ngram_range == (1, 2)
    assert model.vectorizer_ is not own
    assert not hasattr(own, "vocabulary_")


def test_a_grid_reaches_words_units_and_learner() -> None:
    model = TopicModel(**QUICK)
    grid = {"n_components": [3], "vocabulary_size": [5, 20]}
    found = GridSearchCV(model, grid, cv=2, error_score="raise").fit(make_texts())
    best = found.best_estimator_
    assert best.softmax_.parameters_.units == found.best_params_["n_components"]
    assert len(best.words()) == found.best_params_["vocabulary_size"]
    inside: dict[str, Any] = {"learner": [AlphaNCE(noise_level=0.5)], "learner__n_noise": [1, 2]}
    found = GridSearchCV(model, inside, cv=2, error_score="raise").fit(make_texts())
    assert found.best_estimator_.softmax_.learner.n_noise == found.best_params_["learner__n_noise"]
    assert inside["learner"][0].n_noise == AlphaNCE().n_noise


def test_options_are_reached_from_a_default_model() -> None:
    assert TopicModel().set_params(learner__n_noise=2).learner == AlphaNCE(n_noise=2)
    assert TopicModel(optimizer="sgd").set_params(optimizer__l2=0.5).optimizer == SGD(l2=0.5)
    grid = {"learner__n_noise": [1, 2]}
    found = GridSearchCV(TopicModel(5, **QUICK), grid, cv=2, error_score="raise").fit(make_texts())
    assert found.best_estimator_.softmax_.learner.n_noise in (1, 2)


def test_options_of_what_has_none_are_refused_in_words() -> None:
    with pytest.raises(
        InvalidInput,
        match="optimizer must be an object with options, of which to set optimizer__l2, got 'auto'",
    ):
        TopicModel().set_params(optimizer__l2=2)
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        TopicModel().set_params(nonsense__n_noise=2)
    model = TopicModel().set_params(learner=AlphaNCE(), learner__n_noise=2)
    assert model.learner.n_noise == 2
    own = TopicModel(vectorizer=Vectorizer()).set_params(vectorizer__min_df=3)
    assert own.vectorizer.min_df == 3


def test_a_fitted_model_follows_where_it_can() -> None:
    model = TopicModel(5, vocabulary_size=10, **QUICK).fit(make_texts())
    assert model.transform(["apple"]).shape == (1, 10)
    model.set_params(features="posterior", vocabulary_size=11, n_components=9, weighting=None)
    assert model.transform(["apple"]).shape == (1, 5)
    assert model.get_feature_names_out().shape == (5,)
    assert model.softmax_.weighting == "idf"
    model.partial_fit([*make_texts(), "quince " * 50])
    assert len(model.words()) == 11


@pytest.mark.parametrize("limit", [10**9, 0])
def test_warm_start_goes_on_with_the_same_words(limit: int) -> None:
    model = TopicModel(5, vocabulary_size=15, warm_start=True, memory_limit=limit, **QUICK)
    words = model.fit(make_texts()).words()
    model.fit([f"{text} quince" for text in make_texts(seed=1)])
    assert model.words() == words
    assert model.softmax_.n_iter_ == 4
    assert len(model.softmax_.history_) == 4
    assert model.atlas_.documents == 100
    anew = clone(model).set_params(warm_start=False).fit(make_texts())
    assert anew.softmax_.n_iter_ == 2
