"""Cutting a corpus into parts that many workers read at the same time."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from undertow import _check
from undertow.corpus.corpus import ROWS, Corpus

PIECES = 4  # for each worker, so that none waits long for the last
MOST = 20 * ROWS  # rows of a piece


@dataclass(frozen=True)
class Piece:
    """Rows of a corpus, from `first` to before `last`."""

    first: int
    last: int


def shards(corpus: Corpus, number: int) -> list[Corpus]:
    """So many parts, which together are the corpus in its order, with about as many documents each.

    Where only some splits are wanted, the column of splits is read once, so that each part has its
    share of them. Parts may be empty where there are few documents.
    """
    number = _check.whole_number("number", number, at_least=1)
    begin, end = _rows(corpus)
    if corpus._splits is None:
        cuts = [begin + (end - begin) * part // number for part in range(number + 1)]
    else:
        rows, _ = corpus.row_numbers()
        inner = [len(rows) * part // number for part in range(1, number)]
        cuts = [begin, *(int(rows[place]) if len(rows) else begin for place in inner), end]
    return [corpus.part(first, last) for first, last in pairwise(cuts)]


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
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    looks = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return repr((looks, corpus.names, corpus.columns, corpus._splits, corpus._rows))


def _rows(corpus: Corpus) -> tuple[int, int]:
    """From which row to before which it goes."""
    return corpus._rows or (0, corpus.count_rows())
