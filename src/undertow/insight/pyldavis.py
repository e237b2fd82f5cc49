"""What pyLDAvis needs of a model and texts.

It is a conversion. pyLDAvis shows mixtures: a document is made of shares of topics that sum to 1, and a topic is a
distribution of words. Here topics are switches that are on or off on their own. So:

- A topic's words are those of a document in which this topic alone is on: P(k | h = e_j), the softmax over words of
  w_k (W_kj + a_j + b_k). Frequent words are in all of them; the relevance slider of pyLDAvis (lambda near 0.3) brings
  out what sets a topic apart, as `TopicModel.topics` does.
- A document's shares are its posteriors divided by their sum, so a document with four topics on has a quarter of each;
  where no topic is on, all have the same share.

A model learned by alpha-NCE is a feature extractor, and its word probabilities are not calibrated; their order is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow.model import words_given_hidden

if TYPE_CHECKING:
    from undertow.estimators import TopicModel


def pyldavis_input(model: TopicModel, texts: Any) -> dict[str, Any]:
    """The arguments of `pyLDAvis.prepare`, as `pyLDAvis.prepare(**pyldavis_input(model, texts))`.

    `topic_term_dists` (H, K) and `doc_topic_dists` (documents, H) have rows that sum to 1; `doc_lengths` are tokens of
    words that the model knows; `vocab` are these words, and `term_frequency` their tokens in the texts. Texts are
    anything that `TopicModel.fit` takes. Documents without a known word are left out: pyLDAvis weights by length.
    """
    counts = model.counts(texts)
    lengths = np.asarray(counts.sum(axis=1, dtype=np.int64)).ravel()
    counts, lengths = counts[np.flatnonzero(lengths)], lengths[lengths > 0]
    parameters = model.softmax_.parameters_
    posteriors = model.softmax_.encode(counts, "posterior") if len(lengths) else np.zeros((0, parameters.units))
    return {
        "topic_term_dists": words_given_hidden(parameters, np.eye(parameters.units)),
        "doc_topic_dists": shares_of_topics(posteriors),
        "doc_lengths": lengths,
        "vocab": model.words(),
        "term_frequency": np.asarray(counts.sum(axis=0, dtype=np.int64)).ravel(),
    }


def shares_of_topics(posteriors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Posteriors divided by their sum; the same share of each where none is above 1/2."""
    some = (posteriors > 0.5).any(axis=1, keepdims=True)
    weights = np.where(some, posteriors.astype(np.float64), 1.0)
    shares: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return shares
