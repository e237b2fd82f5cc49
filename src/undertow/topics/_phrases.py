"""Pairs of words that often stand together, and the forms in which stems are written: from a sample
of texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from undertow.corpus import Vectorizer
from undertow.corpus.analyzer import Terms
from undertow.corpus.counted_words import columns_of

MOST_PAIRS = 5000
FEWEST_DOCUMENTS = 4  # that a pair has to be in
STICKY = 0.3  # the least share of the rarer word's documents that hold the pair
# documents of a pair that are looked at, and how many must have it as two written words
LOOKED_AT, WRITTEN = 8, 0.6


@dataclass(frozen=True)
class Pairs:
    """Pairs of words by the columns of both, and which documents of the sample hold them."""

    words: NDArray[np.int32]  # (P, 2)
    presence: sparse.csr_array  # (documents, P)


def find_pairs(
    vectorizer: Vectorizer, texts: Sequence[str], frequencies: NDArray[np.int64]
) -> Pairs:
    """The pairs of neighbouring words that are in at least four documents and in three tenths of
    the rarer word's.

    Between the two stands a space or a hyphen: "cs.pitt.edu" and "prices, costs" are no pairs.
    `frequencies` are the documents of the sample that hold each word.
    """
    columns = columns_of(vectorizer)
    starts, codes = _tokens(vectorizer, texts)
    size = np.int64(max(len(columns), 1))
    documents = np.repeat(np.arange(len(texts)), np.diff(starts))
    inside = (
        (documents[1:] == documents[:-1])
        & (codes[1:] >= 0)
        & (codes[:-1] >= 0)
        & (codes[1:] != codes[:-1])
    )
    keys = codes[:-1][inside].astype(np.int64) * size + codes[1:][inside]
    # Each pair once for each document that holds it.
    held = (
        pl.DataFrame({"pair": keys, "document": documents[:-1][inside]})
        .unique()
        .sort("pair", "document")
    )
    counts = held.group_by("pair", maintain_order=True).len()
    pair, number = counts["pair"].to_numpy(), counts["len"].to_numpy().astype(np.int64)
    words = (
        np.stack([pair // size, pair % size], axis=1).astype(np.int32)
        if len(pair)
        else np.zeros((0, 2), np.int32)
    )
    rarer = frequencies[words].min(axis=1) if len(words) else np.zeros(0, dtype=np.int64)
    kept = np.flatnonzero((number >= FEWEST_DOCUMENTS) & (number >= STICKY * rarer))
    kept = np.sort(kept[np.argsort(-number[kept], kind="stable")][:MOST_PAIRS])
    rows = held.filter(pl.col("pair").is_in(pl.Series(pair[kept]).implode()))
    place = np.searchsorted(pair[kept], rows["pair"].to_numpy())
    entries = np.ones(rows.height, dtype=np.int32)
    presence = sparse.csr_array(
        (entries, (rows["document"].to_numpy(), place)), shape=(len(texts), len(kept))
    )
    return _as_written(Pairs(words[kept], presence), vectorizer, texts)


def _as_written(pairs: Pairs, vectorizer: Vectorizer, texts: Sequence[str]) -> Pairs:
    """Without those that stand together in the texts mostly with something else than a space
    between them.

    Stems are not looked for: what is written is longer.
    """
    if vectorizer.stemmer is not None:
        return pairs
    names, holders = list(columns_of(vectorizer)), pairs.presence.tocsc()
    segmenter = vectorizer.single_words().segmenter
    plain: dict[int, str] = {}
    kept = []
    for place, (first, second) in enumerate(pairs.words.tolist()):
        written = f"{names[first]} {names[second]}"
        documents = holders.indices[holders.indptr[place] : holders.indptr[place + 1]][
            :LOOKED_AT
        ].tolist()
        for document in documents:
            if document not in plain:
                text = (
                    texts[document] if segmenter is None else segmenter.spaced_text(texts[document])
                )
                plain[document] = " ".join(text.replace("-", " ").lower().split())
        if sum(written in plain[document] for document in documents) >= WRITTEN * len(documents):
            kept.append(place)
    return Pairs(pairs.words[kept], sparse.csr_array(pairs.presence[:, kept]))


def _tokens(
    vectorizer: Vectorizer, texts: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Where each text begins among its tokens, and the column of each token, -1 for none."""
    columns = columns_of(vectorizer)
    analyzer = vectorizer.single_words()
    terms = next(analyzer.terms(pl.Series("text", list(texts), dtype=pl.String)))
    known = np.array([columns.get(word, -1) for word in terms.types.to_list()], dtype=np.int32)
    return terms.starts, known[terms.codes] if len(known) else np.zeros(0, dtype=np.int32)


def written_forms(vectorizer: Vectorizer, texts: Sequence[str]) -> dict[str, str]:
    """Stem -> the form in which it is written most often; nothing where words are not stemmed."""
    if vectorizer.stemmer is None:
        return {}
    import Stemmer

    terms: Terms = next(
        vectorizer.single_words(stemmed=False).terms(
            pl.Series("text", list(texts), dtype=pl.String)
        )
    )
    forms = terms.types.to_list()
    counts = np.bincount(terms.codes, minlength=len(forms))
    stems = Stemmer.Stemmer(vectorizer.stemmer, 0).stemWords(forms)
    found: dict[str, str] = {}
    for place in (
        np.lexsort((np.array(forms, dtype=object).astype(str), -counts)).tolist() if forms else []
    ):
        if counts[place]:
            found.setdefault(stems[place], forms[place])
    return found
