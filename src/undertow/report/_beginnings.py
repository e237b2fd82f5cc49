"""The texts of some documents of a corpus, without holding the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from undertow.corpus import Corpus
    from undertow.insight import Overview


def beginnings(
    corpus: Corpus, overview: Overview, rows: Iterable[int], most: int
) -> dict[int, str]:
    """Row of the overview -> the first `most` characters of its document."""
    wanted = set(rows)
    # every document is in the overview, at its own place
    if len(overview) == overview.sampled_from:
        place_of: dict[str | int, int] = {row: row for row in wanted}
    else:
        place_of = {overview.ids[row]: row for row in wanted}
    found: dict[int, str] = {}
    seen = 0
    for chunk in corpus.chunks():
        texts = chunk["text"].str.slice(0, most)
        keys = (
            range(seen, seen + chunk.height)
            if len(overview) == overview.sampled_from
            else chunk["id"]
        )
        seen += chunk.height
        for key, text in zip(keys, texts, strict=True):
            if key in place_of:
                found.setdefault(place_of[key], text)
    return found
