"""Cutting a corpus into parts that many workers read at the same time."""

from __future__ import annotations

import math
import secrets
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.corpus.corpus import ROWS, Corpus

ROUNDS = 64  # in which documents are dealt out to workers,
FEWEST = 16  # and documents of each in a round, or about as many
PIECES = 4  # for each worker, so that none waits long for the last
MOST = 20 * ROWS  # rows of a piece


@dataclass(frozen=True)
class Piece:
    """Rows of a corpus, from `first` to before `last`."""

    first: int
    last: int


def shards(corpus: Corpus, number: int) -> list[Corpus]:
    """So many parts, which together are the corpus, with about as many documents each, from
    everywhere in it: blocks are dealt out like cards. Corpora are often sorted, by their labels or
    by time, and workers that each saw other things would not agree.

    Where only some splits are wanted, the column of splits is read once, so that each part has its
    share of them. Parts may be empty where there are few documents.
    """
    number = _check.whole_number("number", number, at_least=1)
    if number == 1:
        return [corpus]
    begin, end = _rows(corpus)
    rows = None if corpus._splits is None else corpus.row_numbers()[0]
    documents = end - begin if rows is None else len(rows)
    rounds = min(max(documents // (number * FEWEST), 1), ROUNDS)
    edges = [documents * place // (rounds * number) for place in range(rounds * number + 1)]
    cuts = [begin + edge if rows is None else _row(rows, edge, begin, end) for edge in edges]
    hands: list[list[tuple[int, int]]] = [[] for _ in range(number)]
    for block, (first, last) in enumerate(pairwise(cuts)):
        if first < last:  # who is dealt first changes with each round
            hands[(block + block // number) % number].append((first, last))
    return [corpus._of_blocks(hand) for hand in hands]


def _row(rows: NDArray[np.int64], document: int, begin: int, end: int) -> int:
    """The row in which the block of this document begins."""
    if document == 0:
        return begin
    return int(rows[document]) if document < len(rows) else end


def order_of(corpus: Corpus, parts: Sequence[Corpus]) -> tuple[NDArray[np.int64], int]:
    """The numbers that the documents of the parts, one part after the other, have in the corpus;
    and how many there are.
    """
    rows, _ = corpus.row_numbers()
    dealt = np.concatenate([part.row_numbers()[0] for part in parts])
    return np.searchsorted(rows, dealt), len(rows)


def pieces(corpus: Corpus, workers: int, first: int = 0) -> list[Piece]:
    """Some pieces for each worker, of whole chunks, from this row on."""
    begin, end = _rows(corpus)
    chunks = math.ceil((end - begin) / (PIECES * workers * ROWS))
    size = min(max(chunks, 1) * ROWS, MOST)
    return [Piece(row, min(row + size, end)) for row in range(max(begin, first), end, size)]


def row_of(corpus: Corpus, document: int) -> int:
    """The row in which a document stands, by its number; that after the last for one too many."""
    begin, end = _rows(corpus)
    if corpus._splits is None:
        return min(begin + document, end)
    rows, _ = corpus.row_numbers()
    return int(rows[document]) if document < len(rows) else end


def seen_as(corpus: Corpus) -> str:
    """Tells a corpus from others unread: by its columns, and the sizes and times of its files.

    Of what is no file on this machine nothing is known, and no two are the same.
    """
    path = Path(corpus.name)
    if not path.exists():
        return secrets.token_hex(16)
    files = sorted(path.rglob("*")) if path.is_dir() else [path.resolve()]
    looks = [(str(file), file.lstat().st_size, file.lstat().st_mtime_ns) for file in files]
    return repr((looks, corpus.names, corpus.columns, corpus._splits, corpus._rows, corpus._blocks))


@contextmanager
def seen_everywhere(corpus: Corpus) -> Iterator[None]:
    """Where a worker reads: says of files that are not on its machine that they have to be."""
    try:
        yield
    except (InvalidInput, OSError) as error:
        if "No such file" not in str(error) or Path(corpus.name).exists():
            raise
        raise InvalidInput(
            f"{corpus.name} must be there under the same path on all machines of the cluster, and "
            f"is not on {socket.gethostname()}"
        ) from None


def _rows(corpus: Corpus) -> tuple[int, int]:
    """From which row to before which it goes."""
    return corpus._rows or (0, corpus.count_rows())
