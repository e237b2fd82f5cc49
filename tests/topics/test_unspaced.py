"""Topics of Chinese texts: words joined as they are written, sentences cut at their marks, read
alike after a load.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import undertow
from undertow import ModelFileError, TopicModel, Vectorizer
from undertow.corpus import segmentation
from undertow.storage import load_model
from undertow.topics._word_rows import LONGEST, rows_of
from undertow.topics.atlas import Atlas
from undertow.topics.excerpts import sentences_of, shortened, title_of

LEARNING = [
    "机器学习模型需要大量的训练数据。",
    "自然语言处理是人工智能的重要方向。",
    "神经网络在图像识别方面表现出色。",
    "研究人员发布了新的机器学习算法！",
]
FOOTBALL = [
    "昨晚的足球比赛非常精彩。",
    "前锋在下半场攻入两球！",
    "世界杯预选赛将在下个月举行。",
    "教练说：“足球比赛还会继续。”",
]


def fitted(segmenter: str, ngram_range: tuple[int, int] = (1, 1)) -> TopicModel:
    random = Random(0)
    texts = ["".join(random.choices(part, k=3)) for _ in range(60) for part in (LEARNING, FOOTBALL)]
    vectorizer = Vectorizer(stop_words="chinese", segmenter=segmenter, ngram_range=ngram_range)
    return TopicModel(8, vectorizer=vectorizer, random_state=0).fit(texts)


@pytest.fixture(scope="module")
def model() -> TopicModel:
    return fitted("auto")


def shown(atlas: Atlas) -> list[str]:
    records = atlas.topics(atlas.cut(2), 20)
    return [word.word for topic in records for word in (*topic.words, *topic.phrases)] + [
        topic.name for topic in records
    ]


def test_words_and_phrases_have_no_spaces_within(model: TopicModel) -> None:
    terms = shown(model.atlas_)
    assert {"机器", "足球比赛", "机器学习"} <= set(terms)
    assert not any(" " in part for term in terms for part in term.split(", "))


def test_a_name_does_not_say_a_word_of_its_phrase_again(model: TopicModel) -> None:
    for name in (topic.name for topic in model.topics(2)):
        parts = name.split(", ")
        assert not any(part != other and part in other for part in parts for other in parts), name


def test_pairs_of_letters_are_joined_again(tmp_path: Path) -> None:
    model = fitted("pairs")
    terms = shown(model.atlas_)
    again = undertow.load(model.save(tmp_path / "model"))
    assert isinstance(again, TopicModel)
    assert shown(again.atlas_) == terms
    assert {"机器", "器学", "机器学习", "足球比赛"} <= set(terms)
    for topic in model.topics(2):
        letters = [letter for part in topic.name.split(", ") for letter in part]
        assert len(letters) == len(set(letters)), topic.name
    assert not any(" " in part for term in terms for part in term.split(", "))


def test_pairs_that_go_on_make_a_row() -> None:
    rows = rows_of([(1, 2), (5, 6), (2, 3), (0, 1), (3, 1)])
    assert [(row.words, row.first) for row in rows] == [((0, 1, 2, 3, 1), 0), ((5, 6), 1)]
    assert max(len(row.words) for row in rows_of([(n, n + 1) for n in range(30)])) == LONGEST
    assert rows_of([]) == []


def test_counted_pairs_of_words_are_joined_as_well() -> None:
    atlas = fitted("chinese", (1, 2)).atlas_
    assert "机器学习" in atlas.words
    assert not any(" " in word for word in atlas.words)


def test_a_typical_document_shows_one_sentence(model: TopicModel) -> None:
    sentences = {document.sentence for topic in model.topics(2) for document in topic.typical}
    assert sentences <= {*LEARNING, *FOOTBALL}


def test_what_was_decided_is_stored(model: TopicModel, tmp_path: Path) -> None:
    again = undertow.load(model.save(tmp_path / "model"))
    assert isinstance(again, TopicModel)
    assert again.vectorizer_.segmenter_ == ("chinese",)
    assert again.vectorizer_.settings() == model.vectorizer_.settings()
    question = ["足球比赛", "机器学习 and football"]
    np.testing.assert_array_equal(
        again.counts(question).toarray(), model.counts(question).toarray()
    )
    assert again.counts(question).sum(axis=1).tolist() == [1, 2]
    assert shown(again.atlas_) == shown(model.atlas_)


def test_a_model_of_an_earlier_version_reads_on_as_it_did(
    model: TopicModel, tmp_path: Path
) -> None:
    stored = load_model(model.save(tmp_path / "model"))
    del stored.training["vectorizer"]["segmenter"]
    old = TopicModel.from_stored(stored, tmp_path)
    assert old.vectorizer_.segmenter_ == ()
    assert old.vectorizer_.segmenter is None
    assert old.counts(["足球比赛非常精彩"]).sum() == 0


def test_a_model_says_which_extra_it_needs(
    model: TopicModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.save(tmp_path / "model")
    monkeypatch.setitem(segmentation.PACKAGES, "chinese", ("no_such_package",))
    with pytest.raises(
        ModelFileError, match=r"needs no_such_package, .* pip install 'undertow\[chinese\]'"
    ):
        undertow.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("".join(LEARNING[:2]), LEARNING[:2]),
        (
            "昨晚的足球比赛非常精彩吗？是的！世界杯预选赛将在下个月举行。",
            ["昨晚的足球比赛非常精彩吗？", FOOTBALL[2]],
        ),
        (f"{FOOTBALL[3]}{FOOTBALL[0]}", [FOOTBALL[3], FOOTBALL[0]]),
        (
            "昨日、東京で新しい映画を見ました。とても面白かったです。",
            ["昨日、東京で新しい映画を見ました。", "とても面白かったです。"],
        ),
        (
            "A sentence of letters. Another one, with version 2.0.1 in it! "
            "这里有一个句子，也要分开。",
            None,
        ),
    ],
)
def test_sentences_end_at_their_marks_without_a_space(
    text: str, sentences: list[str] | None
) -> None:
    expected = sentences or [
        "A sentence of letters.",
        "Another one, with version 2.0.1 in it!",
        "这里有一个句子，也要分开。",
    ]
    assert sentences_of(text) == expected
    assert title_of(text) == expected[0]


def test_a_long_text_without_spaces_is_cut() -> None:
    assert shortened("我们今天在图书馆里，学习自然语言处理", 11) == "我们今天在图书馆里…"
