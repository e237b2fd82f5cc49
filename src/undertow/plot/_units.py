"""Hidden units, the features that topics are regions of, as words with bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _check
from undertow._errors import InvalidInput
from undertow.plot._bars import HEADING, ROW, bars, blocks, word_axis
from undertow.plot._look import check_extra, dressed
from undertow.plot.labels import label
from undertow.plot.palette import DOWN, UP

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from undertow.estimators import ReplicatedSoftmax, TopicModel
    from undertow.estimators.units import Unit, WordWeight

NAME = 26  # characters of a unit's name


def units(
    model: TopicModel | ReplicatedSoftmax, n: int = 12, *, n_words: int = 8, columns: int = 3
) -> Figure:
    """The words that switch on the most active hidden units, with what one token of each adds to
    the unit's input.

    For topics, see `topics`: a topic is a region of documents, and a unit one of the features that
    it is made of.

    Parameters
    ----------
    model : TopicModel or ReplicatedSoftmax
        A fitted one.
    n : int
        Units shown, the most active first.
    n_words : int
        Words of each.
    columns : int
        Units side by side.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Examples
    --------
    >>> figure = undertow.plot.units(model, 6)
    """
    check_extra()
    n = _check.whole_number("n", n, at_least=1)
    shown = model.units(n_words=n_words)[:n]
    return blocks(
        [_heading(unit) for unit in shown],
        [_weights(_strongest_first(unit.up)) for unit in shown],
        UP,
        columns,
    )


def unit(model: TopicModel | ReplicatedSoftmax, id: int, *, n_words: int = 20) -> Figure:
    """The words that push one hidden unit up and down.

    Parameters
    ----------
    model : TopicModel or ReplicatedSoftmax
        A fitted one.
    id : int
        The number of the unit, from 0 on.
    n_words : int
        Words either way.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Examples
    --------
    >>> figure = undertow.plot.unit(model, 3)
    """
    check_extra()
    from plotly.graph_objects import Figure

    chosen = next((unit for unit in model.units(n_words=n_words) if unit.id == id), None)
    if chosen is None:
        raise InvalidInput(f"id must be the number of a unit, got {id!r}")
    words = _weights((*_strongest_first(chosen.up), *_strongest_first(chosen.down)))
    colours = [UP] * len(chosen.up) + [DOWN] * len(chosen.down)
    figure = Figure(bars(words, colours))
    figure.update_yaxes(**word_axis(words))
    figure.update_xaxes(title="what one token adds to the unit's input", zeroline=True)
    height = HEADING + 48 + ROW * len(words)
    return dressed(figure, height=height, title=_heading(chosen), showlegend=False, bargap=0.25)


def _strongest_first(words: tuple[WordWeight, ...]) -> tuple[WordWeight, ...]:
    """Units list words by push and frequency; beside bars, the length decides."""
    return tuple(sorted(words, key=lambda weight: -weight.weight))


def _weights(words: tuple[WordWeight, ...]) -> list[tuple[str, float]]:
    return [(weight.word, weight.weight) for weight in words]


def _heading(unit: Unit) -> str:
    return f"<b>{label(unit.name, NAME)}</b>  {unit.activity:.0%}"
