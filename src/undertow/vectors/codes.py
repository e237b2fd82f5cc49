"""Short codes of documents: strengths turned so that their signs keep as much as they can.

Strengths of length 1 are centred, and put into the directions in which documents differ most
(principal components). There a turn is looked for after which numbers lie near +1 or -1 (iterative
quantization, Gong and Lazebnik 2011): by turns, bits are the signs of what is turned, and the turn
is the one that brings documents nearest to their bits. From 128 bits on there are two bits for each
direction: the first directions are what documents are grouped by, and the last ones, which get no
bits then, are noise that would count as much. docs/design_notes.md has what that is worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.vectors.features import mean_inputs, strengths_of
from undertow.vectors.joining import unit

SIZES = (32, 64, 128, 256)  # bits that codes may have, beside one for each unit
LEAST, MOST = 64, 128  # directions, where bits are more than these
ROUNDS = 20  # of the search for a turn; 50 told nothing more
ENOUGH = 8192  # documents to learn from: the cost has to have an end
ROWS = 1024  # that are turned at a time
FAINT = 1e-6  # the rounding of strengths: what lies no further from the centre gets no bit
PREFIX = "codes."  # of the names of stored arrays
CENTRE = "codes.centre"

Vectors = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Codes:
    """What codes are made by.

    Parameters
    ----------
    centre : array of float32, (units,)
        The mean of the documents' strengths, each of length 1.
    turns : mapping of int to array of float32, (units, bits)
        By the number of bits: what a vector less the centre is multiplied by. A bit says which
        numbers are then above 0.

    Examples
    --------
    >>> from undertow.vectors import Codes
    >>> codes = Codes(np.full(3, 0.5, np.float32), {3: np.eye(3, dtype=np.float32)})
    >>> codes.bits(np.array([[0.9, 0.1, 0.2]], np.float32)).astype(int)
    array([[1, 0, 0]])
    """

    centre: Vectors
    turns: Mapping[int, Vectors]

    def bits(self, vectors: Vectors, number: int | None = None) -> NDArray[np.bool_]:
        """Bits of strengths of length 1, one for each unit or another number that was learned.

        In double precision, so that neither threads nor how many documents there are matter.

        Parameters
        ----------
        vectors : array of float32, (documents, units)
            Strengths of length 1.
        number : int or None
            How many bits.

        Returns
        -------
        array of bool, (documents, bits)
            Bits.

        Examples
        --------
        >>> codes.bits(np.zeros((2, 3), np.float32), 3).any()
        np.False_
        """
        turn = self._turn(number).astype(np.float64)
        bits = np.empty((len(vectors), turn.shape[1]), dtype=np.bool_)
        for first in range(0, len(vectors), ROWS):
            part = vectors[first : first + ROWS].astype(np.float64)
            bits[first : first + ROWS] = (part - self.centre) @ turn > FAINT
        return bits

    def _turn(self, number: int | None) -> Vectors:
        units = len(self.centre)
        turn = self.turns.get(units if number is None else number)
        if turn is None:
            known = ", ".join(map(str, sorted(self.turns)))
            raise InvalidInput(f"n_bits must be one of {known} or None, got {number!r}")
        return turn

    def recentred(self, vectors: Vectors) -> Codes:
        """The same turns about the mean of other documents.

        Parameters
        ----------
        vectors : array of float32, (documents, units)
            Strengths of length 1; of no document, nothing changes.

        Returns
        -------
        Codes
            The new ones.

        Examples
        --------
        >>> codes.recentred(np.eye(3, dtype=np.float32)[:2]).centre
        array([0.5, 0.5, 0. ], dtype=float32)
        """
        return replace(self, centre=_mean(vectors)) if len(vectors) else self

    def arrays(self) -> dict[str, Vectors]:
        """As they are stored.

        Returns
        -------
        dict of str to array
            The centre, and turns by names with their number of bits.

        Examples
        --------
        >>> list(codes.arrays())
        ['codes.centre', 'codes.3']
        """
        turns = {f"{PREFIX}{bits}": turn for bits, turn in sorted(self.turns.items())}
        return {CENTRE: self.centre, **turns}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, Vectors], units: int) -> Codes | None:
        """Those that were stored, checked.

        Parameters
        ----------
        arrays : mapping of str to array
            As `arrays` gives them.
        units : int
            Of the model.

        Returns
        -------
        Codes or None
            None of models of earlier versions, which have none.

        Raises
        ------
        InvalidInput
            Where they do not belong together.

        Examples
        --------
        >>> Codes.of_arrays(codes.arrays(), 3).centre
        array([0.5, 0.5, 0.5], dtype=float32)
        """
        if not arrays:
            return None
        sizes = {
            name: int(size) if size.isdecimal() else 0
            for name in set(arrays) - {CENTRE}
            for size in [name.removeprefix(PREFIX)]
        }
        shapes = {CENTRE: (units,)} | {name: (units, size) for name, size in sizes.items()}
        for name, shape in shapes.items():
            got = arrays[name].shape if name in arrays else None
            if got != shape or 0 in shape:
                raise InvalidInput(f"{name} must have shape {shape}, got {got}")
        if f"{PREFIX}{units}" not in arrays:
            raise InvalidInput(f"codes must have one with a bit for each of {units} units")
        return cls(arrays[CENTRE], {size: arrays[name] for name, size in sizes.items()})


def seen_as_code(
    sums: Vectors,
    lengths: NDArray[np.float64],
    hidden_bias: Vectors,
    typical_length: float,
    codes: Codes | None,
    n_bits: int | None = None,
) -> tuple[Vectors, NDArray[np.bool_]]:
    """Strengths of length 1, and bits, from what hidden units see: W.u, which is written over, and
    L. Bits of an empty document are 0.

    A model of an earlier version has no codes: its bits say where posteriors are above 1/2.
    """
    units = sums.shape[1]
    if codes is None and n_bits not in (None, units):
        raise InvalidInput(
            f"n_bits must be {units} or None for a model of an earlier version, got {n_bits!r}"
        )
    if codes is None:
        bits = sums + lengths[:, None].astype(np.float32) * hidden_bias > 0
    vectors = unit(strengths_of(mean_inputs(sums, lengths, hidden_bias), typical_length))
    if codes is not None:
        bits = codes.bits(vectors, n_bits) & (lengths > 0)[:, None]
    return vectors, bits


def learned_codes(vectors: Vectors) -> Codes | None:
    """Codes from strengths of length 1 of some documents; None of no documents."""
    if not len(vectors):
        return None
    from threadpoolctl import threadpool_limits

    units = vectors.shape[1]
    centre = _mean(vectors)
    with threadpool_limits(1, user_api="blas"):  # more threads may round differently
        axes = _principal_axes(vectors - centre)
        turns = {bits: _turn(vectors - centre, axes, bits) for bits in sizes(units)}
    return Codes(centre, turns)


def sizes(units: int) -> list[int]:
    """How many bits codes of a model may have."""
    return [*(bits for bits in SIZES if bits < units), units]


def quantizing_turn(values: Vectors, bits: int, rounds: int = ROUNDS) -> Vectors:
    """(directions, bits) A turn of values (documents, directions) after which they lie near +-1.

    Its rows are orthonormal. Each round can only lessen the squared distance of the turned values
    from their signs. It begins with cosines, in which each direction has a part in every bit.
    """
    turn = _cosines(values.shape[1], bits)
    for _ in range(rounds):
        signs = np.where(values @ turn > 0, np.float32(1.0), np.float32(-1.0))
        left, _, right = np.linalg.svd((values.T @ signs).astype(np.float64), full_matrices=False)
        turn = (left @ right).astype(np.float32)
    return turn


def _turn(centred: Vectors, axes: Vectors, bits: int) -> Vectors:
    directions = min(bits, centred.shape[1], max(LEAST, min(bits // 2, MOST)))
    kept = axes[:, :directions]
    turn: Vectors = kept @ quantizing_turn(centred @ kept, bits)
    return turn


def _principal_axes(centred: Vectors) -> Vectors:
    """(units, units) Directions, the one in which documents differ most first."""
    axes: Vectors = np.linalg.eigh((centred.T @ centred).astype(np.float64))[1][:, ::-1]
    return np.ascontiguousarray(axes, dtype=np.float32)


def _mean(vectors: Vectors) -> Vectors:
    mean: Vectors = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    return mean


def _cosines(directions: int, bits: int) -> Vectors:
    """Orthonormal rows of cosines, without the constant one where it can be spared."""
    frequency = np.arange(directions)[:, None] + (directions < bits)
    rows = np.cos(np.pi * frequency * (2 * np.arange(bits) + 1) / (2 * bits))
    result: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return result
