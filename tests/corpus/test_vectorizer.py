"""The vectorizer: equal to CountVectorizer where that can do the same, and what only it does."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from undertow.corpus import Vectorizer, as_corpus, open_corpus
from undertow.corpus.analyzer import WORDS
from undertow.corpus.token_matches import holds_no_space, matched

THEIRS = r"[\p{L}\p{N}_]{2,}"  # CountVectorizer's default tokens
TEXTS = ["the cat sat on the mat", "The dog sat; the CAT ran", "", "birds fly, dogs ran", "!"]


def assert_same(ours: Any, theirs: Any) -> None:
    """Cell by cell, down to the arrays that hold them."""
    assert ours.shape == theirs.shape
    theirs.sort_indices()  # what CountVectorizer gives after fitting is not in order
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))
    assert ours.dtype == np.int32
    assert ours.has_sorted_indices


def compare(texts: list[str], **options: Any) -> None:
    """All that both can do, with the vocabulary of CountVectorizer and with our own."""
    theirs = CountVectorizer(**options)
    expected = theirs.fit_transform(texts)
    options.pop("min_df", None), options.pop("max_df", None)
    fixed = Vectorizer(vocabulary=theirs.vocabulary_, token_pattern=THEIRS, chunk_size=3, **options)
    assert_same(fixed.transform(texts), expected)


words = st.text(alphabet="abcXYZ09_éßñÄжЖωΣ中文", min_size=1, max_size=3)
gaps = st.sampled_from([" ", ", ", "\n", "...", "-", "<br />", "\u2014"])
documents = st.lists(
    st.lists(st.tuples(words, gaps), max_size=8).map(lambda p: "".join(w + g for w, g in p)),
    max_size=9,
)


@settings(max_examples=60, deadline=None)
@given(
    documents,
    st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    st.sampled_from([1, 2, 0.3]),
    st.sampled_from([0.6, 1.0, 3]),
)
def test_equal_to_count_vectorizer(
    texts: list[str], ngram_range: tuple[int, int], min_df: float, max_df: float
) -> None:
    theirs = CountVectorizer(ngram_range=ngram_range, min_df=min_df, max_df=max_df)
    limits: dict[str, Any] = {"min_df": min_df, "max_df": max_df, "segmenter": None}
    ours = Vectorizer(
        None, ngram_range=ngram_range, token_pattern=THEIRS, chunk_size=4, n_jobs=2, **limits
    )
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:  # nothing left, or limits that exclude each other
        with pytest.raises(ValueError, match="must"):
            ours.fit(texts)
        return
    counts = ours.fit_transform(texts)
    assert set(ours.vocabulary_) == set(theirs.vocabulary_)
    fixed = Vectorizer(
        vocabulary=theirs.vocabulary_, ngram_range=ngram_range, token_pattern=THEIRS, segmenter=None
    )
    assert_same(fixed.transform(texts), expected)
    assert_same(counts, ours.transform(texts))
    np.testing.assert_array_equal(
        counts.toarray(),
        expected.toarray()[:, [theirs.vocabulary_[word] for word in ours.get_feature_names_out()]],
    )


@pytest.mark.parametrize(
    "options", [{}, {"ngram_range": (1, 2)}, {"stop_words": "english"}, {"lowercase": False}]
)
def test_equal_with_options(options: dict[str, Any]) -> None:
    compare(TEXTS * 3, **options)


@pytest.mark.torture
@pytest.mark.data
@pytest.mark.parametrize("name", ["imdb", "20newsgroups"])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
def test_equal_on_real_texts(name: str, ngram_range: tuple[int, int]) -> None:
    table = pl.read_parquet(Path(os.environ["UNDERTOW_DATA"]) / f"{name}.parquet", columns=["text"])
    texts = table["text"].sample(3000, seed=0).to_list()
    theirs = CountVectorizer(ngram_range=ngram_range)
    expected = theirs.fit_transform(texts)
    ours = Vectorizer(
        vocabulary=theirs.vocabulary_,
        ngram_range=ngram_range,
        token_pattern=THEIRS,
        chunk_size=1000,
    )
    assert_same(ours.transform(texts), expected)


@pytest.mark.data
def test_a_whole_corpus_from_its_file() -> None:
    path = Path(os.environ["UNDERTOW_DATA"]) / "20newsgroups.parquet"
    corpus = open_corpus(path)
    train = corpus.where_split("train")
    ours = Vectorizer(2000, stop_words="english").fit(train)
    assert len(ours.vocabulary_) == 2000
    assert ours.n_documents_ == 11_314
    assert ours.transform(corpus).shape == (18_846, 2000)


# Choosing words


def test_words_by_count_then_alphabet() -> None:
    model = Vectorizer(3).fit(["bb cc aa dd", "dd bb aa"])
    assert model.vocabulary_ == {"aa": 0, "bb": 1, "dd": 2}
    assert model.get_feature_names_out().tolist() == ["aa", "bb", "dd"]
    assert Vectorizer(None).fit(["bb cc aa dd"]).vocabulary_ == {"aa": 0, "bb": 1, "cc": 2, "dd": 3}


def test_limits_of_documents() -> None:
    texts = ["aa bb cc", "aa bb", "aa", "aa"]
    assert set(Vectorizer(min_df=2).fit(texts).vocabulary_) == {"aa", "bb"}
    assert set(Vectorizer(max_df=0.5).fit(texts).vocabulary_) == {"bb", "cc"}
    assert set(Vectorizer(min_df=0.5, max_df=3).fit(texts).vocabulary_) == {"bb"}


def test_empty_documents_keep_their_rows() -> None:
    counts = Vectorizer().fit_transform(TEXTS)
    assert counts.shape[0] == 5
    assert counts.sum(axis=1).tolist() == [6, 6, 0, 4, 0]
    assert Vectorizer().fit(TEXTS).transform([]).shape == (0, counts.shape[1])
    assert Vectorizer(ngram_range=(2, 2)).fit(TEXTS).transform(["", "x"]).nnz == 0


def test_stop_words_go_before_n_grams_are_made() -> None:
    model = Vectorizer(ngram_range=(1, 2), stop_words=["THE", "on"]).fit(["the cat sat on the mat"])
    assert set(model.vocabulary_) == {"cat", "sat", "mat", "cat sat", "sat mat"}
    assert "the" not in Vectorizer(stop_words="english").fit(TEXTS).vocabulary_


def test_stems_are_counted_together() -> None:
    model = Vectorizer(stemmer="english", stop_words=["dog"])
    counts = model.fit_transform(["connected connecting dogs", "connection dog"])
    assert model.vocabulary_ == {"connect": 0, "dog": 1}
    np.testing.assert_array_equal(counts.toarray(), [[2, 1], [1, 0]])
    assert set(
        Vectorizer(stemmer="german", ngram_range=(2, 2)).fit(["Häuser bauen"]).vocabulary_
    ) == {"haus bau"}


def test_html() -> None:
    text = (
        "<p class='x'>caf&eacute;<br />bar</p><!-- no --><script>var no;</script> 3 &lt; 4 <3 "
        "a&#98;c if x<y"
    )
    model = Vectorizer(strip_html=True).fit([text, "plain"])
    assert set(model.vocabulary_) == {"café", "bar", "abc", "if", "plain"}
    assert "br" in Vectorizer().fit([text]).vocabulary_


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("हिन्दी में पढ़ना अच्छा है।", ["हिन्दी", "में", "पढ़ना", "अच्छा", "है"]),
        ("Die Straße ist GRÖSSER, Äpfel.", ["die", "straße", "ist", "grösser", "äpfel"]),
        ("Ὁ ΛΌΓΟΣ τοῦ Θεοῦ· καλημέρα", ["λόγος", "τοῦ", "θεοῦ", "καλημέρα"]),
        ("Привет, МИР! Ёлка", ["привет", "мир", "ёлка"]),
        ("مُدَرِّسٌ كِتَابٌ، السلام", ["مُدَرِّسٌ", "كِتَابٌ", "السلام"]),
        ("我喜欢读书。你呢？很好", ["我", "喜欢", "读书", "你", "呢", "很", "好"]),
        ("می‌خواهم بروم", ["می‌خواهم", "بروم"]),
        ("e\u0301te\u0301 fini", ["e\u0301te\u0301", "fini"]),
    ],
    ids=["Hindi", "German", "Greek", "Russian", "Arabic", "Chinese", "Persian", "marks"],
)
def test_languages(text: str, words: list[str]) -> None:
    assert Vectorizer().fit([text]).vocabulary_.keys() == set(words)


def test_pairs_of_characters_for_scripts_without_spaces() -> None:
    model = Vectorizer(token_pattern=r"[\p{L}\p{N}]", ngram_range=(2, 2)).fit(["我喜欢。"])
    assert set(model.vocabulary_) == {"我 喜", "喜 欢"}


@pytest.mark.parametrize(
    ("pattern", "cut"),
    [
        (THEIRS, True),
        (WORDS, True),
        (r"[\p{L}\p{N}]", True),
        (r"\w\w+", True),
        (r"\p{Lu}[a-z'-]*", True),
        (r"[a-z ]+", False),
        (r"\P{L}+", False),
        (r"^\w+", False),
        (r"\b\w+\b", False),
        (r"\w+|\d", False),
        (r"[^a]+", False),
        (r"\S+", False),  # could be cut, but is not of the form that is looked for
    ],
)
def test_texts_are_cut_at_spaces_only_if_no_match_can_hold_one(pattern: str, cut: bool) -> None:
    assert holds_no_space(pattern) == cut


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet="aB ΣσΑ\u0301'.\nİ", max_size=12), max_size=5), st.booleans())
def test_cutting_at_spaces_gives_the_same_tokens(texts: list[str], lowercase: bool) -> None:
    column = pl.Series(texts, dtype=pl.String)
    for pattern in (THEIRS, WORDS, r"\w"):
        types, starts, codes = matched(column, pattern, lowercase=lowercase)
        lowered = column.str.to_lowercase() if lowercase else column
        expected = lowered.str.extract_all(pattern).to_list()
        found = types.gather(codes).to_list()
        assert [found[a:b] for a, b in itertools.pairwise(starts)] == expected


# Adding documents


def test_partial_fit_appends_and_never_moves_a_column() -> None:
    model = Vectorizer(6).partial_fit(["bb bb aa", "cc"])
    assert model.vocabulary_ == {"bb": 0, "aa": 1, "cc": 2}
    assert model.partial_fit(["dd dd dd dd ee ee", "cc cc cc"]) is model
    assert model.vocabulary_ == {"bb": 0, "aa": 1, "cc": 2, "dd": 3, "ee": 4}
    model.partial_fit(["ff gg hh gg"])
    assert model.vocabulary_ == {"bb": 0, "aa": 1, "cc": 2, "dd": 3, "ee": 4, "gg": 5}
    assert model.n_documents_ == 5
    model.set_params(vocabulary_size=7).partial_fit([])
    assert list(model.vocabulary_)[6:] == ["ff"]


def test_partial_fit_remembers_words_that_were_too_rare() -> None:
    model = Vectorizer(min_df=2).partial_fit(["aa bb", "aa"])
    assert model.vocabulary_ == {"aa": 0}
    assert model.partial_fit(["bb"]).vocabulary_ == {"aa": 0, "bb": 1}
    assert model.fit(["zz", "zz"]).vocabulary_ == {"zz": 0}  # fit begins anew


def test_counts_do_not_depend_on_chunks_and_threads() -> None:
    rng = np.random.default_rng(0)
    texts = [
        " ".join(f"w{i}" for i in rng.zipf(1.5, size=rng.integers(0, 30)) % 500) for _ in range(200)
    ]
    whole = Vectorizer(50, ngram_range=(1, 2), n_jobs=1)
    expected = whole.fit_transform(texts)
    for chunk_size, n_jobs in ((7, 1), (7, 3), (100, 2)):
        model = Vectorizer(50, ngram_range=(1, 2), chunk_size=chunk_size, n_jobs=n_jobs)
        assert_same(model.fit_transform(iter(texts)), expected)
        assert model.vocabulary_ == whole.vocabulary_
        assert_same(model.transform(iter(texts)), expected)


# Bounded memory


def test_pruning_follows_its_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is lost occurs `pruned_` times at most, and no count is too low by more."""
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{i}" for i in rng.zipf(1.3, size=20) % 3000) for _ in range(300)]
    true = Counter(word for text in texts for word in text.split())
    model = Vectorizer(None, max_types=200, chunk_size=20).fit(texts)
    assert model.type_counts_.height <= 200
    assert 0 < model.pruned_ < max(true.values())
    held = dict(model.type_counts_.select("word", "count").iter_rows())
    assert all(count <= model.pruned_ for word, count in true.items() if word not in held)
    assert all(0 <= true[word] - count <= model.pruned_ for word, count in held.items())
    assert_same(model.fit_transform(texts), model.transform(texts))
    exact = Vectorizer(None, max_types=10_000, chunk_size=20).fit(texts)
    assert exact.pruned_ == 0
    assert dict(exact.type_counts_.select("word", "count").iter_rows()) == dict(true)


def test_pruning_by_hand() -> None:
    model = Vectorizer(max_types=4, chunk_size=1).fit(["aa aa aa bb bb", "cc dd ee", "dd dd"])
    # after two documents there are five types: those seen once go, until at most two are left
    assert model.pruned_ == 1
    assert dict(model.type_counts_.select("word", "count").iter_rows()) == {
        "aa": 3,
        "bb": 2,
        "dd": 2,
    }


def test_chunks_of_counts() -> None:
    model = Vectorizer(vocabulary=["cat", "ran"], chunk_size=2)
    chunks = list(model.count_chunks(iter(TEXTS)))
    assert [chunk.counts.toarray().tolist() for chunk in chunks] == [
        [[1, 0], [1, 1]],
        [[0, 0], [0, 1]],
        [[0, 0]],
    ]
    assert [chunk.terms.tolist() for chunk in chunks] == [[6, 6], [0, 4], [0]]
    assert [chunk.unknown.tolist() for chunk in chunks] == [[5, 4], [0, 3], [0]]


# Unknown words


def test_coverage() -> None:
    model = Vectorizer(vocabulary=["cat", "sat", "the"], chunk_size=2)
    found = model.coverage(TEXTS)
    assert (found.documents, found.empty_documents) == (5, 3)
    assert (found.tokens, found.unknown_tokens) == (16, 8)
    assert found.unknown_share == 0.5
    assert found.unknown_words[:2] == (("ran", 2), ("birds", 1))
    assert model.coverage([]).unknown_share == 0.0
    assert Vectorizer().fit(TEXTS).coverage(as_corpus(TEXTS)).unknown_tokens == 0
