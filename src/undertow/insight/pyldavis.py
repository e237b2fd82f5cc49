"""What pyLDAvis needs of a model and texts.

It is a conversion. pyLDAvis shows mixtures: a document is made of shares of topics that sum to 1,
and a topic is a distribution of words. Here topics are regions of document vectors. So:

- A topic's words are shared out by the number of its documents that hold each, in the sample that
  the topic tree was grown from. Frequent words are in all topics; the relevance slider of pyLDAvis
  (lambda near 0.3) brings out what sets a topic apart, as `TopicModel.topics` does.
- A document's shares are those of `TopicModel.transform_topics`, divided by their sum; where a
  document is far from all topics, all have the same share.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow.estimators.topic_parts import atlas_of, vectors_of_counts

if TYPE_CHECKING:
    from undertow.estimators import TopicModel

# documents of each topic that hold a word which none was seen with: pyLDAvis takes logarithms
SMOOTHING = 0.01


def pyldavis_input(model: TopicModel, texts: Any, n: int | None = None) -> dict[str, Any]:
    """The arguments of `pyLDAvis.prepare`.

    pyLDAvis sorts topics unless told `sort_topics=False`.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    texts : texts, table or Corpus
        Anything that `TopicModel.fit` takes. Documents without a known word are left out: pyLDAvis
        weights by length.
    n : int or None
        How many topics; None for the model's own number.

    Returns
    -------
    dict of str to array or list
        `topic_term_dists` (n, K) and `doc_topic_dists` (documents, n) have rows that sum to 1, with
        topics in the order of `TopicModel.topics(n)`; `doc_lengths` are tokens of words that the
        model knows; `vocab` are these words, and `term_frequency` their tokens in the texts.

    Examples
    --------
    >>> found = undertow.insight.pyldavis_input(model, texts, 2)
    >>> found["doc_topic_dists"].shape
    (120, 2)
    >>> page = pyLDAvis.prepare(**found)  # doctest: +SKIP
    """
    atlas = atlas_of(model)
    nodes = atlas.cut(n)
    counts = model.counts(texts)
    lengths = np.asarray(counts.sum(axis=1, dtype=np.int64)).ravel()
    counts, lengths = counts[np.flatnonzero(lengths)], lengths[lengths > 0]
    shares = atlas.shares(vectors_of_counts(model, counts), nodes, model.softmax_.n_jobs)
    return {
        "topic_term_dists": words_of_topics(model, nodes),
        "doc_topic_dists": whole_shares(shares),
        "doc_lengths": lengths,
        "vocab": _written(model),
        "term_frequency": np.asarray(counts.sum(axis=0, dtype=np.int64)).ravel(),
    }


def words_of_topics(model: TopicModel, nodes: list[int]) -> NDArray[np.float64]:
    """(topics, K) Shares of words, by how many documents of a topic hold each."""
    atlas = atlas_of(model)
    grouped = atlas.terms.grouped(atlas.tree.positions(nodes), len(nodes))
    held = grouped.counts[:, : len(atlas.words)].toarray() + SMOOTHING
    shares: NDArray[np.float64] = held / held.sum(axis=1, keepdims=True)
    return shares


def whole_shares(shares: NDArray[np.floating]) -> NDArray[np.float64]:
    """Shares of topics that add to 1; the same of each where there are none."""
    weights = np.where((shares > 0).any(axis=1, keepdims=True), shares.astype(np.float64), 1.0)
    whole: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return whole


def _written(model: TopicModel) -> list[str]:
    """Words as they are written; as the vocabulary has them where two are written alike."""
    written = atlas_of(model).words
    times = Counter(written)
    return [
        form if times[form] == 1 else word
        for form, word in zip(written, model.words(), strict=True)
    ]
