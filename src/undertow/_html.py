"""What notebooks show: HTML without scripts, every word and name escaped, in the colours of the
explorer.

Colours are tints with an alpha, so they serve on light and on dark ground.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Protocol

UP, DOWN = "26, 115, 184", "213, 94, 0"  # towards a topic, and away from it
UNDERLINED = 12  # occurrences in a text, of either sign
WHOLE, POWER = 0.55, 0.8  # alpha of the strongest occurrence, and how it falls
CHIP = "padding:0 6px;border-radius:4px;margin-right:4px;white-space:nowrap;display:inline-block"
CELL = "text-align:left;padding:2px 12px 2px 0;vertical-align:top"
NUMBER = (
    "text-align:right;padding:2px 12px 2px "
    "0;vertical-align:top;font-variant-numeric:tabular-nums;white-space:nowrap"
)
LINE, QUIET = "margin:4px 0", "opacity:0.7"


class Part(Protocol):
    """A word in a text, and what it did."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def word(self) -> str: ...
    @property
    def part(self) -> float: ...


def tint(alpha: float, colour: str = UP) -> str:
    """A background as CSS has it."""
    return f"background:rgba({colour}, {alpha:.3f})"


def block(*parts: str) -> str:
    """Parts that are HTML already, as one. A dollar sign in a text begins no formula."""
    return f"<div class='tex2jax_ignore mathjax_ignore'>{''.join(parts)}</div>"


def line(*parts: str) -> str:
    """A paragraph of parts that are HTML already."""
    return f"<p style='{LINE}'>{' '.join(part for part in parts if part)}</p>"


def quiet(text: str) -> str:
    """Said beside what matters; escaped here."""
    return f"<span style='{QUIET}' dir='auto'>{escape(text)}</span>"


def bold(text: str) -> str:
    """A name or title; escaped here."""
    return f"<b dir='auto'>{escape(text)}</b>"


def chip(word: str, alpha: float, told: str = "") -> str:
    """A word on a tint; escaped here."""
    title = f" title='{escape(told)}'" if told else ""
    return f"<span style='{CHIP};{tint(alpha)}' dir='auto'{title}>{escape(word)}</span>"


def topic_words(words: Sequence[tuple[str, float, float]]) -> str:
    """Words of a topic (word, salience, share of its documents), tinted by salience."""
    most = max((salience for _, salience, _ in words), default=1.0) or 1.0
    return "".join(
        chip(word, 0.06 + 0.22 * (salience / most), f"in {share:.0%} of its documents")
        for word, salience, share in words
    )


def why_word(word: str, part: float) -> str:
    """A word of a question, tinted by how much it counts."""
    return chip(word, 0.1 + 0.24 * part, f"{part:.0%} of how well its words fit")


def table(titles: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already; titles come with the style of their column."""
    styles = [style for _, style in titles]
    head = "".join(f"<th style='{style}'>{escape(name)}</th>" for name, style in titles)
    body = "".join(
        "<tr>"
        + "".join(f"<td style='{style}'>{one}</td>" for one, style in zip(row, styles, strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        f"<table style='border-collapse:collapse'><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def marked(text: str, spans: Iterable[Part], name: str) -> str:
    """A text whose words are tinted by what they did to carry it into a topic of that name; the
    strongest are underlined. Words of n-grams may lie in one another.
    """
    ordered = sorted(spans, key=lambda span: span.start)
    most = max([1e-9, *(abs(span.part) for span in ordered)])
    by_strength = sorted(range(len(ordered)), key=lambda place: -abs(ordered[place].part))
    strong = set(by_strength[:UNDERLINED])
    edges = sorted({edge for span in ordered for edge in (span.start, span.end)})
    pieces, here, following = [escape(text[: edges[0] if edges else len(text)])], list[int](), 0
    for start, end in zip(edges, [*edges, len(text)][1:], strict=True):
        here = [place for place in here if ordered[place].end > start]
        while following < len(ordered) and ordered[following].start == start:
            here.append(following)
            following += 1
        piece = escape(text[start:end])
        inside = [ordered[place] for place in here]
        underlined = not strong.isdisjoint(here)
        pieces.append(_tinted(piece, inside, most, name, strong=underlined) if here else piece)
    return f"<div style='white-space:pre-wrap;line-height:1.7' dir='auto'>{''.join(pieces)}</div>"


def _tinted(piece: str, spans: Sequence[Part], most: float, name: str, *, strong: bool) -> str:
    part = sum(span.part for span in spans)
    colour = UP if part >= 0 else DOWN
    style = f"border-radius:3px;{tint(WHOLE * min(1.0, abs(part) / most) ** POWER, colour)}"
    if strong:
        line_style = "solid" if part >= 0 else "dashed"
        style += f";text-decoration:underline 2px {line_style} rgb({colour})"
        style += ";text-underline-offset:0.22em"
    told = "\n".join(f"{span.part:+.3g} to “{name}” ({span.word})" for span in spans)
    return f"<span style='{style}' title='{escape(told)}'>{piece}</span>"
