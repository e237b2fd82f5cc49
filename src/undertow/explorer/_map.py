"""Answers made of the overview: the map as bytes, points of it, and topics over time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.explorer import _answers as answers
from undertow.explorer._background import Background
from undertow.explorer._fixed_responses import FixedResponse
from undertow.explorer._problems import NotFound, Unready
from undertow.explorer._topics import Sizes, TopicDesk, named
from undertow.explorer.source import Source

if TYPE_CHECKING:
    from undertow.insight import Overview, TopicsOverTime
    from undertow.topics import Atlas

POINT_TEXT = 200  # characters
MOST_LABELS = 2**15 - 1  # that 16 bits can number
ALIGNED = 8  # bytes: where an array may begin, so that a browser can look at it in place


class MapDesk:
    """Answers about the overview of a source."""

    def __init__(self, source: Source, background: Background) -> None:
        self._source, self._background = source, background
        self._map: FixedResponse | None = None
        self._leaf_times: FixedResponse | None = None

    def map(self) -> FixedResponse:
        """All points; made once."""
        overview = self.overview()
        if self._map is None:
            self._map = FixedResponse(packed_map(overview), "application/octet-stream")
        return self._map

    def documents(self, rows: list[int]) -> answers.MapDocuments:
        """Some points with the beginnings of their texts."""
        overview = self.overview()
        wrong = next((row for row in rows if not 0 <= row < len(overview.ids)), None)
        if wrong is not None:
            raise InvalidInput(f"rows must be from 0 to {len(overview.ids) - 1}, got {wrong}")
        ids = [overview.ids[row] for row in rows]
        there = self._source.documents(ids, text_length=POINT_TEXT)
        shown = [(row, there[overview.ids[row]]) for row in rows if overview.ids[row] in there]
        return answers.MapDocuments(
            documents=[
                answers.MapDocument(
                    row=row,
                    id=document.id,
                    text=document.text[:POINT_TEXT],
                    label=document.label,
                    leaf=int(overview.leaves[row]),
                )
                for row, document in shown
            ]
        )

    def over_time(self, topics: TopicDesk, n: int | None, chosen: list[int]) -> answers.Times:
        """The courses of the topics of a cut, or of some that do not lie in each other."""
        found, atlas = self._series(), topics.atlas
        nodes = chosen or atlas.cut(n)
        _check_apart(atlas, nodes)
        sizes = Sizes.of(atlas, self.overview())
        return answers.Times(
            edges=found.edges.tolist(),
            documents=found.documents.tolist(),
            topics=named(atlas, nodes, sizes),
            shares=np.round(found.shares(atlas, nodes).T, 5).tolist(),
            kind=self._kind(),
        )

    def leaf_times(self) -> FixedResponse:
        """Documents by time and leaf; they stay the same when topics are edited, so they are packed
        once.
        """
        found = self._series()
        if self._leaf_times is None:
            answer = answers.LeafTimes(
                edges=found.edges.tolist(),
                documents=found.documents.tolist(),
                counts=found.counts.tolist(),
                kind=self._kind(),
            )
            self._leaf_times = FixedResponse(answer.model_dump_json().encode(), "application/json")
        return self._leaf_times

    def _series(self) -> TopicsOverTime:
        found = self.overview().over_time
        if found is None:
            raise NotFound(
                "there are no times: the index has no time column, or none that is filled"
            )
        return found

    def _kind(self) -> Literal["date", "number"]:
        return "date" if self.overview().time_kind == "date" else "number"

    def overview(self) -> Overview:
        """The overview, or the error that says how far it is."""
        background = self._background
        if background.overview is None:
            worded = {
                "computing": "the overview is still being computed",
                "absent": "there is no overview: a model was opened, not an index",
            }
            error = background.error or worded.get(
                background.state, "the overview could not be made"
            )
            raise Unready(
                answers.NotYet(error=error, state=background.state, progress=background.progress)
            )
        return background.overview


def _check_apart(atlas: Atlas, nodes: list[int]) -> None:
    """A document is counted once: topics that lie in each other would share it."""
    for node in nodes:
        atlas.checked(node, "topics")
        climbing = atlas.tree.parent(node)
        while climbing is not None:
            if climbing in nodes:
                raise InvalidInput(
                    f"topics must not lie in each other, got {node}, which is part of {climbing}"
                )
            climbing = atlas.tree.parent(climbing)


def packed_map(overview: Overview) -> bytes:
    """uint32 length of the header, the header as JSON padded by spaces, and the arrays, all little
    endian.

    The header's `arrays` says where each array begins, in bytes after the header.
    """
    n = len(overview.ids)
    codes = np.where(overview.label_of < MOST_LABELS, overview.label_of, -1)
    times = np.full(n, np.nan) if overview.times is None else overview.times
    arrays: dict[str, NDArray[Any]] = {
        "positions": overview.positions.astype("<f4"),
        "leaves": overview.leaves.astype("<i2"),
        "labels": codes.astype("<i2"),
        "times": times.astype("<f8"),
    }
    layout, body = [], b""
    for name, array in arrays.items():
        layout.append(
            {
                "name": name,
                "type": array.dtype.name,
                "shape": list(array.shape),
                "offset": len(body),
            }
        )
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
