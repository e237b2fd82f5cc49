"""Chinese, Japanese and Thai: found by their script, cut into words, and read the same way ever
after.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from undertow import InvalidInput, Vectorizer
from undertow.corpus import occurrences, segmentation
from undertow.corpus.scripts import LOOKED_AT, Look
from undertow.corpus.segmentation import PACKAGES, SEGMENTERS, Segmenter, engine, joined

CHINESE = [
    "我们今天在图书馆里学习自然语言处理。",
    "他用Python写了一个搜索引擎，iPhone手机很贵！",
    "这种茶很香，她很喜欢。",
]
JAPANESE = [
    "昨日、東京で新しい映画を見ました。",
    "彼はPythonで検索エンジンを作った。",
    "お茶を飲みながら本を読む。",
]
THAI = ["วันนี้เราไปห้องสมุดมหาวิทยาลัย", "เขาเขียนโปรแกรมด้วย Python", "ฉันชอบดื่มชาและอ่านหนังสือ"]
ENGLISH = ["She likes tea and books.", "He wrote a search engine in Python."]


@pytest.mark.parametrize(
    ("texts", "language", "words"),
    [
        (CHINESE, "chinese", {"图书馆", "学习", "搜索引擎", "python", "iphone", "手机", "茶"}),
        (JAPANESE, "japanese", {"東京", "映画", "python", "検索", "エンジン", "茶", "本"}),
        (THAI, "thai", {"วันนี้", "ห้องสมุด", "มหาวิทยาลัย", "โปรแกรม", "python", "อ่านหนังสือ"}),
    ],
)
def test_a_language_is_found_by_its_script_and_said(
    texts: list[str], language: str, words: set[str], caplog: pytest.LogCaptureFixture
) -> None:
    model = Vectorizer().fit(texts)
    assert model.segmenter_ == (language,)
    assert words <= set(model.vocabulary_)
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        f"{language.capitalize()} text found: segmented by {' and '.join(PACKAGES[language])}"
    ]
    assert Vectorizer(segmenter=language).fit(texts).vocabulary_ == model.vocabulary_


def test_texts_with_spaces_are_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    model = Vectorizer().fit(
        [*ENGLISH * 60, "The sign said 茶, which is tea.", "한국어에는 띄어쓰기가 있다."]
    )
    assert model.segmenter_ == ()
    assert not caplog.records
    assert model.spaced(ENGLISH).to_list() == ENGLISH


def test_a_few_in_a_hundred_documents_are_enough() -> None:
    assert Vectorizer().fit([*ENGLISH * 48, *THAI[:2], *CHINESE[:2]]).segmenter_ == (
        "chinese",
        "thai",
    )
    assert Vectorizer().fit([*ENGLISH * 48, *THAI[:1], *CHINESE[:1]]).segmenter_ == ()


def test_chinese_and_japanese_are_told_apart_by_kana() -> None:
    headlines = ["東京都知事選挙", "日本経済新聞"]  # Japanese, though in Chinese letters
    assert Vectorizer().fit([*JAPANESE, *headlines]).segmenter_ == ("japanese",)
    long = "我们今天在图书馆里学习自然语言处理，他写了一个搜索引擎"
    both = Vectorizer().fit([*JAPANESE, long])
    assert both.segmenter_ == ("chinese", "japanese")
    assert {"图书馆", "搜索引擎", "映画"} <= set(both.vocabulary_)
    assert Vectorizer().fit(
        [*CHINESE, "超市の草莓很便宜，我们今天去买了三公斤回家"]
    ).segmenter_ == ("chinese",)


def test_later_texts_are_read_like_the_first() -> None:
    model = Vectorizer().fit(JAPANESE)
    question = ["東京映画"]  # alone it could be Chinese
    assert model.transform(question).sum() == 2
    np.testing.assert_array_equal(
        model.counter().counts(question).toarray(), model.transform(question).toarray()
    )
    model.partial_fit(CHINESE)
    assert model.segmenter_ == ("japanese",)
    english = Vectorizer().fit(ENGLISH)
    assert english.partial_fit(CHINESE).segmenter_ == ()


def test_the_first_texts_decide_however_they_are_cut(caplog: pytest.LogCaptureFixture) -> None:
    texts = [*ENGLISH, *CHINESE]
    for chunk_size in (1, 2, 100):
        assert Vectorizer(chunk_size=chunk_size).fit(texts).segmenter_ == ("chinese",)
    caplog.clear()
    late = Vectorizer().fit([*ENGLISH * (LOOKED_AT // 2), *CHINESE * 300])
    assert late.segmenter_ == ()
    assert [record.getMessage() for record in caplog.records] == [
        "Chinese text found after the first 1000 documents, which decide: it was not segmented; "
        "set segmenter='chinese'"
    ]


def test_a_vectorizer_without_texts_decides_nothing() -> None:
    model = Vectorizer().partial_fit([])
    assert not hasattr(model, "segmenter_")
    assert model.partial_fit(CHINESE).segmenter_ == ("chinese",)
    assert not hasattr(clone(model), "segmenter_")


def test_a_fixed_vocabulary_says_what_it_needs() -> None:
    model = Vectorizer(vocabulary=["图书馆", "学习"])
    np.testing.assert_array_equal(model.transform(CHINESE[:1]).toarray(), [[1, 1]])
    assert model.fit([]).segmenter_ == ("chinese",)
    assert Vectorizer(vocabulary=["tea"]).fit([]).segmenter_ == ()


def test_a_pattern_of_single_letters_provides_for_itself() -> None:
    model = Vectorizer(token_pattern=r"[\p{L}\p{N}]", ngram_range=(2, 2)).fit(["我喜欢。"])
    assert set(model.vocabulary_) == {"我 喜", "喜 欢"}
    assert "图书馆" in Vectorizer(token_pattern=r"[^\W\d_]{2,}").fit(CHINESE).vocabulary_


def test_stop_words_of_a_segmented_language() -> None:
    assert set(Vectorizer(stop_words="chinese").fit(["我们在图书馆里学习"]).vocabulary_) == {
        "图书馆",
        "里",
        "学习",
    }
    assert set(Vectorizer(stop_words="thai").fit(["เราไปห้องสมุด"]).vocabulary_) == {"ห้องสมุด"}


# Pairs of letters


def test_pairs_of_letters_need_no_package() -> None:
    assert set(Vectorizer(segmenter="pairs").fit(["喝Oolong茶，图书馆"]).vocabulary_) == {
        *("喝", "oolong", "茶", "图书", "书馆"),
    }
    assert Segmenter(("pairs",)).spaced(pl.Series(["ที่นี่"]))[0].split() == [
        "ที่นี่"
    ]  # two letters with their marks
    assert Segmenter(("pairs",)).spaced(pl.Series(["ไทยแท้"]))[0].split() == ["ไทย", "ยแท้"]


def test_what_is_not_installed_is_replaced_by_pairs_and_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(segmentation.PACKAGES, "chinese", ("no_such_package",))
    model = Vectorizer().fit([*CHINESE, *THAI])
    assert model.segmenter_ == ("thai", "pairs")
    assert {"图书", "书馆", "ห้องสมุด"} <= set(model.vocabulary_)
    assert caplog.records[0].getMessage() == (
        "Chinese text found: pairs of letters are counted, since no_such_package is not installed; "
        "for words, pip install 'undertow[chinese]'"
    )
    with pytest.raises(
        InvalidInput,
        match=r"segmenter='chinese' needs no_such_package.*pip install 'undertow\[chinese\]'",
    ):
        Vectorizer(segmenter="chinese").fit(CHINESE)


@pytest.mark.parametrize("wrong", ["klingon", [], ["thai", "klingon"], 3, ["auto"]])
def test_an_unknown_segmenter_is_refused(wrong: object) -> None:
    with pytest.raises(
        InvalidInput, match=r"segmenter must be 'auto', None, or one or several of 'chinese', "
    ):
        Vectorizer(segmenter=wrong).fit(CHINESE)  # type: ignore[arg-type]


# Words joined by spaces, for an index of full text


def test_all_words_are_there_as_they_are_written() -> None:
    model = Vectorizer(3, stop_words="chinese", stemmer="english").fit([*CHINESE, "running dogs"])
    found = model.spaced(["她用C写的搜索引擎，Running 3次！", ""])
    assert found.to_list() == ["她 用 c 写 的 搜索引擎 running 3 次", ""]
    assert model.spaced(pl.Series("body", ["喜欢喝茶"])).to_list() == ["喜欢 喝茶"]
    assert Vectorizer(segmenter="thai").fit(THAI).spaced(THAI[:1]).to_list() == [
        "วันนี้ เรา ไป ห้องสมุด มหาวิทยาลัย"
    ]


# Engines


@settings(max_examples=40, deadline=None)
@given(
    st.text(alphabet="我喜欢读书馆東京お茶のエンジンー々ｶﾞ", min_size=1, max_size=15),
    st.sampled_from(["chinese", "japanese"]),
)
def test_words_are_the_run_again(run: str, name: str) -> None:
    assert "".join(engine(name)(run)) == run


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="กขนมทยะัาิีูเแโไ่้์", min_size=1, max_size=15))
def test_thai_words_are_the_run_again_and_pairs_share_a_letter(run: str) -> None:
    assert "".join(engine("thai")(run)) == run
    assert reduce(partial(joined, overlap=True), engine("pairs")(run)) == run


def changed(text: str, changes: Iterable[tuple[int, int, str]]) -> str:
    parts, done = [], 0
    for start, end, new in changes:
        parts += [text[done:start], new]
        done = end
    return "".join([*parts, text[done:]])


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([("chinese", "thai"), ("japanese",), ("pairs",), ("thai", "pairs")]),
    st.lists(
        st.sampled_from([*"我们喜欢お茶ไทยนี้", "图书馆", "ห้องสมุด", "Python", " ", "，", "2026"]),
        max_size=12,
    ).map("".join),
)
def test_changes_are_those_of_the_text(names: tuple[str, ...], text: str) -> None:
    segmenter = Segmenter(names)
    assert changed(text, segmenter.changes(text)) == segmenter.spaced_text(text)


def test_words_are_found_again_where_they_stand() -> None:
    text = "去Oxford图书馆看书"
    for name, expected in (
        ("pairs", ["去", "Oxford", "图书", "书馆", "馆看", "看书"]),
        ("chinese", None),
    ):
        model = Vectorizer(segmenter=name).fit([text])
        found = [text[one.start : one.end] for one in occurrences(model, text)]
        assert found == (expected or ["去", "Oxford", "图书馆", "看书"])


def test_threads_segment_alike() -> None:
    texts = [*CHINESE, *JAPANESE, *THAI] * 20
    segmenter = Segmenter(("chinese", "japanese", "thai"))

    def spaced(part: Sequence[str]) -> list[str]:
        found: list[str] = segmenter.spaced(pl.Series(part)).to_list()
        return found

    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(spaced, [texts] * 8))
    assert all(part == spaced(texts) for part in parts)


def test_no_folder_is_made_in_the_home(tmp_path: Path) -> None:
    code = (
        "from undertow.corpus.segmentation import engine; "
        "print(len(engine('thai')('วันนี้เราไปห้องสมุด')))"
    )
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHAINLP")
    }
    environment |= {"HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, check=True
    )
    assert done.stdout.split() == [b"4"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("first", "second", "overlap", "whole"),
    [
        ("机器", "学习", False, "机器学习"),
        ("机器", "器学", True, "机器学"),
        ("上海", "海关", False, "上海海关"),
        ("ที่นี่", "นี่ดี", True, "ที่นี่ดี"),
        ("python", "编程", False, "python 编程"),
        ("space", "shuttle", True, "space shuttle"),
        ("図書", "館", False, "図書館"),
    ],
)
def test_words_are_joined_as_they_are_written(
    first: str, second: str, overlap: bool, whole: str
) -> None:
    assert joined(first, second, overlap=overlap) == whole


def test_a_look_counts_documents() -> None:
    look = Look()
    look.see(pl.Series([*ENGLISH, "", "12345", *THAI], dtype=pl.String))
    assert look.languages() == ["thai"]
    assert look.documents == 7


def test_the_page_on_languages_names_the_segmenters() -> None:
    page = (Path(__file__).parents[2] / "docs" / "languages.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r'\| `segmenter="(\w+)"` \|', page)) == SEGMENTERS
    assert all(f"undertow[{name}]" in page for name in PACKAGES)
