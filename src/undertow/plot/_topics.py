"""Topics as words with bars."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from undertow import _check
from undertow._errors import InvalidInput
from undertow.plot._labels import label
from undertow.plot._look import check_extra, dressed
from undertow.plot._palette import DOWN, UP

if TYPE_CHECKING:
    from plotly.graph_objects import Bar, Figure

    from undertow.estimators import ReplicatedSoftmax, TopicModel
    from undertow.estimators.units import Unit, WordWeight

ROW = 19  # pixels a word
HEADING = 62  # pixels above each block of words
NAME = 26  # characters of a topic's name


def topics(model: TopicModel | ReplicatedSoftmax, n: int = 12, *, n_words: int = 8, columns: int = 3) -> Figure:
    """The words that switch on the `n` most active topics, with what one token of each adds to the topic's input."""
    check_extra()
    from plotly.subplots import make_subplots

    n = _check.whole_number("n", n, at_least=1)
    columns = _check.whole_number("columns", columns, at_least=1)
    shown = model.units(n_words=n_words)[:n]
    columns = min(columns, len(shown))
    rows = math.ceil(len(shown) / columns)
    height = rows * (HEADING + n_words * ROW)
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[_heading(topic) for topic in shown],
        vertical_spacing=HEADING / height if rows > 1 else 0.0,
        horizontal_spacing=0.12,
    )
    for place, topic in enumerate(shown):
        row, column = place // columns + 1, place % columns + 1
        words = _strongest_first(topic.up)
        figure.add_trace(_bars(words, UP), row=row, col=column)
        figure.update_yaxes(row=row, col=column, **_word_axis(words))
        left = figure.get_subplot(row, column).xaxis.domain[0]
        figure.layout.annotations[place].update(x=left, xanchor="left", font={"size": 13})
    figure.update_xaxes(rangemode="tozero", nticks=4)
    return dressed(figure, height=height + 40, showlegend=False, bargap=0.25)


def topic(model: TopicModel | ReplicatedSoftmax, id: int, *, n_words: int = 20) -> Figure:
    """The words that push one topic up and down."""
    check_extra()
    from plotly.graph_objects import Figure

    chosen = next((topic for topic in model.units(n_words=n_words) if topic.id == id), None)
    if chosen is None:
        raise InvalidInput(f"id must be the number of a topic, got {id!r}")
    words = (*_strongest_first(chosen.up), *_strongest_first(chosen.down))
    colours = [UP] * len(chosen.up) + [DOWN] * len(chosen.down)
    figure = Figure(_bars(words, colours))
    figure.update_yaxes(**_word_axis(words))
    figure.update_xaxes(title="what one token adds to the topic's input", zeroline=True)
    return dressed(figure, height=110 + ROW * len(words), title=_heading(chosen), showlegend=False, bargap=0.25)


def _strongest_first(words: tuple[WordWeight, ...]) -> tuple[WordWeight, ...]:
    """Topics list words by push and frequency; beside bars, the length decides."""
    return tuple(sorted(words, key=lambda weight: -weight.weight))


def _bars(words: tuple[WordWeight, ...], colour: Any) -> Bar:
    from plotly.graph_objects import Bar

    return Bar(
        x=[weight.weight for weight in words],
        y=list(range(len(words))),
        orientation="h",
        marker={"color": colour, "line": {"width": 0}},
        customdata=[label(weight.word) for weight in words],
        hovertemplate="%{customdata}<br>%{x:+.3f}<extra></extra>",
    )


def _word_axis(words: tuple[WordWeight, ...]) -> dict[str, Any]:
    """Words stand beside numbered places: as categories, those such as "1990" would be taken for numbers."""
    ticks = [label(weight.word, 24) for weight in words]
    return {
        "tickvals": list(range(len(words))),
        "ticktext": ticks,
        "range": [len(words) - 0.4, -0.6],
        "showgrid": False,
    }


def _heading(topic: Unit) -> str:
    return f"<b>{label(topic.name, NAME)}</b>  {topic.activity:.0%}"
