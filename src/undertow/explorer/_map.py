"""Answers made of the overview: the map as bytes, points of it, and topics over time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.explorer import _answers as answers
from undertow.explorer._background import Background
from undertow.explorer._fixed import Fixed
from undertow.explorer._problems import NotFound, Unready
from undertow.explorer.source import Source

if TYPE_CHECKING:
    from undertow.insight import Overview, TopicsOverTime

POINT_TEXT = 200  # characters
MOST_LABELS = 2**15 - 1  # that 16 bits can number
ALIGNED = 8  # bytes: where an array may begin, so that a browser can look at it in place


class MapDesk:
    """Answers about the overview of a source."""

    def __init__(self, source: Source, background: Background) -> None:
        self._source, self._background = source, background
        self._map: Fixed | None = None

    def map(self) -> Fixed:
        """All points; made once."""
        overview = self.overview()
        if self._map is None:
            self._map = Fixed(packed_map(overview), "application/octet-stream")
        return self._map

    def documents(self, rows: list[int]) -> answers.MapDocuments:
        """Some points with the beginnings of their texts."""
        overview = self.overview()
        wrong = next((row for row in rows if not 0 <= row < len(overview.ids)), None)
        if wrong is not None:
            raise InvalidInput(f"rows must be from 0 to {len(overview.ids) - 1}, got {wrong}")
        there = self._source.documents([overview.ids[row] for row in rows])
        shown = [(row, there[overview.ids[row]]) for row in rows if overview.ids[row] in there]
        return answers.MapDocuments(
            documents=[
                answers.MapDocument(
                    row=row,
                    id=document.id,
                    text=document.text[:POINT_TEXT],
                    label=document.label,
                    topic=int(overview.topics[row]),
                )
                for row, document in shown
            ]
        )

    def over_time(self, topics: list[int]) -> answers.Times:
        """The courses of some topics."""
        found = self.courses(topics)
        return answers.Times(
            edges=found.edges.tolist(),
            documents=found.documents.tolist(),
            shares={str(topic): np.nan_to_num(found.share[:, topic]).tolist() for topic in topics},
            kind="date" if self.overview().time_kind == "date" else "number",
        )

    def courses(self, topics: list[int]) -> TopicsOverTime:
        """The courses of all topics, once it is sure that they are known and that these topics are there."""
        found = self.overview().over_time
        if found is None:
            raise NotFound("there are no times: the index has no time column, or none that is filled")
        units = found.share.shape[1]
        wrong = next((topic for topic in topics if not 0 <= topic < units), None)
        if wrong is not None:
            raise InvalidInput(f"topics must be from 0 to {units - 1}, got {wrong}")
        return found

    def overview(self) -> Overview:
        """The overview, or the error that says how far it is."""
        background = self._background
        if background.overview is None:
            worded = {
                "computing": "the overview is still being computed",
                "absent": "there is no overview: a model was opened, not an index",
            }
            error = background.error or worded.get(background.state, "the overview could not be made")
            raise Unready(answers.NotYet(error=error, state=background.state, progress=background.progress))
        return background.overview


def packed_map(overview: Overview) -> bytes:
    """uint32 length of the header, the header as JSON padded by spaces, and the arrays, all little endian.

    The header's `arrays` says where each array begins, in bytes after the header.
    """
    n = len(overview.ids)
    codes = np.where(overview.label_of < MOST_LABELS, overview.label_of, -1)
    times = np.full(n, np.nan) if overview.times is None else overview.times
    arrays: dict[str, NDArray[Any]] = {
        "positions": overview.positions.astype("<f4"),
        "topics": overview.topics.astype("<i2"),
        "labels": codes.astype("<i2"),
        "times": times.astype("<f8"),
    }
    layout, body = [], b""
    for name, array in arrays.items():
        layout.append({"name": name, "type": array.dtype.name, "shape": list(array.shape), "offset": len(body)})
        body += array.tobytes() + b"\0" * (-array.nbytes % ALIGNED)
    facts = {
        "n": n,
        "labels": list(overview.labels[:MOST_LABELS]),
        "time_kind": None if overview.times is None else overview.time_kind,
        "sampled_from": overview.sampled_from,
        "arrays": layout,
    }
    header = json.dumps(facts, separators=(",", ":"), ensure_ascii=False).encode()
    header += b" " * (-(4 + len(header)) % ALIGNED)
    return np.array(len(header), dtype="<u4").tobytes() + header + body
