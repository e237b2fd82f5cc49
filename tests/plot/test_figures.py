"""Figures hold what the model and the overview say, and nothing that documents could make them do."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.plot.hostile import SCRIPT
from undertow import InvalidInput, ReplicatedSoftmax, TopicModel, plot
from undertow.insight import Overview, topic_names, topic_similarity
from undertow.plot import _groups, _look, _over_time, _similarity, _times

Make = Callable[[TopicModel, Overview, list[str]], Any]
Figures = Callable[[str], Any]
FIGURES: dict[str, Make] = {
    "topics": lambda model, overview, texts: plot.topics(model),
    "topic": lambda model, overview, texts: plot.topic(model, 2),
    "history": lambda model, overview, texts: plot.history(model),
    "similarity": lambda model, overview, texts: plot.similarity(model),
    "by topic": lambda model, overview, texts: plot.documents(overview, model, texts=texts),
    "by label": lambda model, overview, texts: plot.documents(overview, model, colour="label"),
    "by time": lambda model, overview, texts: plot.documents(overview, model, colour="time", texts=texts),
    "over time": lambda model, overview, texts: plot.over_time(overview, model),
}


def strings(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a figure, with the name that it stands under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from strings(part, name)
    elif isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype.kind in "OU"):
        for part in value:
            yield from strings(part, key)


@pytest.fixture
def figures(model: TopicModel, overview: Overview, table: pl.DataFrame) -> Figures:
    return lambda name: FIGURES[name](model, overview, table["text"].to_list())


@pytest.mark.parametrize("name", FIGURES)
def test_only_our_own_markup_is_in_a_figure(name: str, figures: Figures) -> None:
    found = list(strings(figures(name).to_plotly_json()))
    assert found
    for key, text in found:
        left = re.sub(r"</?b>|<br>|<extra></extra>", "", text)
        assert not re.search(r"[<>$]", left), (key, text)
        if key == "hovertemplate":  # the only strings in which %{...} means something
            assert "hacked" not in text


@pytest.mark.parametrize("name", FIGURES)
def test_backgrounds_let_the_page_through(name: str, figures: Figures) -> None:
    layout = figures(name).layout
    assert (layout.paper_bgcolor, layout.plot_bgcolor) == (None, None)
    assert layout.template.layout.paper_bgcolor == layout.template.layout.plot_bgcolor == "rgba(0, 0, 0, 0)"


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_figure_twice(name: str, figures: Figures) -> None:
    assert figures(name).to_json() == figures(name).to_json()


def test_bars_are_the_pushes_of_the_words(model: TopicModel) -> None:
    first = plot.topics(model, 1, n_words=5).data[0]
    words = sorted(model.units(n_words=5)[0].up, key=lambda weight: -weight.weight)
    assert list(first.x) == [weight.weight for weight in words]
    figure = plot.topic(model, 2, n_words=5)
    weights = {topic.id: topic for topic in model.units(n_words=5)}[2]
    assert sorted(figure.data[0].x) == sorted(word.weight for word in (*weights.up, *weights.down))
    assert len(figure.layout.yaxis.ticktext) == len(figure.data[0].y)


def test_a_model_of_counts_has_topics_and_history_too() -> None:
    counts = np.random.default_rng(0).integers(0, 3, (60, 30))
    fitted = ReplicatedSoftmax(4, max_epochs=3, random_state=0).fit(counts)
    assert len(plot.topics(fitted, 2).data) == 2
    assert list(plot.history(fitted).data[0].x) == [1, 2, 3]


def test_history_is_that_of_the_model(model: TopicModel) -> None:
    records = model.softmax_.history_
    curves = plot.history(model).data
    assert list(curves[0].y) == [record.loss for record in records]
    assert list(curves[1].y) == [record.split_half for record in records]
    assert list(curves[2].y) == [record.activity for record in records]
    assert [len(figure.data) for figure in plot._history.panel_figures(model)] == [1] * len(curves)


def test_similar_topics_stand_beside_each_other(model: TopicModel) -> None:
    figure = plot.similarity(model, 4)
    assert figure.data[0].z.shape == (4, 4)
    whole = plot.similarity(model)
    order = [int(name.rsplit(" ", 1)[1]) for name in whole.data[0].x]
    assert sorted(order) == list(range(6))
    np.testing.assert_allclose(whole.data[0].z, topic_similarity(model)[np.ix_(order, order)], atol=6e-4)
    blocks = np.kron(np.eye(3), np.ones((4, 4)))
    shuffled = np.random.default_rng(0).permutation(12)
    order_found = shuffled[_similarity.like_beside_like(blocks[np.ix_(shuffled, shuffled)].astype(np.float32))]
    assert [len(set(part // 4)) for part in np.split(order_found, 3)] == [1, 1, 1]


@pytest.mark.parametrize("colour", ["topic", "label"])
def test_every_document_is_in_one_group(model: TopicModel, overview: Overview, colour: str) -> None:
    rows = _groups.shown_rows(overview, 1000)
    found = _groups.groups(overview, model, colour, rows)
    np.testing.assert_array_equal(np.sort(np.concatenate([group.rows for group in found])), rows)
    codes, names = (overview.topics, topic_names(model)) if colour == "topic" else (overview.label_of, overview.labels)
    for group in found:
        if group.id >= 0:
            assert (codes[group.rows] == group.id).all()
            assert group.name == names[group.id]
    sizes = [len(group.rows) for group in found if group.id >= 0]
    assert sizes == sorted(sizes, reverse=True)


def test_documents_without_a_known_word_are_not_on_the_map(model: TopicModel, overview: Overview) -> None:
    figure = plot.documents(overview, model)
    assert sum(len(trace.x) for trace in figure.data) == 119
    assert figure.layout.title.text == "119 documents of 120"


def test_a_sample_is_taken_of_many(model: TopicModel, overview: Overview) -> None:
    figure = plot.documents(overview, model, most=50)
    assert sum(len(trace.x) for trace in figure.data) == 50
    rows = _groups.shown_rows(overview, 50)
    np.testing.assert_array_equal(rows, _groups.shown_rows(overview, 50))
    assert len(set(rows.tolist())) == 50


def test_hover_shows_the_text_itself(model: TopicModel, overview: Overview, table: pl.DataFrame) -> None:
    texts = table["text"].to_list()
    figure = plot.documents(overview, model, texts=texts)
    shown = "".join(text for trace in figure.data for text in trace.customdata)
    assert SCRIPT in texts[0] + texts[2] + texts[4] + texts[6]
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;" in shown.replace("<br>", " ")
    assert "&lt;u&gt;0&lt;/u&gt;" in shown


def test_names_on_the_map_do_not_cover_each_other(overview: Overview) -> None:
    group = _groups.Group("one", "#000000", "circle", np.arange(100), 0)
    twins = [group, replace(group, name="two"), replace(group, id=-1, name="rest")]
    assert [place.name for place in _groups.places(overview, twins)] == ["one"]
    points = np.concatenate([np.full((30, 2), 0.2), np.full((10, 2), 0.9)])
    assert _groups._thickest(points) == (0.2, 0.2)


def test_topics_over_time_are_those_of_the_overview(model: TopicModel, overview: Overview) -> None:
    series = overview.over_time
    assert series is not None
    figure = plot.over_time(overview, model, [3, 1])
    filled = series.documents > 0
    np.testing.assert_array_equal(figure.data[0].y[filled], series.share[filled, 3])
    np.testing.assert_array_equal(figure.data[1].y[filled], series.share[filled, 1])
    np.testing.assert_array_equal(figure.data[2].y, series.documents)
    assert len(plot.over_time(overview, model).data) == 7


def test_topics_that_change_most_are_shown(overview: Overview) -> None:
    assert overview.over_time is not None
    share = np.zeros((4, 6))
    share[:, 1], share[:, 2], share[:, 5] = (0, 0, 1, 1), 0.9, (0.1, 0.1, 0.2, 0.2)
    series = replace(overview.over_time, documents=np.full(4, 10), share=share, edges=np.arange(5.0))
    assert _over_time.changing_most(series, 2) == [1, 5]


def test_times_are_written_as_exactly_as_they_need_to_be() -> None:
    second = float(np.datetime64("2021-03-04T05:06:07").astype(np.int64))
    day = 86_400.0
    assert _times.written(second, "date", 1000.0) == "2021-03-04 05:06:07"
    assert _times.written(second, "date", 30 * day) == "2021-03-04"
    assert _times.written(second, "date", 3000 * day) == "2021-03"
    assert (_times.written(1993.0, "number", 20.0), _times.written(0.25, "number", 1.0)) == ("1993", "0.25")
    assert str(_times.axis_values(np.array([second]), "date")[0]) == "2021-03-04T05:06:07.000"
    assert _times.scale_ticks(np.array([5.0, np.nan]), "number") == ([5.0], ["5"])


def test_what_is_asked_for_has_to_be_there(model: TopicModel, overview: Overview) -> None:
    bare = replace(overview, labels=(), times=None, time_kind=None, over_time=None)
    assert _groups.colourings(bare) == ["topic"]
    assert _groups.colourings(overview) == ["topic", "label", "time"]
    with pytest.raises(InvalidInput, match="colour must be one of"):
        plot.documents(overview, model, colour="red")
    for colour in ("label", "time"):
        with pytest.raises(InvalidInput, match="which they lack"):
            plot.documents(bare, model, colour=colour)
    with pytest.raises(InvalidInput, match="must be of documents with times"):
        plot.over_time(bare, model)
    with pytest.raises(InvalidInput, match="topics must be numbers from 0 to 5, got 6"):
        plot.over_time(overview, model, [6])
    with pytest.raises(InvalidInput, match="id must be the number of a topic, got 99"):
        plot.topic(model, 99)
    with pytest.raises(InvalidInput, match="texts must hold 120 texts"):
        plot.documents(overview, model, texts=["one"])


def test_without_plotly_the_extra_is_named(model: TopicModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_look, "find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match=r"pip install 'undertow\[explorer\]'"):
        plot.topics(model)


def test_importing_it_loads_no_plotly() -> None:
    code = "import sys, undertow.plot; print([name for name in ('plotly', 'jinja2') if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
