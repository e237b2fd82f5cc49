"""Topics and new documents: sizes counted over a whole corpus, and what changed after
`partial_fit`.

Training moves the vectors of all documents. How, is learned from the new ones, whose vectors before
and after are both known: a linear map, shrunk towards no change, takes the leaves along. So topics
keep their ids and their places.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow.topics._statistics import TermStatistics, count_terms
from undertow.topics.atlas import Atlas
from undertow.topics.clusters import Labels, Vectors, spherical_kmeans, sums_by_label
from undertow.topics.records import Change, Drift
from undertow.vectors.joining import unit

RIDGE = 30.0  # documents' worth of "nothing changed"
# documents of a topic that appears, and their share of the new ones
FEWEST_NEW, SHARE_NEW = 8, 0.01
# standard errors, and part of the former share, that make a change
ERRORS, LEAST_CHANGE = 3.0, 0.25


def with_sizes(atlas: Atlas, blocks: Iterable[Vectors], threads: int | None = None) -> Atlas:
    """With the documents of a whole corpus counted into the leaves."""
    sizes, documents = np.zeros(len(atlas.sizes), dtype=np.int64), 0
    for vectors in blocks:
        rows, _ = atlas.leaves_of(vectors, threads)
        sizes += np.bincount(rows[rows >= 0], minlength=len(sizes))
        documents += len(vectors)
    return sized(atlas, sizes, documents)


def sized(atlas: Atlas, sizes: NDArray[np.int64], documents: int) -> Atlas:
    """With so many documents in each leaf, and in all."""
    return replace(atlas, sizes=sizes, documents=documents)


@dataclass(frozen=True)
class NewDocuments:
    """New documents: their vectors under the old and under the new parameters, and their counts."""

    before: Vectors
    after: Vectors
    counts: sparse.csr_array  # (n, K), K as it is now


def updated(
    atlas: Atlas,
    new: NewDocuments,
    words: tuple[str, ...],
    *,
    seed: int,
    threads: int | None = None,
) -> tuple[Atlas, Drift]:
    """The atlas after `partial_fit`: places moved along, new documents counted in, new topics for
    what is new.
    """
    moved = _moved(_with_words(atlas, words), new)
    rows, near = moved.leaves_of(new.after, threads)
    known = rows >= 0
    fresh = _fresh(moved, new.after, rows, near, seed, threads)
    grown, rows = _with_leaves(moved, new.after, rows, fresh)
    counted = _counted(grown, new, rows).with_made_names()
    return counted, _drift(atlas, counted, rows[known])


def _with_words(atlas: Atlas, words: tuple[str, ...]) -> Atlas:
    """With words that were appended to the vocabulary; pairs come after them."""
    added = len(words) - len(atlas.words)
    if added <= 0:
        return atlas
    old, pairs = len(atlas.words), len(atlas.pairs)
    terms = atlas.terms
    move = np.concatenate([np.arange(old), np.arange(pairs) + old + added])
    counts = sparse.csr_array(
        (terms.counts.data, move[terms.counts.indices], terms.counts.indptr),
        shape=(terms.counts.shape[0], old + added + pairs),
    )
    frequencies = np.zeros(old + added + pairs, dtype=np.int64)
    frequencies[move] = terms.frequencies
    known = terms.npmi.tocoo()
    npmi = sparse.csr_array(
        (known.data, (move[known.row], move[known.col])), shape=(len(frequencies),) * 2
    )
    return replace(
        atlas,
        words=(*atlas.words, *words[old:]),
        terms=TermStatistics(counts, frequencies, terms.sizes, npmi, len(words)),
    )


def _moved(atlas: Atlas, new: NewDocuments) -> Atlas:
    """With all places taken along by the map that fits the new documents, as far as these tell."""
    known = np.isfinite(new.before).all(axis=1) & np.isfinite(new.after).all(axis=1)
    before, after = new.before[known].astype(np.float64), new.after[known].astype(np.float64)
    if not len(before):
        return atlas
    gram = before.T @ before + RIDGE / before.shape[1] * np.eye(before.shape[1])
    change = np.linalg.solve(gram, before.T @ (after - before))

    def moved(vectors: Vectors) -> NDArray[np.float64]:
        wide = vectors.astype(np.float64)
        return wide + wide @ change

    kept = replace(atlas.kept, vectors=unit(moved(atlas.kept.vectors)))
    return replace(
        atlas,
        routes=unit(moved(atlas.routes)),
        means=moved(atlas.means).astype(np.float32),
        kept=kept,
    )


def _fresh(
    atlas: Atlas,
    vectors: Vectors,
    rows: Labels,
    near: NDArray[np.float32],
    seed: int,
    threads: int | None,
) -> list[NDArray[np.int64]]:
    """Groups of new documents that are far from every topic and close to each other."""
    far = np.flatnonzero((rows >= 0) & (near < atlas.limits[0]))
    least = max(FEWEST_NEW, int(np.ceil(SHARE_NEW * len(vectors))))
    if len(far) < least:
        return []
    labels = spherical_kmeans(
        vectors[far], max(len(far) // (2 * least), 1), seed=seed, threads=threads
    )
    means = unit(sums_by_label(vectors[far], labels, int(labels.max()) + 1))
    close = (vectors[far] * means[labels]).sum(axis=1) > near[far]
    groups = [far[(labels == label) & close] for label in range(len(means))]
    return [group for group in groups if len(group) >= least]


def _with_leaves(
    atlas: Atlas, vectors: Vectors, rows: Labels, fresh: list[NDArray[np.int64]]
) -> tuple[Atlas, Labels]:
    """With a leaf right below the root for each group of documents, and them in it."""
    tree, rows = atlas.tree, rows.copy()
    for group in fresh:
        rows[group] = len(tree.leaves)
        tree, _ = tree.with_leaf(0.0, tree.root)
    added = len(fresh)
    if not added:
        return atlas, rows
    means = np.stack([vectors[group].mean(axis=0) for group in fresh])
    terms = atlas.terms
    empty = sparse.csr_array((added, terms.counts.shape[1]), dtype=terms.counts.dtype)
    return replace(
        atlas,
        tree=tree,
        routes=np.concatenate([atlas.routes, unit(means)]),
        means=np.concatenate([atlas.means, means.astype(np.float32)]),
        sizes=np.concatenate([atlas.sizes, np.zeros(added, dtype=np.int64)]),
        chosen=atlas.chosen + added,
        terms=replace(
            terms,
            counts=sparse.csr_array(sparse.vstack([terms.counts, empty], format="csr")),
            sizes=np.concatenate([terms.sizes, np.zeros(added, dtype=np.int64)]),
        ),
    ), rows


def _counted(atlas: Atlas, new: NewDocuments, rows: Labels) -> Atlas:
    """With the new documents in sizes, means and counts of terms. Pairs of words are not counted
    anew.
    """
    leaves = len(atlas.sizes)
    inside = np.bincount(rows[rows >= 0], minlength=leaves)
    sums = sums_by_label(np.nan_to_num(new.after), rows, leaves)
    sizes = atlas.sizes + inside
    means = (atlas.means.astype(np.float64) * atlas.sizes[:, None] + sums) / np.maximum(sizes, 1)[
        :, None
    ]
    pairs = sparse.csr_array((new.counts.shape[0], len(atlas.pairs)), dtype=np.int32)
    presence = sparse.csr_array(sparse.hstack([new.counts.astype(np.int32), pairs], format="csr"))
    added = count_terms(presence, rows, leaves)
    terms = TermStatistics(
        sparse.csr_array(atlas.terms.counts + added),
        atlas.terms.frequencies
        + np.bincount(added.indices, weights=added.data, minlength=added.shape[1]).astype(np.int64),
        atlas.terms.sizes + inside,
        atlas.terms.npmi,
        atlas.terms.words,
    )
    documents = atlas.documents + len(rows)
    return replace(
        atlas, sizes=sizes, means=means.astype(np.float32), terms=terms, documents=documents
    )


def _drift(before: Atlas, after: Atlas, rows: Labels) -> Drift:
    """Shares of the model's own cut before, and among the new documents."""
    nodes = after.cut()
    names = after.names_of(nodes)
    places = after.topics_of_leaves(rows, nodes)
    new = np.bincount(places[places >= 0], minlength=len(nodes)) / max(len(rows), 1)
    known = [node for node in nodes if node in before.tree]
    old = dict(zip(known, before.sizes_of(known) / max(int(before.sizes.sum()), 1), strict=True))
    changes = [
        Change(node, names[i], float(old.get(node, 0.0)), float(new[i]))
        for i, node in enumerate(nodes)
    ]
    told = [one for one in changes if one.id in old and _is_change(one, len(rows))]
    return Drift(
        documents=len(rows),
        appeared=tuple(one for one in changes if one.id not in old),
        grew=tuple(
            sorted(
                (one for one in told if one.after > one.before),
                key=lambda one: one.before - one.after,
            )
        ),
        faded=tuple(
            sorted(
                (one for one in told if one.after < one.before),
                key=lambda one: one.after - one.before,
            )
        ),
    )


def _is_change(change: Change, documents: int) -> bool:
    error = np.sqrt(max(change.before * (1.0 - change.before), 1e-6) / max(documents, 1))
    moved = abs(change.after - change.before)
    return bool(moved > ERRORS * error and moved > LEAST_CHANGE * change.before)
