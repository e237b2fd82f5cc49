"""What all figures share: fonts, grids, and backgrounds that let the page through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from undertow import _extras
from undertow.plot.palette import CLEAR, GRID, PALETTE, TEXT

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def check_extra() -> None:
    """What the extra installs is there; said before any work is done."""
    _extras.require("undertow.plot", "explorer", "plotly")


def dressed(figure: Figure, *, height: int | None = None, **layout: Any) -> Figure:
    """The figure in our look, with more of its layout."""
    figure.update_layout(template=_template(), height=height, **layout)
    return figure


def _template() -> Any:
    axis = {
        "gridcolor": GRID,
        "linecolor": GRID,
        "zerolinecolor": GRID,
        "zeroline": False,
        "automargin": True,
        "title": {"standoff": 8, "font": {"size": 12}},
    }
    layout = {
        "font": {"family": FONT, "size": 13, "color": TEXT},
        "title": {"font": {"size": 16}, "x": 0.0, "xref": "paper", "xanchor": "left"},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "colorway": list(PALETTE),
        "margin": {"l": 48, "r": 16, "t": 48, "b": 40},
        "xaxis": axis,
        "yaxis": axis,
        # A dark box with light words stands out from both kinds of page.
        "hoverlabel": {
            "bgcolor": "#20242b",
            "bordercolor": "#20242b",
            "font": {"family": FONT, "size": 13, "color": "#f2f3f5"},
            "align": "left",
        },
        "legend": {"itemsizing": "constant", "title": {"font": {"size": 12}}},
        "modebar": {"bgcolor": CLEAR, "color": TEXT, "activecolor": PALETTE[0]},
    }
    return {"layout": layout}
