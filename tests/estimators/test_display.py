"""What a notebook shows of an estimator: topics and figures, escaped, and scikit-learn's own
diagram below them.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline

from undertow import ReplicatedSoftmax, TopicModel

HOSTILE = "<script>window.hacked=1</script>"
NAME = "<img src=x onerror=alert(1)> & 'name'"


@pytest.fixture(scope="module")
def model() -> TopicModel:
    generator = np.random.default_rng(0)
    words = f"{HOSTILE} apple pear plum cherry <b>grape</b> melon".split()
    texts = [" ".join(generator.choice(words, 8)) for _ in range(60)]
    model = TopicModel(15, token_pattern=r"\S+", max_epochs=5, early_stopping=True, random_state=0)
    model.fit(texts)
    model.name_units({model.units()[0].id: NAME})
    return model.rename_topic(model.topics()[0].id, NAME)


class Tags(HTMLParser):
    """The elements of a page, and whether each one that opens is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def ours(estimator: BaseEstimator) -> str:
    """What stands before scikit-learn's part."""
    shown: str = estimator._repr_mimebundle_()["text/html"]
    theirs = BaseEstimator._repr_mimebundle_(estimator)["text/html"]
    without_numbers = re.compile(
        r"sk-container-id-\d+|sk-estimator-id-\d+"
    )  # counted up at each call
    shown, theirs = without_numbers.sub("", shown), without_numbers.sub("", theirs)
    assert shown.endswith(theirs)
    return shown[: -len(theirs)]


def test_topics_and_figures_are_shown(model: TopicModel) -> None:
    shown = ours(model)
    record = model.softmax_.history_[-1]
    assert f"{len(model.topics())} topics, 15 units over {len(model.words())} words" in shown
    assert f"last loss {record.loss:.4f}" in shown
    assert f"split-half {record.split_half:.3f}" in shown
    for topic in model.topics():
        assert f"{topic.share:.1%}" in shown


def test_nothing_of_a_word_or_a_name_is_markup(model: TopicModel) -> None:
    shown = ours(model)
    assert "&lt;img src=x onerror=alert(1)&gt; &amp; &#x27;name&#x27;" in shown
    tags = Tags()
    tags.feed(shown)
    assert (tags.open, tags.seen) == (
        [],
        {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"},
    )


def test_both_ways_of_displaying_agree(model: TopicModel) -> None:
    assert ours(model) in model._repr_html_()
    assert set(model._repr_mimebundle_(include=None, exclude=None)) == {"text/plain", "text/html"}


def test_a_model_of_counts_is_shown_too(model: TopicModel) -> None:
    shown = ours(model.softmax_)
    assert "<b>ReplicatedSoftmax</b>: 15 units" in shown
    assert "and 3 more" in shown
    for unit in model.units()[:12]:
        assert f"{unit.activity:.1%}" in shown


@pytest.mark.parametrize("estimator", [TopicModel(3), ReplicatedSoftmax(3)])
def test_one_that_is_not_fitted_is_as_scikit_learn_shows_it(estimator: BaseEstimator) -> None:
    assert ours(estimator) == ""


def test_display_as_text_stays_text(model: TopicModel) -> None:
    with sklearn.config_context(display="text"):
        assert set(model._repr_mimebundle_()) == {"text/plain"}
        assert not hasattr(model, "_repr_html_")


def test_inside_a_pipeline_the_diagram_is_that_of_scikit_learn(model: TopicModel) -> None:
    shown = make_pipeline(model)._repr_mimebundle_()["text/html"]
    assert "TopicModel" in shown
    assert "<b>TopicModel</b>" not in shown


def test_a_loaded_model_is_shown(
    model: TopicModel, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from undertow import load

    folder = tmp_path_factory.mktemp("saved") / "model"
    model.save(folder)
    assert ours(load(folder)) == ours(model)
