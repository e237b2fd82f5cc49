"""Counts of chunks whose words have no columns yet: kept until the vocabulary is chosen, on disk if
they are many.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from undertow.corpus.count_matrices import PackedCounts
from undertow.files.scratch import Scratch

logger = logging.getLogger("undertow")

Chunk = list[PackedCounts]  # of the same documents: tokens, pairs of tokens and so on
Recall = Callable[[], Chunk]


class ChunkStore:
    """Chunks in their order: in memory up to `at_most` bytes, beyond that all of them in the
    scratch folder.
    """

    def __init__(self, at_most: float = float("inf"), scratch: Scratch | None = None) -> None:
        self._at_most, self._scratch = at_most, scratch
        self._held: list[Chunk] = []
        self._bytes = 0
        self._files: list[list[Path]] = []

    def add(self, chunk: Chunk) -> None:
        """Appends a chunk."""
        self._held.append(chunk)
        self._bytes += sum(part.nbytes for part in chunk)
        if self._scratch is not None and self._bytes > self._at_most:
            if not self._files:
                logger.info(
                    "the counts of all words take more than %d bytes: on to %s",
                    self._at_most,
                    self.folder,
                )
            self._files += [
                self._written(number, held)
                for number, held in enumerate(self._held, len(self._files))
            ]
            self._held = []  # the bytes stay: whatever comes now goes to disk as well

    def recalls(self) -> Iterator[Recall]:
        """A function for each chunk that brings it back, once: memory and disk are let go on the
        way.
        """
        self._files.reverse()
        while self._files:
            yield partial(_read_all, self._files.pop())
        self._held.reverse()
        while self._held:
            yield partial(list, self._held.pop())

    @property
    def folder(self) -> Path:
        """Where chunks go that do not fit."""
        assert self._scratch is not None
        return self._scratch.folder

    def _written(self, number: int, chunk: Chunk) -> list[Path]:
        names = [self.folder / f"chunk-{number}-{n}" for n in range(len(chunk))]
        for name, part in zip(names, chunk, strict=True):
            part.types.alias("word").to_frame().write_ipc(_words(name), compression="uncompressed")
            with _arrays(name).open("wb") as file:
                for array in (part.starts, part.codes, part.data):
                    np.save(file, array, allow_pickle=False)
        return names


def _read_all(names: list[Path]) -> Chunk:
    return [_read(name) for name in names]


def _read(name: Path) -> PackedCounts:
    # from bytes: a path would be mapped, and we remove it
    types = pl.read_ipc(_words(name).read_bytes())["word"]
    with _arrays(name).open("rb") as file:
        starts, codes, data = (np.load(file, allow_pickle=False) for _ in range(3))
    _words(name).unlink()
    _arrays(name).unlink()
    return PackedCounts(types, starts, codes, data)


def _words(name: Path) -> Path:
    return name.with_suffix(".arrow")


def _arrays(name: Path) -> Path:
    return name.with_suffix(".npy")
