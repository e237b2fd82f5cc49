"""The palette stays apart with every kind of colour vision, and stands out from light and dark
pages.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from undertow.plot import palette

# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
VISIONS = {
    "all cones": np.eye(3),
    "no red cones": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green cones": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no blue cones": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
LIGHT, DARK = "#ffffff", "#15181d"


def linear(colour: str) -> NDArray[np.float64]:
    parts = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    to_xyz = np.array(
        [[0.41246, 0.35758, 0.18044], [0.21267, 0.71515, 0.07217], [0.01933, 0.11919, 0.95030]]
    )
    xyz = to_xyz @ rgb / np.array([0.95047, 1.0, 1.08883])
    curved = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array(
        [116 * curved[1] - 16, 500 * (curved[0] - curved[1]), 200 * (curved[1] - curved[2])]
    )


def contrast(one: str, other: str) -> float:
    low, high = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("vision", VISIONS)
def test_colours_stay_apart(vision: str) -> None:
    seen = [lab(np.clip(VISIONS[vision] @ linear(colour), 0, 1)) for colour in palette.PALETTE]
    closest = min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2))
    assert closest > 15  # a difference of 2.3 is just seen


def test_every_colour_stands_out_from_both_pages() -> None:
    for colour in (*palette.PALETTE, palette.REST, *(colour for _, colour in palette.TIME)):
        assert min(contrast(colour, LIGHT), contrast(colour, DARK)) > 1.7, colour


def test_words_can_be_read_on_both_pages() -> None:
    assert min(contrast(palette.TEXT, LIGHT), contrast(palette.TEXT, DARK)) > 3.8


def test_time_grows_lighter() -> None:
    lightness = [lab(linear(colour))[0] for _, colour in palette.TIME]
    assert lightness == sorted(lightness)


def test_styles_are_all_different_and_end() -> None:
    styles = [palette.style(number) for number in range(60)]
    given = [style for style in styles if style is not None]
    assert len(set(given)) == len(given) == len(palette.PALETTE) * len(palette.SYMBOLS)
    assert styles[len(given) :] == [None] * (60 - len(given))
