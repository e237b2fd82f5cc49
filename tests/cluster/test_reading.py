"""A corpus that is read and counted in parts, beside one machine that reads all of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.corpus.test_parts import WRITERS
from undertow import InvalidInput, Vectorizer
from undertow.corpus import Corpus, as_corpus, blocks, open_corpus
from undertow.corpus import shards as module
from undertow.corpus.chunk_store import ChunkStore
from undertow.corpus.count_matrices import stacked
from undertow.corpus.parts import counted, merged, prepared, selected
from undertow.corpus.shards import order_of, shards

WORDS = np.array([f"word{number}" for number in range(60)])


def some_texts(documents: int = 200) -> list[str]:
    """Words of very different frequency; some documents are empty."""
    rng = np.random.default_rng(0)
    drawn = (rng.pareto(1.0, (documents, 12)) * 6).astype(int).clip(0, len(WORDS) - 1)
    lengths = rng.integers(0, 12, documents)
    return [" ".join(WORDS[row[:length]]) for row, length in zip(drawn, lengths, strict=True)]


def in_parts(vectorizer: Vectorizer, corpus: Corpus, number: int) -> tuple[Vectorizer, Any]:
    """Fitted part by part, and the counts of all."""
    ready, parts, kept = prepared(vectorizer, corpus), shards(corpus, number), []
    found = []
    for part in parts:
        kept.append(ChunkStore())
        found.append(counted(ready, part, kept[-1]))
    fitted = merged(ready, found)
    chunks = (chunk for store in kept for chunk in selected(fitted, store))
    return fitted, stacked(chunks, len(fitted.vocabulary_))


@pytest.mark.parametrize("number", [1, 2, 5, 300])
@pytest.mark.parametrize(
    "options",
    [{}, {"vocabulary_size": 20}, {"min_df": 3, "max_df": 0.5}, {"ngram_range": (1, 2)}],
    ids=str,
)
def test_the_vocabulary_is_that_of_one_machine(number: int, options: dict[str, Any]) -> None:
    corpus, vectorizer = as_corpus(some_texts()), Vectorizer(chunk_size=17, **options)
    counts = vectorizer.fit_transform(corpus)
    fitted, together = in_parts(Vectorizer(chunk_size=17, **options), corpus, number)
    assert list(fitted.vocabulary_.items()) == list(vectorizer.vocabulary_.items())
    assert (fitted.n_documents_, fitted.pruned_) == (vectorizer.n_documents_, 0)
    order, _ = order_of(corpus, shards(corpus, number))
    assert (together != counts[order]).nnz == 0
    assert fitted.type_counts_.sort("word").equals(vectorizer.type_counts_.sort("word"))


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("splits", [None, "train"])
def test_shards_are_the_corpus(
    write: Callable[[Path], Path],
    splits: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus = open_corpus(write(tmp_path))
    if splits is not None:
        if "split" not in corpus.columns:
            return
        corpus = corpus.where_split(splits)
    whole = pl.concat(corpus.chunks())
    monkeypatch.setattr(module, "FEWEST", 2)
    for number, group in itertools.product((1, 2, 3, 40), (0, blocks.GROUP)):
        monkeypatch.setattr(blocks, "GROUP", group)  # one block at a time, or all together
        parts = shards(corpus, number)
        found = [pl.concat([*part.chunks(2), whole.clear()]) for part in parts]
        assert len(found) == number
        order, documents = order_of(corpus, parts)
        assert documents == whole.height
        assert sorted(order) == list(range(documents))
        assert pl.concat(found).equals(whole[order.tolist()])
        sizes = [part.height for part in found]
        assert max(sizes) - min(sizes) <= max(documents // (2 * number), 1)  # one a round


def test_shards_of_a_part_are_the_part() -> None:
    corpus = as_corpus(some_texts(50)).part(11, 31)
    found = [chunk for part in shards(corpus, 3) for chunk in part.chunks()]
    ids = [str(row) for row in range(11, 31)]
    assert sorted(pl.concat(found)["id"].to_list()) == ids


@pytest.mark.parametrize("number", [2, 8, 30])
def test_shards_of_a_sorted_corpus_have_some_of_everything(number: int) -> None:
    labels = [f"label{row * 10 // 20_000}" for row in range(20_000)]
    table = pl.DataFrame({"text": ["a text"] * 20_000, "label": labels})
    for part in shards(as_corpus(table), number):
        counts = pl.concat(part.chunks())["label"].value_counts()["count"].to_numpy()
        assert len(counts) == 10
        assert counts.min() > 0.6 * 2_000 / number  # whole blocks of some 20,000 / 64 / number
        assert counts.max() < 1.4 * 2_000 / number


def test_types_that_were_dropped_are_told_of() -> None:
    texts = [f"rare{number} common" for number in range(100)]
    fitted, _ = in_parts(Vectorizer(max_types=20, chunk_size=5), as_corpus(texts), 3)
    assert fitted.pruned_ > 0
    assert "common" in fitted.vocabulary_


def test_the_first_texts_decide_for_all() -> None:
    texts = ["図書館へ行きました。とても楽しいです。"] * 30 + ["plain words"] * 30
    corpus = as_corpus(texts)
    ready = prepared(Vectorizer(), corpus)
    assert ready.segmenter_
    fitted, _ = in_parts(Vectorizer(), corpus, 4)
    assert fitted.vocabulary_ == Vectorizer().fit(corpus).vocabulary_


def test_nothing_to_count_is_said() -> None:
    with pytest.raises(InvalidInput, match="texts must hold a token, got none in 2 documents"):
        in_parts(Vectorizer(), as_corpus(["", "."]), 2)
