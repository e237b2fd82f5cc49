"""From documents to an atlas: leaves by spherical k-means, merged by Ward's rule, and described.

Documents are sent to leaves along the tree: a leaf's route is the sum of the directions of all
topics that it lies in, so that a document at the border of two leaves follows the topics that they
belong to. Each cut then groups documents as well as clusters made for that very number of topics,
and cuts stay nested.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow.corpus import Vectorizer
from undertow.corpus.counted_words import overlap
from undertow.corpus.segmentation import joined
from undertow.topics import _choose, _shares
from undertow.topics._phrases import Pairs, find_pairs, written_forms
from undertow.topics._statistics import TermStatistics, count_terms, pair_npmi, top_terms
from undertow.topics._topic_matching import hashes_of
from undertow.topics._ward import Merges, ward, without_others
from undertow.topics.atlas import SAME_TEXT, Atlas, KeptDocuments, SeenDocuments
from undertow.topics.clusters import Labels, Vectors, nearest, spherical_kmeans, sums_by_label
from undertow.topics.excerpts import sentences_of, shortened, title_of
from undertow.topics.records import TypicalDocument
from undertow.topics.text_sample import SampledTexts
from undertow.topics.tree import NOWHERE, TopicTree
from undertow.vectors.joining import unit

MOST_LEAVES, DOCUMENTS_A_LEAF = 400, 12
REFINEMENTS = 2  # times that documents are sent along the tree anew
# of the trees whose cuts are compared, at most: three times the topics that are tried
HALF_LEAVES = 120
KEPT_A_LEAF = 2  # documents
SENTENCES = 12  # of a document that are looked at
TOPICS_SHOWN = 30  # of the cut that sentences are chosen for
NODES_AT_ONCE = 64
FEW_DOCUMENTS, MANY_COPIES = 200, 0.2  # that are remarked on
PAIRS_SENTENCE = 160  # letters of a document that stand for its sentence where it has none

logger = logging.getLogger("undertow")


@dataclass(frozen=True)
class Sample:
    """The documents that a tree is grown from: their vectors of length 1 (nan: no word known),
    counts and texts.
    """

    vectors: Vectors  # (n, H)
    counts: sparse.csr_array  # (n, K)
    texts: SampledTexts | None  # of the same rows
    documents: int  # of the whole corpus
    others: int = 0  # numbers at the end of each vector that are not the model's


@dataclass(frozen=True)
class Grown:
    """A tree, the routes to its leaves, and the leaf of each document it was grown from."""

    tree: TopicTree
    routes: Vectors
    labels: Labels
    merges: Merges


def grow(sample: Sample, vectorizer: Vectorizer, *, seed: int, threads: int | None = None) -> Atlas:
    """The atlas of a corpus, from a sample of it; sizes are those of the sample."""
    known = np.flatnonzero(np.isfinite(sample.vectors).all(axis=1) & sample.vectors.any(axis=1))
    vectors = sample.vectors[known]
    grown = grow_tree(vectors, number_of_leaves(len(known)), seed=seed, threads=threads)
    figures = stability(vectors, len(grown.tree.leaves), seed=seed, threads=threads)
    grown = without_empty(grown)
    labels = np.full(len(sample.vectors), -1, dtype=np.int32)
    labels[known] = grown.labels
    leaves = len(grown.tree.leaves)
    sizes = np.bincount(grown.labels, minlength=leaves)
    means = sums_by_label(vectors, grown.labels, leaves) / np.maximum(sizes, 1)[:, None]
    pairs = _pairs(sample, vectorizer)
    terms = _statistics(sample.counts, pairs, labels, grown.tree)
    near = (
        (vectors * grown.routes[grown.labels]).sum(axis=1)
        if len(vectors)
        else np.ones(1, dtype=np.float32)
    )
    atlas = Atlas(
        tree=grown.tree,
        routes=grown.routes,
        means=means.astype(np.float32),
        sizes=sizes.astype(np.int64),
        terms=terms,
        words=_written(sample, vectorizer),
        pairs=pairs.words,
        overlapping=overlap(vectorizer),
        kept=KeptDocuments(
            np.zeros(0, dtype=np.int32), np.zeros((0, means.shape[1]), dtype=np.float32), ()
        ),
        seen=SeenDocuments(
            hashes_of([] if sample.texts is None else sample.texts.ids),
            _leaves_seen(sample, labels),
        ),
        limits=(float(np.quantile(near, _shares.FAR)), float(np.quantile(near, _shares.NEAR))),
        chosen=min(_choose.chosen_number(figures), leaves) if figures else leaves,
        stability=tuple(figures),
        documents=len(sample.vectors),
        identity=hashlib.sha256(grown.routes.tobytes()).hexdigest()[:16],
        others=sample.others,
    )
    for remark in remarks(atlas, vectors):
        logger.warning(remark)
    return replace(atlas, kept=_kept(sample, vectorizer, labels, atlas)).with_made_names()


def _leaves_seen(sample: Sample, labels: Labels) -> Labels:
    return labels if sample.texts is not None else np.zeros(0, dtype=np.int32)


def number_of_leaves(documents: int) -> int:
    """One leaf for twelve documents, at most 400."""
    return int(np.clip(documents // DOCUMENTS_A_LEAF, min(2, max(documents, 1)), MOST_LEAVES))


def grow_tree(vectors: Vectors, leaves: int, *, seed: int, threads: int | None = None) -> Grown:
    """Clusters, merged to a tree, and documents sent along it."""
    if not len(vectors):
        alone = ward(np.zeros((1, vectors.shape[1])), np.ones(1))
        route = np.zeros((1, vectors.shape[1]), dtype=np.float32)
        return Grown(TopicTree.of(alone), route, np.zeros(0, dtype=np.int32), alone)
    labels = spherical_kmeans(vectors, leaves, seed=seed, threads=threads)
    count = int(labels.max()) + 1
    sums, sizes = sums_by_label(vectors, labels, count), np.bincount(labels, minlength=count)
    merges = ward(sums / sizes[:, None], sizes.astype(np.float64))
    tree = TopicTree.of(merges)
    for _ in range(REFINEMENTS):
        routes = routes_of(tree, sums_by_label(vectors, labels, count))
        labels, _ = nearest(vectors, routes, threads)
    return Grown(tree, routes, labels, merges)


def without_empty(grown: Grown) -> Grown:
    """Without the leaves that lost all their documents when these were sent along the tree: topics
    of nothing.
    """
    used, labels = np.unique(grown.labels, return_inverse=True)
    if len(used) in (0, len(grown.tree.leaves)):
        return grown
    merges = without_others(grown.merges, used)
    return Grown(TopicTree.of(merges), grown.routes[used], labels.astype(np.int32), merges)


def routes_of(tree: TopicTree, sums: NDArray[np.float64]) -> Vectors:
    """(m, H) For each leaf, the sum of the directions of all topics that it lies in, of length
    1.
    """
    total = np.zeros((len(tree.parents), sums.shape[1]))
    total[tree.leaves] = sums
    order = _from_the_leaves(tree)
    for node in order:
        total[tree.parents[node]] += total[node]
    directions = unit(total).astype(np.float64)
    routes = np.zeros_like(total)
    for node in reversed(order):
        above = int(tree.parents[node])
        routes[node] = directions[node] + (routes[above] if above != tree.root else 0.0)
    return unit(routes[tree.leaves])


def _from_the_leaves(tree: TopicTree) -> list[int]:
    """All nodes but the root, each before the one above it."""
    order, waiting = [], [tree.root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += tree.children(node)
    return order[:0:-1]


def stability(
    vectors: Vectors, leaves: int, *, seed: int, threads: int | None = None
) -> list[tuple[int, float]]:
    """For each number of topics, how well trees from two halves of the documents agree on all of
    them.
    """
    numbers = _choose.numbers_tried(leaves, len(vectors))
    if len(vectors) < 4 or leaves < 2 or not numbers:
        return []
    halves = [vectors[part::2] for part in (0, 1)]
    grown = [
        grow_tree(half, max(min(leaves // 2, HALF_LEAVES), 2), seed=seed, threads=threads)
        for half in halves
    ]
    routed = [nearest(vectors, one.routes, threads)[0] for one in grown]
    figures = []
    for n in numbers:
        first, second = (
            one.tree.positions(one.tree.cut(n))[rows]
            for one, rows in zip(grown, routed, strict=True)
        )
        figures.append((n, _choose.agreement(first, second)))
    return figures


def remarks(atlas: Atlas, vectors: Vectors) -> list[str]:
    """What a person should know of an odd corpus before believing its topics."""
    found = []
    if len(vectors) < FEW_DOCUMENTS:
        found.append(
            f"only {len(vectors)} documents have a known word: topics of so few are a rough "
            f"sketch, and {len(atlas.tree.leaves)} are told apart at most"
        )
    copies = len(vectors) - len(np.unique(vectors, axis=0)) if len(vectors) else 0
    if copies > MANY_COPIES * max(len(vectors), 1):
        found.append(
            f"{copies / len(vectors):.0%} of the documents looked at are copies of others to the "
            f"model"
        )
    return found


def _pairs(sample: Sample, vectorizer: Vectorizer) -> Pairs:
    # where n-grams are counted, they are words already
    if sample.texts is None or not vectorizer.counts_words_of_texts:
        none = sparse.csr_array(np.zeros((len(sample.vectors), 0), dtype=np.int32))
        return Pairs(np.zeros((0, 2), dtype=np.int32), none)
    frequencies = np.bincount(sample.counts.indices, minlength=sample.counts.shape[1])
    return find_pairs(vectorizer, sample.texts.texts, frequencies)


def _written(sample: Sample, vectorizer: Vectorizer) -> tuple[str, ...]:
    words = [str(word) for word in vectorizer.get_feature_names_out()]
    forms = {} if sample.texts is None else written_forms(vectorizer, sample.texts.texts)
    join = partial(joined, overlap=overlap(vectorizer))
    return tuple(
        reduce(join, (forms.get(part, part) for part in word.split(" "))) for word in words
    )


def _statistics(
    counts: sparse.csr_array, pairs: Pairs, labels: Labels, tree: TopicTree
) -> TermStatistics:
    both = [part.astype(np.int32) for part in (counts, pairs.presence)]
    presence = sparse.csr_array(sparse.hstack(both, format="csr"))
    leaves = len(tree.leaves)
    seen = np.flatnonzero(labels >= 0)
    frequencies = np.bincount(presence[seen].indices, minlength=presence.shape[1]).astype(np.int64)
    sizes = np.bincount(labels[seen], minlength=leaves).astype(np.int64)
    unknown = sparse.csr_array((presence.shape[1], presence.shape[1]), dtype=np.float32)
    terms = TermStatistics(
        count_terms(presence, labels, leaves), frequencies, sizes, unknown, counts.shape[1]
    )
    return replace(terms, npmi=pair_npmi(presence[seen], candidates(tree, terms)))


def candidates(tree: TopicTree, terms: TermStatistics) -> list[NDArray[np.int32]]:
    """The terms that may describe each topic of the tree, some topics at a time."""
    nodes = [
        node
        for node in range(len(tree.parents))
        if node == tree.root or tree.parents[node] != NOWHERE
    ]
    found: list[NDArray[np.int32]] = []
    for depth in _antichains(tree, nodes):
        for first in range(0, len(depth), NODES_AT_ONCE):
            part = depth[first : first + NODES_AT_ONCE]
            found += top_terms(
                terms.grouped(tree.positions(part), len(part)).salience(), terms.words
            )
    return found


def _antichains(tree: TopicTree, nodes: Sequence[int]) -> list[list[int]]:
    """The nodes by depth: none of one depth lies in another of it."""
    depths: dict[int, list[int]] = {}
    for node in nodes:
        depth, above = 0, int(tree.parents[node])
        while above != NOWHERE:
            depth, above = depth + 1, int(tree.parents[above])
        depths.setdefault(depth, []).append(node)
    return [depths[depth] for depth in sorted(depths)]


def _kept(sample: Sample, vectorizer: Vectorizer, labels: Labels, atlas: Atlas) -> KeptDocuments:
    """Two documents of each leaf, those closest to its mean that are no copies of each other."""
    if sample.texts is None:
        return atlas.kept
    means = unit(atlas.means)
    rows: list[int] = []
    for leaf in range(len(means)):
        here = np.flatnonzero(labels == leaf)
        chosen: list[int] = []
        for row in here[np.argsort(-(sample.vectors[here] @ means[leaf]), kind="stable")].tolist():
            if len(chosen) == KEPT_A_LEAF:
                break
            if all(
                float(sample.vectors[row] @ sample.vectors[other]) < SAME_TEXT for other in chosen
            ):
                chosen.append(row)
        rows += chosen
    documents = _shown(sample.texts, rows, labels[rows], vectorizer, atlas)
    return KeptDocuments(labels[rows], sample.vectors[rows], tuple(documents))


def _shown(
    texts: SampledTexts, rows: list[int], leaves: Labels, vectorizer: Vectorizer, atlas: Atlas
) -> list[TypicalDocument]:
    """Titles, and the sentence of each document with the most salience of its topic's words for its
    length.

    Its topic is that of a cut as people look at them; what a leaf's few documents share is often
    odd.
    """
    nodes = atlas.tree.cut(max(atlas.chosen, min(TOPICS_SHOWN, len(atlas.sizes))))
    positions = atlas.tree.positions(nodes)
    salience = atlas.terms.grouped(positions, len(nodes)).salience()
    parts = [
        sentences_of(texts.texts[row])[:SENTENCES] or [shortened(texts.texts[row], PAIRS_SENTENCE)]
        for row in rows
    ]
    counts = vectorizer.transform([part for sentences in parts for part in sentences] or [""])
    ones = sparse.csr_array(
        (np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape
    )
    found, first = [], 0
    for row, leaf, sentences in zip(rows, leaves.tolist(), parts, strict=True):
        values = salience[[positions[leaf]]][:, : counts.shape[1]].toarray().ravel()
        here = ones[first : first + len(sentences)]
        lengths: NDArray[np.float64] = np.asarray(here.sum(axis=1)).ravel()
        best = int(np.argmax((here @ values) / np.sqrt(lengths + 4.0)))
        first += len(sentences)
        found.append(TypicalDocument(texts.ids[row], title_of(texts.texts[row]), sentences[best]))
    return found
