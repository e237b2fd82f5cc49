"""The models that benchmarks/family.py compares, and its tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from benchmarks import family
from undertow.learn import MetropolisDivergence, RatioMatching
from undertow.paper.corpora import Counted


@pytest.mark.parametrize("name", family.MODELS)
def test_models_are_what_they_are_called(name: str) -> None:
    model = family.MODELS[name](3)
    assert (model.n_components, model.random_state) == (128, 3)
    assert model.weighting == ("idf" if name.endswith("idf") else None)
    kinds = {"MH-CD": MetropolisDivergence, "ratio matching": RatioMatching}
    expected = kinds.get(name.removesuffix(", idf"))
    assert expected is None or type(model.learner) is expected


def test_by_metropolis_hastings_all_but_the_learner_is_that_of_divergence() -> None:
    ours, theirs = (family.MODELS[name](0).get_params(deep=False) for name in ("MH-CD", "CD-1"))
    assert [name for name in ours if ours[name] != theirs[name]] == ["learner"]


def test_a_model_is_judged() -> None:
    counts = sparse.csr_array(np.random.default_rng(0).poisson(0.5, (60, 30)))
    labels = np.array(["one", "two"] * 30)
    counted = Counted(counts, counts[:20], labels, labels[:20])
    model = family.by_ratios("idf", 0).set_params(n_components=4, max_epochs=1)
    found = family.judged(model, counted, temperatures=10, chains=5)
    assert len(found.figures) == len(family.FIGURES)
    assert all(0.0 <= value <= 1.0 for value in found.figures)
    assert found.density == ()  # with word weights it is none


def test_without_word_weights_a_model_has_a_perplexity() -> None:
    counts = sparse.csr_array(np.random.default_rng(0).poisson(0.5, (60, 30)))
    labels = np.array(["one", "two"] * 30)
    model = family.plain(0, learner="cd", n_components=4, max_epochs=1)
    counted = Counted(counts, counts[:20], labels, labels[:20])
    found = family.judged(model, counted, temperatures=10, chains=5)
    assert len(found.density) == len(family.DENSITY)
    value, low, high, _, unigram = found.density
    assert low <= value <= high
    assert 1.0 < value < 60.0  # of 30 words
    assert 1.0 < unigram < 60.0
    assert f"perplexity {value:.1f} low" in found.in_words()
    row = family._row("CD", [found, found])
    assert row[4] == f"{value:.0f} ± 0"
    assert row[-1] == "2"


def test_figures_have_their_spread() -> None:
    assert family._with_spread((0.5,)) == ".500"
    assert family._with_spread((0.5, 0.7)) == ".600 ± .141"
