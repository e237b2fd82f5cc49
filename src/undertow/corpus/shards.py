"""Cutting a corpus into parts that many workers read at the same time."""

from __future__ import annotations

from itertools import pairwise

from undertow import _check
from undertow.corpus.corpus import Corpus


def shards(corpus: Corpus, number: int) -> list[Corpus]:
    """So many parts, which together are the corpus in its order, with about as many documents each.

    Where only some splits are wanted, the column of splits is read once, so that each part has its
    share of them. Parts may be empty where there are few documents.
    """
    number = _check.whole_number("number", number, at_least=1)
    begin, end = corpus._rows or (0, corpus.count_rows())
    if corpus._splits is None:
        cuts = [begin + (end - begin) * part // number for part in range(number + 1)]
    else:
        rows, _ = corpus.row_numbers()
        inner = [len(rows) * part // number for part in range(1, number)]
        cuts = [begin, *(int(rows[place]) if len(rows) else begin for place in inner), end]
    return [corpus.part(first, last) for first, last in pairwise(cuts)]
