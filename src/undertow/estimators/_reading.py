"""From texts to counts: held in memory while they are few, spooled to disk beyond that."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from scipy import sparse

from undertow.corpus import Vectorizer
from undertow.corpus.chunk_store import ChunkStore
from undertow.corpus.count_matrices import stacked
from undertow.files.scratch import Scratch
from undertow.spool import CountSpool, SpoolWriter

logger = logging.getLogger("undertow")

Transform = Callable[[sparse.csr_array], sparse.csr_array]
Show = Callable[[str, int], None]


@dataclass(frozen=True)
class Reading:
    """How texts were read: how many, how long it took, and what their counts took on disk (0: none
    had to).
    """

    documents: int
    seconds: float
    scratch_bytes: int


def read_counts(
    vectorizer: Vectorizer,
    texts: Any,
    transform: Transform,
    *,
    at_most: int,
    scratch: Scratch,
    show: Show,
    anew: bool = True,
) -> sparse.csr_array | CountSpool:
    """Fits the vectorizer, and gives the counts of the same texts, which are read once.

    If it is not to be fitted anew, the counts are those of the words that it knows.
    A matrix as it was counted, if it takes at most so many bytes; otherwise a spool in the scratch
    folder, which is transformed already. While all words are counted to choose among them, no more
    than these bytes are held either.
    """
    chunks: Generator[sparse.csr_array]
    if anew:
        kept = ChunkStore(at_most, scratch)
        chunks = vectorizer.fit_chunks(
            texts, kept=kept, watch=lambda documents: show("read", documents)
        )
    else:
        chunks = counts_of(vectorizer, texts)
    words = len(vectorizer.get_feature_names_out())
    return gathered(chunks, words, transform, at_most=at_most, scratch=scratch, show=show)


def gathered(
    chunks: Generator[sparse.csr_array],
    words: int,
    transform: Transform,
    *,
    at_most: int,
    scratch: Scratch,
    show: Show,
) -> sparse.csr_array | CountSpool:
    """Chunks of counts put together: as they are if they take so many bytes, or a spool."""
    held: list[sparse.csr_array] = []
    size = 0
    with closing(chunks):  # after an error no thread is left that reads from the scratch folder
        for chunk in chunks:
            held.append(chunk)
            size += chunk.data.nbytes + chunk.indices.nbytes + chunk.indptr.nbytes
            show("counted", chunk.shape[0])
            if size > at_most:
                return _spooled(_popped(held), chunks, words, transform, scratch, show)
    return stacked(_popped(held), words)


def counts_of(vectorizer: Vectorizer, texts: Any) -> Generator[sparse.csr_array]:
    """The counts of texts in chunks, with the words that the vectorizer knows."""
    return (chunk.counts for chunk in vectorizer.count_chunks(texts))


def _spooled(
    held: Iterator[sparse.csr_array],
    chunks: Iterator[sparse.csr_array],
    words: int,
    transform: Transform,
    scratch: Scratch,
    show: Show,
) -> CountSpool:
    logger.info("the counts do not fit into the memory granted: they go to %s", scratch.folder)
    writer = SpoolWriter(scratch.folder / "counts", words)
    for chunk in held:
        writer.add(transform(chunk))
    for chunk in chunks:
        writer.add(transform(chunk))
        show("counted", chunk.shape[0])
    return writer.close()


def _popped(held: list[sparse.csr_array]) -> Iterator[sparse.csr_array]:
    """From the first to the last, each let go when the next is asked for."""
    held.reverse()
    while held:
        yield held.pop()
