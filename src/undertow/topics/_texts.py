"""Texts that are kept while a corpus is read: a sample, for typical documents, pairs of words and
forms of stems.

Which rows are kept depends on their numbers alone, so it is known without the texts which vectors
belong to them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow.corpus.scripts import HAN, KANA
from undertow.kernels import randomness

MOST_TEXTS = 12_000
LETTERS = 3000  # kept of each text
TITLE, SENTENCE, SHORTEST_SENTENCE = 90, 240, 20  # characters
PROSE = 0.75  # of a sentence, at least, are letters and spaces
STAGE = 2  # of Purpose.HOLD_OUT
HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,40}:\s")
SUBJECT = re.compile(r"(?i)(?:subject|title):\s*(?:re:\s*)*(.*)")
SENTENCES = re.compile(
    r"(?<=[.!?])\s+|(?<=[。！？])(?![。！？」』”’）])\s*|(?<=[。！？][」』”’）])\s*|\n\s*\n"
)
WIDE = re.compile(f"[{HAN}{KANA}]")  # letters that say as much as two
SPACE = re.compile(r"\s+")
ODD = re.compile(r"[!-@\[-`{-~]")  # digits and signs, as tables and drawings are made of
TAG = re.compile(r"<[^<>]{1,200}>")


@dataclass
class TextSample:
    """At most 12,000 documents of those shown to it: those with the smallest numbers drawn for
    their rows.
    """

    most: int = MOST_TEXTS

    def __post_init__(self) -> None:
        self._seen = 0
        self._rows = np.zeros(0, dtype=np.int64)
        self._keys = np.zeros(0)
        self._kept: dict[int, tuple[str, str]] = {}

    def see(self, texts: pl.Series, ids: pl.Series | None) -> None:
        """Looks at the next documents."""
        rows = np.arange(self._seen, self._seen + len(texts))
        keys = randomness.uniforms(0, randomness.Purpose.HOLD_OUT, STAGE, 0, rows, 0)
        self._seen += len(texts)
        limit = np.inf if len(self._keys) < self.most else self._keys.max()
        for place in np.flatnonzero(keys < limit).tolist():
            row = int(rows[place])
            self._kept[row] = (
                str(row) if ids is None else str(ids[place]),
                str(texts[place])[:LETTERS],
            )
        rows, keys = np.concatenate([self._rows, rows]), np.concatenate([self._keys, keys])
        order = np.argsort(keys, kind="stable")[: self.most]
        self._rows, self._keys = rows[order], keys[order]
        if len(self._kept) > 2 * self.most:
            self._forget()

    def _forget(self) -> None:
        kept = set(self._rows.tolist())
        self._kept = {row: found for row, found in self._kept.items() if row in kept}

    def close(self) -> SampledTexts:
        """What was kept, in the order of the corpus."""
        self._forget()
        rows = sorted(self._kept)
        return SampledTexts(
            np.array(rows, dtype=np.int64),
            [self._kept[row][0] for row in rows],
            [self._kept[row][1] for row in rows],
        )


@dataclass(frozen=True)
class SampledTexts:
    """Documents in the order of the corpus: row, id, and the first 3,000 letters of the text."""

    rows: NDArray[np.int64]
    ids: list[str]
    texts: list[str]


def sampled_rows(documents: int, most: int = MOST_TEXTS) -> NDArray[np.int64]:
    """The rows that a `TextSample` keeps of so many documents, in order."""
    return randomness.lowest(0, randomness.Purpose.HOLD_OUT, STAGE, documents, most)


def title_of(text: str) -> str:
    """A subject or title in the first lines, or the first line or sentence that is not empty."""
    lines = [line.strip() for line in text[:2000].splitlines()[:30]]
    for line in lines:
        found = SUBJECT.match(line)
        if found and found[1]:
            return shortened(found[1], TITLE)
    body = _body(text)
    first = next((line.strip() for line in body.splitlines() if line.strip()), "")
    return shortened(SENTENCES.split(TAG.sub(" ", first))[0], TITLE)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, without the header of a post or mail, quotation marks of mails, and
    tags.
    """
    plain = "\n".join(
        line for line in _body(text).splitlines() if not line.lstrip().startswith((">", "|", ":"))
    )
    found = (SPACE.sub(" ", part).strip() for part in SENTENCES.split(TAG.sub(" ", plain)))
    return [
        shortened(part, SENTENCE)
        for part in found
        if _length(part) >= SHORTEST_SENTENCE and _is_prose(part)
    ]


def _length(part: str) -> int:
    return len(part) + len(WIDE.findall(part))


def _is_prose(part: str) -> bool:
    """Whether a part reads as a sentence: no line that leads in a quotation, no address, no table,
    no drawing.
    """
    return (
        not part.endswith((":", "："))
        and "@" not in part
        and len(ODD.findall(part)) <= (1.0 - PROSE) * len(part)
    )


def shortened(text: str, most: int) -> str:
    """At most so many characters, cut at a space where one is near."""
    text = SPACE.sub(" ", text).strip()
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > most // 2 else cut).rstrip(" ,;:，、；：") + "…"


def _body(text: str) -> str:
    """What follows a header such as mails have: at least two lines "Name: value" before the first
    empty line.
    """
    head, _, rest = text.partition("\n\n")
    lines = head.splitlines()
    named = sum(1 for line in lines if HEADER.match(line))
    return rest if rest.strip() and named >= 2 and named * 2 >= len(lines) else text
