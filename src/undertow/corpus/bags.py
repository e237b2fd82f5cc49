"""Bags of words of gensim: its corpora and dictionaries, without gensim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from undertow._errors import InvalidInput

Bag = Iterable[tuple[int, float]]


def gensim_counts(bags: Iterable[Bag], dictionary: Any) -> tuple[sparse.csr_array, list[str]]:
    """Counts for `ReplicatedSoftmax`, and the words of their columns, from a corpus of gensim.

    Parameters
    ----------
    bags : iterable of bags
        Documents as (id, count) pairs: what `Dictionary.doc2bow` gives, or a corpus such as
        `MmCorpus`, which is read once.
    dictionary : gensim.corpora.Dictionary, or mapping of str to int
        Word -> id. Anything with an attribute `token2id` will do.

    Returns
    -------
    counts : sparse array (documents, words)
        A column for each word, in the order of ids.
    words : list of str
        The words.

    Raises
    ------
    InvalidInput
        Where a bag holds an id that the dictionary does not have, or anything but whole numbers.

    Examples
    --------
    >>> bags = [[(0, 2), (1, 1)], [(2, 1)]]
    >>> counts, words = undertow.corpus.gensim_counts(bags, {"apple": 0, "pear": 1, "moon": 2})
    >>> counts.toarray().tolist(), words
    ([[2, 1, 0], [0, 0, 1]], ['apple', 'pear', 'moon'])
    """
    words = _words(dictionary)
    column_of = {number: column for column, number in enumerate(words)}
    starts, columns, values = [0], list[int](), list[int]()
    for bag in _checked(bags, words):
        for number, count in bag:
            columns.append(column_of[number])
            values.append(count)
        starts.append(len(columns))
    parts = (np.array(values, np.int32), np.array(columns, np.int32), np.array(starts, np.int64))
    counts = sparse.csr_array(parts, shape=(len(starts) - 1, len(words)))
    counts.sum_duplicates()
    return counts, list(words.values())


def gensim_tokens(bags: Iterable[Bag], dictionary: Any) -> Iterator[list[str]]:
    """Lists of tokens for `TopicModel`, `Vectorizer` and `Index`, from a corpus of gensim.

    Each word comes as often as it was counted; the order of words is not known to a bag, so
    n-grams mean nothing.

    Parameters
    ----------
    bags : iterable of bags
        As of `gensim_counts`.
    dictionary : gensim.corpora.Dictionary, or mapping of str to int
        Word -> id.

    Yields
    ------
    list of str
        The tokens of a document.

    Raises
    ------
    InvalidInput
        As `gensim_counts`.

    Examples
    --------
    >>> list(undertow.corpus.gensim_tokens(bags, {"apple": 0, "pear": 1, "moon": 2}))
    [['apple', 'apple', 'pear'], ['moon']]
    """
    words = _words(dictionary)
    for bag in _checked(bags, words):
        yield [words[number] for number, count in bag for _ in range(count)]


def _words(dictionary: Any) -> dict[int, str]:
    """Id -> word, in the order of ids."""
    ids = getattr(dictionary, "token2id", dictionary)
    if not isinstance(ids, Mapping) or not ids:
        raise InvalidInput(
            f"dictionary must map words to ids, or have token2id, got {dictionary!r:.60}"
        )
    words = {int(number): str(word) for word, number in ids.items()}
    if len(words) < len(ids):
        raise InvalidInput("dictionary must give each word an id of its own, got one twice")
    return dict(sorted(words.items()))


def _checked(bags: Iterable[Bag], words: Mapping[int, str]) -> Iterator[list[tuple[int, int]]]:
    for row, bag in enumerate(bags):
        found = []
        for number, count in _pairs(bag, row):
            if number not in words:
                raise InvalidInput(
                    f"bags must hold ids of the dictionary, got {number!r} in document {row}"
                )
            if not (count >= 0 and count == count // 1):
                raise InvalidInput(
                    f"bags must hold whole numbers, got {count} in document {row}: weights such "
                    f"as tf-idf do not belong here"
                )
            found.append((int(number), int(count)))
        yield found


def _pairs(bag: Any, row: int) -> list[tuple[Any, Any]]:
    try:
        return [(number, count) for number, count in bag]
    except (TypeError, ValueError):
        raise InvalidInput(
            f"bags must be lists of (id, count), got {bag!r:.60} for document {row}"
        ) from None
