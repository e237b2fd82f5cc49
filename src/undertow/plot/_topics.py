"""Topics as words with bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow.estimators.topic_parts import atlas_of
from undertow.plot._bars import HEADING, ROW, bars, blocks, word_axis
from undertow.plot._look import check_extra, dressed
from undertow.plot.labels import label
from undertow.plot.palette import UP
from undertow.plot.topic_colours import topic_styles

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from undertow.estimators import TopicModel
    from undertow.topics import Topic

NAME = 26  # characters of a topic's name


def topics(
    model: TopicModel, n: int | None = None, *, n_words: int = 8, columns: int = 3
) -> Figure:
    """The words of each topic of a cut, the widest topic first, with their salience and the topic's
    share.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    n : int or None
        How many topics; None for the model's own number.
    n_words : int
        Words of each.
    columns : int
        Topics side by side.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Examples
    --------
    >>> figure = undertow.plot.topics(model, 4, columns=2)
    """
    check_extra()
    shown = model.topics(n, n_words=n_words)
    colours = [colour for colour, _ in topic_styles(atlas_of(model), [topic.id for topic in shown])]
    return blocks(
        [_heading(topic) for topic in shown], [_words(topic) for topic in shown], colours, columns
    )


def topic(model: TopicModel, id: int, *, n_words: int = 20) -> Figure:
    """The words of one topic with their salience.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    id : int
        The topic's id, of whatever cut.
    n_words : int
        Words shown.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Examples
    --------
    >>> widest = model.topics(2)[0]
    >>> figure = undertow.plot.topic(model, widest.id)
    """
    check_extra()
    from plotly.graph_objects import Figure

    chosen = model.topic(id, n_words=n_words)
    words = _words(chosen)
    figure = Figure(bars(words, UP))
    figure.update_yaxes(**word_axis(words))
    figure.update_xaxes(title="salience", rangemode="tozero")
    height = HEADING + 48 + ROW * len(words)
    return dressed(figure, height=height, title=_heading(chosen), showlegend=False, bargap=0.25)


def _words(topic: Topic) -> list[tuple[str, float]]:
    return [(word.word, word.salience) for word in topic.words]


def _heading(topic: Topic) -> str:
    return f"<b>{label(topic.name, NAME)}</b>  {topic.share:.0%}"
