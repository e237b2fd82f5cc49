"""Figures hold what the model and the overview say, and nothing that documents could make them
do.
"""

from __future__ import annotations

import copy
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
from undertow.insight import Overview, topic_similarity
from undertow.plot import (
    _places,
    _similarity,
    colour_groups,
    palette,
    time_axis,
    topic_colours,
)
from undertow.topics import TopicChoice, atlas

_GRID = np.linspace(0.05, 0.95, 15)
Make = Callable[[TopicModel, Overview, list[str]], Any]
Figures = Callable[[str], Any]
FIGURES: dict[str, Make] = {
    "icicle": lambda model, overview, texts: plot.tree(model, 5),
    "sunburst": lambda model, overview, texts: plot.tree(model, 5, kind="sunburst"),
    "topics": lambda model, overview, texts: plot.topics(model, 4),
    "topic": lambda model, overview, texts: plot.topic(model, model.topics(4)[0].id),
    "units": lambda model, overview, texts: plot.units(model),
    "unit": lambda model, overview, texts: plot.unit(model, 2),
    "stability": lambda model, overview, texts: plot.stability(model.choose_topics()),
    "history": lambda model, overview, texts: plot.history(model),
    "similarity": lambda model, overview, texts: plot.similarity(model, 4),
    "by topic": lambda model, overview, texts: plot.map(overview, model, 4, texts=texts),
    "by label": lambda model, overview, texts: plot.map(overview, model, colour="label"),
    "by time": lambda model, overview, texts: plot.map(overview, model, colour="time", texts=texts),
    "over time": lambda model, overview, texts: plot.over_time(overview, model),
}


def strings(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a figure, with the name that it stands under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from strings(part, name)
    elif isinstance(value, (list, tuple)) or (
        isinstance(value, np.ndarray) and value.dtype.kind in "OU"
    ):
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
    assert (
        layout.template.layout.paper_bgcolor
        == layout.template.layout.plot_bgcolor
        == "rgba(0, 0, 0, 0)"
    )


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_figure_twice(name: str, figures: Figures) -> None:
    assert figures(name).to_json() == figures(name).to_json()


def test_bars_are_the_salience_of_words(model: TopicModel) -> None:
    figure = plot.topics(model, 4, n_words=5)
    for trace, topic in zip(figure.data, model.topics(4, n_words=5), strict=True):
        assert list(trace.x) == [word.salience for word in topic.words]
    one = model.topics(4)[1]
    figure = plot.topic(model, one.id, n_words=7)
    assert list(figure.data[0].x) == [
        word.salience for word in model.topic(one.id, n_words=7).words
    ]
    assert len(figure.layout.yaxis.ticktext) == len(figure.data[0].y)


def test_bars_of_units_are_the_pushes_of_words(model: TopicModel) -> None:
    first = plot.units(model, 1, n_words=5).data[0]
    words = sorted(model.units(n_words=5)[0].up, key=lambda weight: -weight.weight)
    assert list(first.x) == [weight.weight for weight in words]
    figure = plot.unit(model, 2, n_words=5)
    weights = {unit.id: unit for unit in model.units(n_words=5)}[2]
    assert sorted(figure.data[0].x) == sorted(word.weight for word in (*weights.up, *weights.down))


def test_a_model_of_counts_has_units_and_history_too() -> None:
    counts = np.random.default_rng(0).integers(0, 3, (60, 30))
    fitted = ReplicatedSoftmax(4, max_epochs=3, random_state=0).fit(counts)
    assert len(plot.units(fitted, 2).data) == 2
    assert list(plot.history(fitted).data[0].x) == [1, 2, 3]


@pytest.mark.parametrize("kind", ["icicle", "sunburst"])
def test_the_tree_holds_every_topic_of_the_cut_in_a_wider_one(
    model: TopicModel, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atlas, "LEVEL", 2)  # few topics, and still two levels
    monkeypatch.setattr(atlas, "FEWEST_BRANCHES", 2)
    trace = plot.tree(model, 5, kind=kind).data[0]
    assert trace.type == kind
    above = dict(zip(trace.ids, trace.parents, strict=True))
    own = dict(zip(trace.ids, trace.values, strict=True))
    topics = {str(topic.id): topic for topic in model.topics(5)}
    assert set(topics) <= set(above)
    assert [name for name, parent in above.items() if parent == ""] == ["all"]
    for name in topics:
        assert own[name] == topics[name].documents
        assert name not in above.values()
    assert set(above) - {"all", *topics}
    for name in set(above) - {"all", *topics}:  # a wider one has nothing but the topics in it
        assert own[name] == 0
        inside = {part for part, parent in above.items() if parent == name}
        assert all(int(part) in model.atlas_.tree.below(int(name)) for part in inside)
    colours = dict(zip(trace.ids, trace.marker.colors, strict=True))
    styles = topic_colours.topic_styles(model.atlas_, [int(name) for name in topics])
    assert [colours[name] for name in topics] == [colour for colour, _ in styles]


def test_neighbours_in_the_tree_have_different_colours(model: TopicModel) -> None:
    nodes = model.atlas_.cut(5)
    order = topic_colours.tree_order(model.atlas_, nodes)
    assert sorted(order) == list(range(5))
    for wide in model.atlas_.cut(3):  # what lies in one topic stands together
        places = [
            place
            for place, position in enumerate(order)
            if nodes[position] in model.atlas_.tree.below(wide)
        ]
        assert places == list(range(places[0], places[0] + len(places)))
    styles = topic_colours.topic_styles(model.atlas_, nodes)
    assert len({colour for colour, _ in styles}) == 5
    assert all(style != ("", "") for style in styles)


def test_stability_marks_the_number_that_was_chosen() -> None:
    figure = plot.stability(TopicChoice(5, ((3, 0.4), (5, 0.9), (8, 0.7))))
    assert list(figure.data[0].x) == [3, 5, 8]
    assert list(figure.data[0].y) == [0.4, 0.9, 0.7]
    assert (figure.data[1].x, figure.data[1].y) == ((5,), (0.9,))
    assert "5 topics" in figure.layout.title.text
    assert len(TopicChoice(2, ()).plot().data) == 1


def test_history_is_that_of_the_model(model: TopicModel) -> None:
    records = model.softmax_.history_
    curves = plot.history(model).data
    assert list(curves[0].y) == [record.loss for record in records]
    assert list(curves[1].y) == [record.split_half for record in records]
    assert list(curves[2].y) == [record.activity for record in records]
    assert [len(figure.data) for figure in plot._history.panel_figures(model)] == [1] * len(curves)


def test_similar_topics_stand_beside_each_other(model: TopicModel) -> None:
    whole = plot.similarity(model, 5)
    ids = list(model.topic_names(5))
    order = [ids.index(int(name.rsplit(" ", 1)[1])) for name in whole.data[0].x]
    assert sorted(order) == list(range(5))
    np.testing.assert_allclose(
        whole.data[0].z, topic_similarity(model, 5)[np.ix_(order, order)], atol=6e-4
    )
    blocks = np.kron(np.eye(3), np.ones((4, 4)))
    shuffled = np.random.default_rng(0).permutation(12)
    order_found = shuffled[
        _similarity.like_beside_like(blocks[np.ix_(shuffled, shuffled)].astype(np.float32))
    ]
    assert [len(set(part // 4)) for part in np.split(order_found, 3)] == [1, 1, 1]


@pytest.mark.parametrize("colour", ["topic", "label"])
def test_every_document_is_in_one_group(model: TopicModel, overview: Overview, colour: str) -> None:
    rows = colour_groups.shown_rows(overview, 1000)
    found = colour_groups.groups(overview, model, colour, rows, 5)
    np.testing.assert_array_equal(np.sort(np.concatenate([group.rows for group in found])), rows)
    nodes = model.atlas_.cut(5)
    for group in found:
        if group.id < 0:
            continue
        if colour == "topic":
            assert (overview.topics(model.atlas_, nodes)[group.rows] == nodes.index(group.id)).all()
            assert group.name == model.topic_names(5)[group.id]
        else:
            assert (overview.label_of[group.rows] == group.id).all()
            assert group.name == overview.labels[group.id]
    sizes = [len(group.rows) for group in found if group.id >= 0]
    assert sizes == sorted(sizes, reverse=True)


def test_no_document_on_the_map_is_grey(model: TopicModel, overview: Overview) -> None:
    found = colour_groups.groups(
        overview, model, "topic", colour_groups.shown_rows(overview, 1000), 5
    )
    assert all(group.id >= 0 and group.colour != palette.REST for group in found)


def test_a_dropped_topic_is_grey(model: TopicModel, overview: Overview) -> None:
    kept = model.atlas_
    gone = kept.cut(5)[0]
    dropped = copy.copy(model)
    dropped.atlas_ = kept.changed(kept.tree.with_dropped(gone, True))
    found = colour_groups.groups(
        overview, dropped, "topic", colour_groups.shown_rows(overview, 1000), 4
    )
    assert [group.name for group in found if group.id < 0] == ["no topic"]
    rest = next(group for group in found if group.id < 0)
    np.testing.assert_array_equal(rest.rows, np.flatnonzero(overview.topics(kept, [gone]) == 0))


def test_documents_without_a_known_word_are_not_on_the_map(
    model: TopicModel, overview: Overview
) -> None:
    figure = plot.map(overview, model)
    assert sum(len(trace.x) for trace in figure.data) == 119
    assert figure.layout.title.text == "119 documents of 120"


def test_a_sample_is_taken_of_many(model: TopicModel, overview: Overview) -> None:
    figure = plot.map(overview, model, most=50)
    assert sum(len(trace.x) for trace in figure.data) == 50
    rows = colour_groups.shown_rows(overview, 50)
    np.testing.assert_array_equal(rows, colour_groups.shown_rows(overview, 50))
    assert len(set(rows.tolist())) == 50


def test_hover_shows_the_text_itself(
    model: TopicModel, overview: Overview, table: pl.DataFrame
) -> None:
    texts = table["text"].to_list()
    figure = plot.map(overview, model, texts=texts)
    shown = "".join(text for trace in figure.data for text in trace.customdata)
    assert SCRIPT in texts[0] + texts[2] + texts[4] + texts[6]
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;" in shown.replace("<br>", " ")
    assert "&lt;u&gt;0&lt;/u&gt;" in shown


def boxes(places: list[_places.Place]) -> list[tuple[float, float, float, float]]:
    return [(one.x, one.y, _places.LETTER * len(one.name), _places.LINE) for one in places]


def test_names_cover_neither_each_other_nor_what_they_name() -> None:
    generator = np.random.default_rng(1)
    middles = generator.uniform(0.1, 0.9, size=(40, 2))
    groups = [np.clip(middle + 0.03 * generator.normal(size=(200, 2)), 0, 1) for middle in middles]
    names = [f"name {number} of it" for number in range(40)]
    found = _places.places(names, groups, 100)
    assert len(found) > 15
    for number, (x, y, width, height) in enumerate(boxes(found)):
        for other in boxes(found)[:number]:
            assert (
                abs(x - other[0]) * 2 >= width + other[2]
                or abs(y - other[1]) * 2 >= height + other[3]
            )
        own = groups[names.index(found[number].name)]
        under = (np.abs(own - (x, y)) * 2 <= (width - 0.01, height - 0.01)).all(axis=1)
        assert under.mean() <= _places.COVERED
        nearest = np.abs(own - (x, y)).max(axis=1).min()
        assert nearest < width  # it stands beside what it names


def test_names_without_room_are_left_out() -> None:
    generator = np.random.default_rng(0)
    one, other = (
        generator.uniform(0.2, 0.3, size=(300, 2)),
        generator.uniform(0.7, 0.8, size=(300, 2)),
    )
    assert [place.name for place in _places.places(["one", "two"], [one, other], 9)] == [
        "one",
        "two",
    ]
    assert [place.name for place in _places.places(["one", "one"], [one, other], 9)] == ["one"]
    assert len(_places.places(["one", "two"], [one, other], 1)) == 1
    assert _places.places(["x" * 400], [one], 9) == []  # wider than the map
    assert _places.places([], [], 9) == []
    crowd = [
        np.array([x, y]) + 0.004 * generator.normal(size=(20, 2)) for x in _GRID for y in _GRID
    ]
    found = _places.places(
        [f"a rather long name {number}" for number in range(len(crowd))], crowd, 999
    )
    assert 5 < len(found) < len(crowd) / 2


def test_a_name_is_not_put_among_the_documents_of_others() -> None:
    generator = np.random.default_rng(0)
    crowd, few = generator.uniform(size=(20_000, 2)), generator.uniform(0.45, 0.55, size=(40, 2))
    found = _places.places(["few", "crowd"], [few, crowd], 9)
    assert "few" not in [place.name for place in found]
    assert [place.name for place in _places.places(["few"], [few], 9)] == ["few"]


def test_a_name_that_would_cover_its_own_documents_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    everywhere = np.random.default_rng(0).uniform(size=(4000, 2))
    assert [place.name for place in _places.places(["a name"], [everywhere], 9)] == ["a name"]
    monkeypatch.setattr(_places, "LINE", 0.3)
    monkeypatch.setattr(_places, "LETTER", 0.08)
    assert _places.places(["a name"], [everywhere], 9) == []


def test_names_stand_beside_the_thickest_of_their_documents() -> None:
    assert _places.thickest(np.concatenate([np.full((30, 2), 0.2), np.full((10, 2), 0.9)])) == (
        0.2,
        0.2,
    )


def test_streams_are_the_shares_of_the_overview(model: TopicModel, overview: Overview) -> None:
    series = overview.over_time
    assert series is not None
    figure = plot.over_time(overview, model, 4)
    filled, nodes = series.documents > 0, model.atlas_.cut(4)
    order = topic_colours.tree_order(model.atlas_, nodes)
    assert [trace.stackgroup for trace in figure.data[:-1]] == ["topics"] * 4
    for trace, place in zip(figure.data, order, strict=False):
        np.testing.assert_array_equal(trace.y, series.shares(model.atlas_, nodes)[filled, place])
    total = np.sum([trace.y for trace in figure.data[:4]], axis=0)
    np.testing.assert_allclose(total[:-1], 1.0)  # the last document has no known word
    np.testing.assert_array_equal(figure.data[4].y, series.documents)
    chosen = plot.over_time(overview, model, topics=nodes[:2])
    assert len(chosen.data) == 3


def test_times_are_written_as_exactly_as_they_need_to_be() -> None:
    second = float(np.datetime64("2021-03-04T05:06:07").astype(np.int64))
    day = 86_400.0
    assert time_axis.written(second, "date", 1000.0) == "2021-03-04 05:06:07"
    assert time_axis.written(second, "date", 30 * day) == "2021-03-04"
    assert time_axis.written(second, "date", 3000 * day) == "2021-03"
    assert (
        time_axis.written(1993.0, "number", 20.0),
        time_axis.written(0.25, "number", 1.0),
    ) == (
        "1993",
        "0.25",
    )
    assert str(time_axis.axis_values(np.array([second]), "date")[0]) == "2021-03-04T05:06:07.000"
    assert time_axis.scale_ticks(np.array([5.0, np.nan]), "number") == ([5.0], ["5"])


def test_what_is_asked_for_has_to_be_there(model: TopicModel, overview: Overview) -> None:
    bare = replace(overview, labels=(), times=None, time_kind=None, over_time=None)
    assert colour_groups.colourings(bare) == ["topic"]
    assert colour_groups.colourings(overview) == ["topic", "label", "time"]
    with pytest.raises(InvalidInput, match="colour must be one of"):
        plot.map(overview, model, colour="red")
    for colour in ("label", "time"):
        with pytest.raises(InvalidInput, match="which they lack"):
            plot.map(bare, model, colour=colour)
    with pytest.raises(InvalidInput, match="must be of documents with times"):
        plot.over_time(bare, model)
    first, second = model.atlas_.cut(2)
    inside = next(
        node for node in model.atlas_.cut(5) if node in model.atlas_.tree.below(first) - {first}
    )
    for wrong in ([], [first, first], [first, inside]):
        with pytest.raises(InvalidInput, match="none lies in another"):
            plot.over_time(overview, model, topics=wrong)
    with pytest.raises(InvalidInput, match="topics must be the id of a topic"):
        plot.over_time(overview, model, topics=[second, 10**6])
    with pytest.raises(InvalidInput, match="id must be the number of a unit, got 99"):
        plot.unit(model, 99)
    with pytest.raises(InvalidInput, match="kind must be one of"):
        plot.tree(model, kind="pie")
    with pytest.raises(InvalidInput, match="n must be from 2 to"):
        plot.map(overview, model, 1000)
    with pytest.raises(InvalidInput, match="texts must hold 120 texts"):
        plot.map(overview, model, texts=["one"])


def test_without_plotly_the_extra_is_named(
    model: TopicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("undertow._extras.find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match=r"pip install 'undertow\[explorer\]'"):
        plot.tree(model)


def test_importing_it_loads_no_plotly() -> None:
    code = (
        "import sys, undertow.plot; print([name for name in ('plotly', 'jinja2') if name in "
        "sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"
