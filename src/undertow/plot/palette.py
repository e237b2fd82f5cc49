"""The colours of all figures: told apart with every kind of colour vision, on light and on dark
backgrounds.

tests/plot/test_palette.py simulates three kinds of colour blindness and measures how far apart the
colours stay.
"""

from __future__ import annotations

PALETTE = ("#1a73b8", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8f3ff0", "#b8a85c")
UP, DOWN = PALETTE[0], PALETTE[3]
REST = "#8c9199"  # what has no colour of its own
TEXT = "#7b818a"  # can be read on white and on nearly black
GRID = "rgba(128, 136, 148, 0.22)"
CLEAR = "rgba(0, 0, 0, 0)"

TIME = ((0.0, "#4b3fd0"), (0.25, "#9c3fb0"), (0.5, "#d0506e"), (0.75, "#ef8a3a"), (1.0, "#f0b428"))
"""Early to late; ever lighter, so that the order is seen without colours too."""

SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up", "star")


def style(number: int) -> tuple[str, str] | None:
    """Colour and symbol of group `number`; None beyond those that can be told apart."""
    if number >= len(PALETTE) * len(SYMBOLS):
        return None
    return PALETTE[number % len(PALETTE)], SYMBOLS[number // len(PALETTE)]
