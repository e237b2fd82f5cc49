"""An overview on disk: the folder `overview` of an index, JSON and arrays, replaced whole.

What is read may come from a stranger, with the index that it lies in. So sizes, shapes and ranges
are checked: what others do with an overview relies on them.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import ModelFileError
from undertow.insight.over_time import MOST_BINS, TopicsOverTime
from undertow.insight.overview import TYPICAL, Overview, routes_of, sample
from undertow.search.folder.layout import OVERVIEW
from undertow.storage import read_folder, write_folder
from undertow.storage.layout import remove_folder

if TYPE_CHECKING:
    from undertow.search import Index
    from undertow.topics import Atlas

KIND = "overview"
FORMAT = 2  # raised when an overview of the same documents would be another
LARGEST = 2**30  # bytes of arrays

Arrays = dict[str, NDArray[Any]]


def place(index: Index) -> Path:
    """Where it is."""
    return index.path / OVERVIEW


def write(index: Index, overview: Overview) -> None:
    """Stores it, in the place of another one."""
    target = place(index)
    arrays: Arrays = {
        "positions": overview.positions,
        "leaves": overview.leaves,
        "nearness": overview.nearness,
        "label_of": overview.label_of,
        "typical": overview.typical,
        **_packed("ids", overview.ids),
        **_packed("labels", overview.labels),
    }
    if overview.times is not None:
        arrays["times"] = overview.times
    if overview.over_time is not None:
        series = overview.over_time
        arrays |= {"edges": series.edges, "documents": series.documents, "counts": series.counts}
    manifest = {
        "format": FORMAT,
        "state": overview.state,
        "routes": overview.routes,
        "time_kind": overview.time_kind,
        "sampled_from": overview.sampled_from,
        "map_seconds": overview.map_seconds,
    }
    if os.path.isdir(target) and not os.path.islink(target):
        remove_folder(target)  # it is not of use any more, and may be damaged
    write_folder(target, kind=KIND, manifest=manifest, arrays=arrays)


def read(index: Index) -> Overview | None:
    """The stored overview; None where there is none of this state and these topics.

    `ModelFileError` where it is not sound.
    """
    folder = place(index)
    atlas: Atlas | None = getattr(index.model, "atlas_", None)
    if atlas is None or not os.path.lexists(folder):
        return None
    if os.path.islink(folder):
        raise ModelFileError(f"{folder} must be a folder, got a link")
    size = sum(entry.stat(follow_symlinks=False).st_size for entry in os.scandir(folder))
    if size > LARGEST:
        raise ModelFileError(f"{folder} must have at most {LARGEST:,} bytes, got {size:,}")
    manifest, arrays = read_folder(folder, kind=KIND)
    of = {"format": FORMAT, "state": index.state, "routes": routes_of(atlas)}
    if any(manifest.get(name) != value for name, value in of.items()):
        return None
    try:
        return _checked(manifest, arrays, len(index), len(atlas.tree.leaves))
    except (ValueError, KeyError) as error:
        raise ModelFileError(
            f"{folder} must hold the overview of an index, got {error!s:.80}"
        ) from None


def _packed(name: str, texts: list[str] | tuple[str, ...]) -> Arrays:
    """Texts as bytes, and where each ends."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {f"{name}.bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{name}.ends": ends}


def _unpacked(name: str, arrays: Arrays) -> list[str]:
    text, ends = (
        _array(arrays, f"{name}.bytes", "uint8", (None,)),
        _array(arrays, f"{name}.ends", "int64", (None,)),
    )
    starts = np.concatenate([[0], ends])
    _require(f"{name}.ends", starts[-1] == len(text) and (np.diff(starts) >= 0).all())
    whole = text.tobytes()
    return [
        whole[start:end].decode()
        for start, end in zip(starts[:-1].tolist(), ends.tolist(), strict=True)
    ]


def _checked(manifest: dict[str, Any], arrays: Arrays, documents: int, leaves: int) -> Overview:
    n = len(sample(documents))
    ids, labels = _unpacked("ids", arrays), _unpacked("labels", arrays)
    _require("ids", len(ids) == n)
    positions = _array(arrays, "positions", "float32", (n, 2))
    missing = np.isnan(positions)
    _require(
        "positions", (missing[:, 0] == missing[:, 1]).all() and _within(positions[~missing], 0, 1)
    )
    nearness = _array(arrays, "nearness", "float32", (n,))
    _require("nearness", _within(nearness, -1.01, 1.01))
    kind, times = manifest["time_kind"], _times(arrays, n)
    _require("time_kind", kind in ((None,) if times is None else ("date", "number")))
    seconds = manifest["map_seconds"]
    _require("map_seconds", isinstance(seconds, float) and math.isfinite(seconds))
    _require("sampled_from", manifest["sampled_from"] == documents)
    return Overview(
        ids=ids,
        positions=positions,
        leaves=_numbers(arrays, "leaves", (n,), leaves),
        nearness=nearness,
        labels=tuple(labels),
        label_of=_numbers(arrays, "label_of", (n,), len(labels)),
        times=times,
        time_kind=kind,
        typical=_numbers(arrays, "typical", (leaves, TYPICAL), n),
        over_time=None if "edges" not in arrays else _series(arrays, n, leaves),
        sampled_from=documents,
        map_seconds=seconds,
        routes=manifest["routes"],
        state=manifest["state"],
    )


def _times(arrays: Arrays, n: int) -> NDArray[np.float64] | None:
    if "times" not in arrays:
        return None
    times = _array(arrays, "times", "float64", (n,))
    _require("times", not np.isinf(times).any())
    return times


def _series(arrays: Arrays, n: int, leaves: int) -> TopicsOverTime:
    edges = _array(arrays, "edges", "float64", (None,))
    bins = len(edges) - 1
    _require(
        "edges", 1 <= bins <= MOST_BINS and np.isfinite(edges).all() and (np.diff(edges) > 0).all()
    )
    documents = _array(arrays, "documents", "int64", (bins,))
    _require("documents", _within(documents, 0, n) and documents.sum() <= n)
    counts = _array(arrays, "counts", "int64", (bins, leaves))
    _require("counts", _within(counts, 0, n) and (counts.sum(axis=1) <= documents).all())
    return TopicsOverTime(edges, documents, counts)


def _numbers(arrays: Arrays, name: str, shape: tuple[int, ...], below: int) -> NDArray[np.int32]:
    """Numbers of something that there is so much of, -1 for none."""
    numbers = _array(arrays, name, "int32", shape)
    _require(name, _within(numbers, -1, below - 1))
    return numbers


def _array(arrays: Arrays, name: str, kind: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    array = arrays[name]
    same = len(shape) == array.ndim and all(
        want is None or want == got for want, got in zip(shape, array.shape, strict=True)
    )
    if array.dtype.name != kind or not same:
        raise ValueError(f"{name} as {array.dtype.name} of shape {array.shape}")
    return array


def _within(values: NDArray[Any], low: float, high: float) -> bool:
    return bool(((values >= low) & (values <= high)).all())


def _require(name: str, holds: object) -> None:
    if not holds:
        raise ValueError(f"{name} with values that cannot be")
