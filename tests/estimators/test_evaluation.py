"""What `undertow evaluate` says of topics."""

from __future__ import annotations

import copy

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from tests.plot.conftest import model, table
from undertow import TopicModel
from undertow.corpus import as_corpus
from undertow.corpus.in_order import words_in_order
from undertow.estimators import evaluation
from undertow.tasks import c_npmi, c_v, diversity, npmi

__all__ = ["model", "table"]


@pytest.mark.parametrize("n", [None, 2, 5])
def test_figures_are_those_of_the_words_of_topics(
    model: TopicModel, table: pl.DataFrame, n: int | None
) -> None:
    figures = evaluation.topic_figures(model, evaluation.read_corpus(model, as_corpus(table)), n)
    columns = {
        word: number for number, word in enumerate(model.words())
    }  # no stemmer: words are as they are written
    top = [[columns[word.word] for word in topic.words] for topic in model.topics(n, n_words=10)]
    texts = words_in_order(model.vectorizer_, table["text"])
    assert figures["topics"] == len(top)
    assert figures["npmi"] == pytest.approx(npmi(model.counts(table["text"]), top).mean())
    assert figures["c_npmi"] == pytest.approx(c_npmi(texts, top).mean())
    assert figures["c_v"] == pytest.approx(c_v(texts, top).mean())
    assert figures["diversity"] == diversity(top)


@pytest.mark.parametrize("n", [None, 2, 5])
def test_topics_of_documents_are_compared_with_labels(
    model: TopicModel, table: pl.DataFrame, n: int | None
) -> None:
    figures = evaluation.topic_figures(model, evaluation.read_corpus(model, as_corpus(table)), n)
    labelled = table.filter(pl.col("label").is_not_null())
    shares = model.transform_topics(labelled["text"], n)
    groups = np.where(shares.sum(axis=1) > 0, shares.argmax(axis=1), -1)
    labels = labelled["label"].to_list()
    assert figures["nmi"] == pytest.approx(normalized_mutual_info_score(labels, groups))
    assert figures["ari"] == pytest.approx(adjusted_rand_score(labels, groups))


def test_without_labels_to_tell_apart_there_is_no_comparison(
    model: TopicModel, table: pl.DataFrame
) -> None:
    for other in (table.drop("label"), table.with_columns(label=pl.lit("one"))):
        figures = evaluation.topic_figures(model, evaluation.read_corpus(model, as_corpus(other)))
        assert set(figures) == {"topics", "npmi", "c_npmi", "c_v", "diversity"}


def test_a_model_without_topics_is_judged_by_its_vectors(
    model: TopicModel, table: pl.DataFrame
) -> None:
    earlier = copy.copy(model)
    del earlier.atlas_
    figures = evaluation.label_free_figures(
        earlier, evaluation.read_corpus(earlier, as_corpus(table))
    )
    assert set(figures) == {"split_half_mrr", "unknown_tokens", "documents_per_second"}
