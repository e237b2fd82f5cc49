"""The folder of an index' segments, kept in step with its documents.

Segments are made from what the database holds, after it holds it, and name its rows. Those are
never given to another document, so a segment can be behind, but not wrong: rows without a segment
are read and added, rows that are gone are passed over. Cut off anywhere, nothing is lost but time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from undertow._errors import IndexFileError
from undertow.fulltext.full_text import FullText, Rows
from undertow.fulltext.segment import SUFFIX, Segment, read
from undertow.fulltext.word_rule import WordRule

if TYPE_CHECKING:
    import polars as pl

    from undertow.fulltext.sketches import Sketches

    Texts = Callable[[Rows], Iterator[tuple[Rows, pl.Series]]]
    """Reads the texts of rows, in their order, in pieces."""

SMALL = 16_384  # documents: segments of fewer are joined
MOST_SMALL = 8
STALE = 0.5  # a segment of whose documents so many are gone is made anew

_log = logging.getLogger(__name__)


def segments(
    folder: Path, rule: WordRule, damaged: frozenset[str] = frozenset()
) -> dict[Path, Segment]:
    """The segments that are there, the largest first. One that cannot be read, or whose name is
    among the damaged, is as good as missing.
    """
    found: dict[Path, Segment] = {}
    for file in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
        if file.name in damaged:
            _log.warning("%s is passed over: it is not as it was written", file.name)
            continue
        try:
            segment = read(file, rule.name)
        except (IndexFileError, OSError) as error:  # damaged, or removed by a writer meanwhile
            _log.warning("%s is passed over: %s", file.name, error)
            continue
        if segment is not None:
            found[file] = segment
    return dict(sorted(found.items(), key=lambda pair: (-len(pair[1].rows), pair[0].name)))


def open_text(
    folder: Path,
    rule: WordRule,
    rows: Rows,
    texts: Texts,
    damaged: frozenset[str] = frozenset(),
) -> FullText:
    """The full text of these rows, in order. What has no segment yet gets one in memory."""
    stored = segments(folder, rule, damaged)
    there, files = list(stored.values()), list[Path | None](stored)
    missing = _missing(rows, there)
    if len(missing):
        there += list(_made(rule, missing, texts))
        files += [None] * (len(there) - len(files))
    # each of them is in one at least
    no_others = sum(len(segment.rows) for segment in there) == len(rows)
    return FullText.of(rule, there, None if no_others else rows, files)


def bring_up_to_date(
    folder: Path,
    rule: WordRule,
    rows: Rows,
    texts: Texts,
    sketches: Sketches | None = None,
    *,
    whole: bool = False,
) -> None:
    """Writes segments for rows without one, joins small ones, and removes what is of no use; one
    writer at a time.

    `sketches` are told of every document that gets a segment. With `whole`, a segment is of no use
    of which a document is gone.
    """
    folder.mkdir(exist_ok=True)
    there = segments(folder, rule)
    shares = {file: _share_present(segment, rows) for file, segment in there.items()}
    used = {
        file: segment
        for file, segment in there.items()
        if (shares[file] == 1.0 if whole else shares[file] > STALE)
    }
    small = [file for file, segment in used.items() if len(segment.rows) < SMALL]
    if len(small) >= MOST_SMALL:
        used = {file: segment for file, segment in used.items() if file not in small}
    missing = _missing(rows, list(used.values()))
    kept = set(used)
    if len(missing):
        kept |= {
            segment.save(folder, rule.name) for segment in _made(rule, missing, texts, sketches)
        }
    for file in [*folder.glob(f"*{SUFFIX}"), *folder.glob(".*.part")]:
        if file not in kept:
            with suppress(OSError):  # somebody reads it, on a system that minds
                file.unlink()


def _made(
    rule: WordRule, rows: Rows, texts: Texts, sketches: Sketches | None = None
) -> Iterator[Segment]:
    from undertow.fulltext.segment_maker import SegmentMaker  # not needed to read

    maker = SegmentMaker(rule, sketches)
    for numbers, part in texts(rows):
        maker.add(numbers, part)
        if maker.full:
            yield maker.segment()
            maker = SegmentMaker(rule, sketches)
    if maker.documents:
        yield maker.segment()


def _missing(rows: Rows, there: Sequence[Segment]) -> Rows:
    """The rows that are in no segment."""
    held = np.zeros(len(rows), dtype=bool)
    for segment in there:
        spots = np.searchsorted(rows, segment.rows)
        inside = spots < len(rows)
        spots, sought = spots[inside], segment.rows[inside]
        held[spots[rows[spots] == sought]] = True
    return rows[~held]


def _share_present(segment: Segment, rows: Rows) -> float:
    return len(np.intersect1d(segment.rows, rows, assume_unique=True)) / max(len(segment.rows), 1)
