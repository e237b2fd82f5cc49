"""The tree of topics: wide ones with the finer ones in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from undertow import _check
from undertow.estimators.topic_parts import atlas_of
from undertow.plot._look import FONT, check_extra, dressed
from undertow.plot.labels import label
from undertow.plot.palette import CLEAR, REST
from undertow.plot.topic_colours import topic_styles

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from undertow.estimators import TopicModel
    from undertow.topics import Branch

SHAPES = ("icicle", "sunburst")
WORDS = 6  # under the pointer
LEAST, ROW = 420, 30  # pixels: of the whole, and of a topic of the cut


def tree(model: TopicModel, n: int | None = None, *, kind: str = "icicle") -> Figure:
    """The topics of a cut, nested in wider ones, each as large as its share of the documents; a
    click zooms in.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    n : int or None
        How many topics; None for the model's own number.
    kind : {"icicle", "sunburst"}
        Stripes, or rings.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Examples
    --------
    >>> figure = undertow.plot.tree(model, 4, kind="sunburst")
    """
    check_extra()
    from plotly.graph_objects import Figure, Icicle, Sunburst

    _check.one_of("kind", kind, SHAPES)
    parts = _parts(model, n)
    shown = {
        **parts,
        "branchvalues": "remainder",
        "leaf": {"opacity": 1.0},
        "sort": False,
        "hovertemplate": "<b>%{label}</b><br>%{customdata}<extra></extra>",
        "textfont": {"family": FONT, "color": "#ffffff"},
        "insidetextfont": {"color": "#ffffff", "shadow": "0 0 3px rgba(0, 0, 0, 0.75)"},
    }
    whole = (
        Icicle(tiling={"orientation": "h", "pad": 1}, **shown)
        if kind == "icicle"
        else Sunburst(**shown)
    )
    height = max(LEAST, ROW * len(model.topic_names(n))) if kind == "icicle" else 680
    return dressed(Figure(whole), height=height, margin={"l": 4, "r": 4, "t": 12, "b": 8})


def _parts(model: TopicModel, n: int | None) -> dict[str, Any]:
    """Nodes as plotly takes them: the topics of the cut in their colours, wider ones in grey.

    What a topic has beyond the topics in it, or all that it has, is its remainder.
    """
    atlas = atlas_of(model)
    nodes = list(model.topic_names(n))
    colours = dict(zip(nodes, (colour for colour, _ in topic_styles(atlas, nodes)), strict=True))
    found: dict[str, list[Any]] = {
        "ids": ["all"],
        "labels": [f"{atlas.documents:,} documents"],
        "parents": [""],
        "values": [0],
        "customdata": [f"{len(nodes)} topics"],
    }
    drawn = [REST]

    def add(branch: Branch, above: str) -> None:
        topic = branch.topic
        inside = sum(part.topic.documents for part in branch.branches)
        words = ", ".join(word.word for word in topic.words[:WORDS])
        found["ids"].append(str(topic.id))
        found["labels"].append(label(topic.name, 40))
        found["parents"].append(above)
        found["values"].append(max(topic.documents - inside, 0))
        found["customdata"].append(
            f"{topic.documents:,} documents ({topic.share:.1%})<br>{label(words, 70)}"
        )
        drawn.append(colours.get(topic.id, REST))
        for part in branch.branches:
            add(part, str(topic.id))

    for branch in model.topic_tree(n, n_words=WORDS):
        add(branch, "all")
    return {**found, "marker": {"colors": drawn, "line": {"width": 1, "color": CLEAR}}}
