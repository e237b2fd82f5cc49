"""An atlas as arrays and plain values, and back: checked, since a model may be a stranger's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow import _lazy
from undertow._errors import InvalidInput
from undertow.topics._statistics import TermStatistics
from undertow.topics.atlas import Atlas, KeptDocuments, SeenDocuments
from undertow.topics.curation import checked_name
from undertow.topics.outline import Outline
from undertow.topics.records import TypicalDocument
from undertow.topics.tree import NOWHERE, TopicTree

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = _lazy.module("scipy.sparse")  # an outline is read without it

PREFIX = "topics."
LONGEST_TEXT = 2000  # of an id, a title or a sentence
LARGEST = 1e12  # of a number in a vector: products with it stay within single precision
MOST = 2**40  # documents

Arrays = dict[str, NDArray[Any]]


def arrays_of(atlas: Atlas) -> Arrays:
    """The arrays by the names under which they are stored."""
    tree, terms = atlas.tree, atlas.terms
    named: Arrays = {
        "parents": tree.parents,
        "heights": tree.heights,
        "leaves": tree.leaves,
        "dropped": tree.dropped.astype(np.uint8),
        "routes": atlas.routes,
        "means": atlas.means,
        "sizes": atlas.sizes,
        "pairs": atlas.pairs,
        "frequencies": terms.frequencies,
        "sample_sizes": terms.sizes,
        "kept.leaves": atlas.kept.leaves,
        "kept.vectors": atlas.kept.vectors,
        "seen.hashes": atlas.seen.hashes.view(np.int64),
        "seen.leaves": atlas.seen.leaves,
        **_packed("counts", terms.counts, np.int32),
        **_packed("npmi", sparse.csr_array(sparse.triu(terms.npmi, format="csr")), np.float32),
    }
    return {PREFIX + name: np.ascontiguousarray(array) for name, array in named.items()}


def plain(atlas: Atlas, vocabulary: Sequence[str]) -> dict[str, Any]:
    """Everything else. Words are stored where they are written otherwise than in the vocabulary."""
    return {
        "root": atlas.tree.root,
        "limits": list(atlas.limits),
        "chosen": atlas.chosen,
        "stability": [list(pair) for pair in atlas.stability],
        "documents": atlas.documents,
        "identity": atlas.identity,
        "overlapping": atlas.overlapping,
        "names": {str(node): name for node, name in atlas.names.items()},
        "made_names": {str(node): name for node, name in atlas.made_names.items()},
        "kept": [[one.id, one.title, one.sentence] for one in atlas.kept.documents],
        "written": {
            str(number): word
            for number, (word, own) in enumerate(zip(atlas.words, vocabulary, strict=True))
            if word != own
        },
    }


def restored_outline(manifest: Any, arrays: Arrays, units: int) -> Outline:
    """The outline of the atlas that was stored; `InvalidInput` where something does not fit."""
    return Outline(**_outline(_reader(manifest, arrays), manifest, units))


def restored(
    manifest: Any, arrays: Arrays, vocabulary: tuple[str, ...], units: int, others: int = 0
) -> Atlas:
    """The atlas that was stored; `InvalidInput` where something does not fit. Vectors have so many
    numbers that are units', and so many others.
    """
    read = _reader(manifest, arrays)
    outline = _outline(read, manifest, units + others)
    leaves, words = len(outline["tree"].leaves), len(vocabulary)
    pairs = read.array("pairs", np.int32, (None, 2), below=words)
    size = words + len(pairs)
    npmi = read.packed("npmi", np.float32, (size, size))
    terms = TermStatistics(
        read.packed("counts", np.int32, (leaves, size), non_negative=True),
        read.array("frequencies", np.int64, (size,), below=MOST),
        read.array("sample_sizes", np.int64, (leaves,), below=MOST),
        sparse.csr_array(npmi + npmi.T),
        words,
    )
    documents = [TypicalDocument(*_texts(one)) for one in _list(manifest, "kept")]
    return Atlas(
        **outline,
        terms=terms,
        words=_written(manifest, vocabulary),
        pairs=pairs,
        kept=KeptDocuments(
            read.array("kept.leaves", np.int32, (len(documents),), at_least=0, below=leaves),
            read.array("kept.vectors", np.float32, (len(documents), units + others)),
            tuple(documents),
        ),
        seen=_seen(read, leaves),
        stability=tuple((int(n), _number(figure)) for n, figure in _pairs(manifest, "stability")),
        documents=_whole(manifest, "documents", at_least=0),
        identity=str(manifest.get("identity", "")),
        overlapping=manifest.get("overlapping", False) is True,
        others=others,
    )


def _reader(manifest: Any, arrays: Arrays) -> _Reader:
    if not isinstance(manifest, dict):
        raise InvalidInput(f"topics must be an object, got {manifest!r:.60}")
    return _Reader({name.removeprefix(PREFIX): array for name, array in arrays.items()})


def _outline(read: _Reader, manifest: dict[str, Any], units: int) -> dict[str, Any]:
    """The fields of an `Outline`."""
    tree = _tree(read, manifest)
    leaves = len(tree.leaves)
    return {
        "tree": tree,
        "routes": read.array("routes", np.float32, (leaves, units)),
        "means": read.array("means", np.float32, (leaves, units)),
        "sizes": read.array("sizes", np.int64, (leaves,), below=MOST),
        "limits": _limits(manifest),
        "chosen": min(_whole(manifest, "chosen", at_least=1), leaves),
        "names": {node: checked_name(name) for node, name in _names(manifest, "names").items()},
        "made_names": _names(manifest, "made_names"),
    }


class _Reader:
    """Arrays by name, each checked for its type, shape and range."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays

    def array(
        self,
        name: str,
        dtype: Any,
        shape: tuple[int | None, ...],
        *,
        at_least: float | None = None,
        below: float | None = None,
        finite: bool = True,
    ) -> NDArray[Any]:
        if name not in self._arrays:
            raise InvalidInput(f"{PREFIX}{name} must be there, got none")
        found = self._arrays[name]
        fits = len(shape) == found.ndim and all(
            want in (None, have) for want, have in zip(shape, found.shape, strict=True)
        )
        if found.dtype != dtype or not fits:
            wanted = f"{np.dtype(dtype)} of shape {shape}"
            raise InvalidInput(
                f"{PREFIX}{name} must be {wanted}, got {found.dtype} of shape {found.shape}"
            )
        if finite and found.dtype.kind == "f" and not (np.abs(found) <= LARGEST).all():
            raise InvalidInput(
                f"{PREFIX}{name} must be finite, and at most {LARGEST:g} in size, got others"
            )
        if below is not None and at_least is None:
            at_least = 0
        if found.size and at_least is not None and found.min() < at_least:
            raise InvalidInput(f"{PREFIX}{name} must be at least {at_least}, got {found.min()}")
        if found.size and below is not None and found.max() >= below:
            raise InvalidInput(f"{PREFIX}{name} must be below {below}, got {found.max()}")
        return found

    def packed(
        self, name: str, dtype: Any, shape: tuple[int, int], *, non_negative: bool = False
    ) -> sparse.csr_array:
        rows, columns = shape
        starts = self.array(f"{name}.starts", np.int64, (rows + 1,), at_least=0)
        data = self.array(f"{name}.values", dtype, (None,), at_least=0 if non_negative else None)
        indices = self.array(f"{name}.columns", np.int32, (len(data),), below=max(columns, 1))
        if starts[0] != 0 or starts[-1] != len(data) or (np.diff(starts) < 0).any():
            raise InvalidInput(f"{PREFIX}{name}.starts must rise from 0 to {len(data)}, got others")
        found = sparse.csr_array((data, indices, starts), shape=shape)
        found.sum_duplicates()
        return found


def _packed(name: str, matrix: sparse.csr_array, dtype: Any) -> Arrays:
    return {
        f"{name}.values": matrix.data.astype(dtype),
        f"{name}.columns": matrix.indices.astype(np.int32),
        f"{name}.starts": matrix.indptr.astype(np.int64),
    }


def _tree(read: _Reader, manifest: dict[str, Any]) -> TopicTree:
    parents = read.array("parents", np.int32, (None,), at_least=NOWHERE)
    nodes = len(parents)
    heights = read.array("heights", np.float64, (nodes,), at_least=0, finite=False)
    leaves = read.array("leaves", np.int32, (None,), below=nodes)
    dropped = read.array("dropped", np.uint8, (nodes,), below=2).astype(np.bool_)
    root = _whole(manifest, "root", at_least=0)
    if (
        nodes == 0
        or root >= nodes
        or parents[root] != NOWHERE
        or parents.max() >= nodes
        or np.isnan(heights).any()
    ):
        raise InvalidInput("the tree of topics must have a root and nodes below it, got others")
    if not len(leaves) or len(np.unique(leaves)) != len(leaves) or np.isin(leaves, parents).any():
        raise InvalidInput("the tree of topics must have leaves that nothing is below, got others")
    _check_paths(parents, root)
    return TopicTree(parents, heights, leaves, dropped, root)


def _check_paths(parents: NDArray[np.int32], root: int) -> None:
    """Every node leads to the root or out of the tree, in fewer steps than there are nodes: no
    circles.

    Steps are doubled each time, so that a long chain costs no more than a flat tree.
    """
    above = parents
    for _ in range(len(parents).bit_length()):
        above = np.where(above == NOWHERE, NOWHERE, above[above])
    if (above != NOWHERE).any():
        raise InvalidInput("the tree of topics must have no circles, got one")


def _seen(read: _Reader, leaves: int) -> SeenDocuments:
    hashes = read.array("seen.hashes", np.int64, (None,))
    return SeenDocuments(
        hashes.view(np.uint64),
        read.array("seen.leaves", np.int32, (len(hashes),), at_least=-1, below=leaves),
    )


def _written(manifest: dict[str, Any], vocabulary: tuple[str, ...]) -> tuple[str, ...]:
    told = manifest.get("written", {})
    if not isinstance(told, dict) or not all(isinstance(word, str) for word in told.values()):
        raise InvalidInput(f"written must map numbers of words to texts, got {told!r:.60}")
    return tuple(told.get(str(number), word) for number, word in enumerate(vocabulary))


def _names(manifest: dict[str, Any], name: str) -> dict[int, str]:
    told = manifest.get(name, {})
    if not isinstance(told, dict) or not all(isinstance(given, str) for given in told.values()):
        raise InvalidInput(f"{name} must map ids to texts, got {told!r:.60}")
    try:
        return {int(node): given for node, given in told.items()}
    except ValueError as error:
        raise InvalidInput(f"{name} must map ids to texts, got {error}") from None


def _limits(manifest: dict[str, Any]) -> tuple[float, float]:
    found = _list(manifest, "limits")
    if len(found) != 2:
        raise InvalidInput(f"limits must be two numbers, got {found!r:.60}")
    return _number(found[0]), _number(found[1])


def _list(manifest: dict[str, Any], name: str) -> list[Any]:
    found = manifest.get(name)
    if not isinstance(found, list):
        raise InvalidInput(f"{name} must be a list, got {found!r:.60}")
    return found


def _pairs(manifest: dict[str, Any], name: str) -> list[tuple[Any, Any]]:
    found = _list(manifest, name)
    if not all(
        isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is int and 0 <= pair[0] <= MOST
        for pair in found
    ):
        raise InvalidInput(f"{name} must be a list of pairs, got {found!r:.60}")
    return [(first, second) for first, second in found]


def _whole(manifest: dict[str, Any], name: str, *, at_least: int) -> int:
    found = manifest.get(name)
    if type(found) is not int or not at_least <= found <= MOST:
        raise InvalidInput(
            f"{name} must be a whole number from {at_least} to {MOST}, got {found!r:.60}"
        )
    return found


def _number(found: Any) -> float:
    number = isinstance(found, (int, float)) and not isinstance(found, bool)
    if not (number and -LARGEST <= found <= LARGEST):
        raise InvalidInput(f"a figure must be a finite number, got {found!r:.60}")
    return float(found)


def _texts(found: Any) -> list[str]:
    if (
        not isinstance(found, list)
        or len(found) != 3
        or not all(isinstance(text, str) for text in found)
    ):
        raise InvalidInput(
            f"a typical document must have an id, a title and a sentence, got {found!r:.60}"
        )
    return [text[:LONGEST_TEXT] for text in found]
