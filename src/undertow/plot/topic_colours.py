"""Which colour a topic has: the same in every figure of a cut, and another one than its
siblings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from undertow.plot import palette

if TYPE_CHECKING:
    from undertow.topics import Atlas

STYLES = len(palette.PALETTE) * len(palette.SYMBOLS)


def tree_order(atlas: Atlas, nodes: Sequence[int]) -> list[int]:
    """Places in `nodes`, so that topics that are close in the tree stand beside each other."""
    place = {node: position for position, node in enumerate(nodes)}
    found, waiting = [], [atlas.tree.root]
    while waiting:
        node = waiting.pop()
        if node in place:
            found.append(place[node])
        else:
            waiting += atlas.tree.children(node)[::-1]
    return found


def topic_styles(atlas: Atlas, nodes: Sequence[int]) -> list[tuple[str, str]]:
    """Colour and symbol of each topic, in the order of the tree; beyond 48 they begin again."""
    styles = [("", "")] * len(nodes)
    for number, place in enumerate(tree_order(atlas, nodes)):
        styles[place] = palette.style(number % STYLES) or (palette.REST, palette.SYMBOLS[0])
    return styles
