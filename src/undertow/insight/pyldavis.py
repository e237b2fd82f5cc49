"""What pyLDAvis needs of a model. It is a conversion: the model has no mixtures of topics, so read what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from undertow.estimators import TopicModel


def pyldavis_input(model: TopicModel, texts: Any) -> dict[str, Any]:
    """The arguments of `pyLDAvis.prepare`: topic_term_dists, doc_topic_dists, doc_lengths, vocab, term_frequency."""
    raise NotImplementedError
