"""The usual way to search: words and meaning together, against what they say apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from undertow import TopicModel
from undertow.kernels.reference.postings import bm25
from undertow.search import Index
from undertow.search.ranking.modes import SHARPNESS

HALF = 2e-3  # what half precision takes from a cosine


def expected(model: TopicModel, table: pl.DataFrame, query: str) -> dict[str, float]:
    """Scores by their definition, in float64."""
    vectors, (asked,) = (
        model.encode(texts, "strength").astype(np.float64) for texts in (table["text"], [query])
    )
    cosines = (vectors @ asked) / (np.linalg.norm(vectors, axis=1) * np.linalg.norm(asked))
    texts = [text.split() for text in table["text"]]
    words = dict.fromkeys(query.split(), 1.0)
    matches = bm25(texts, words)
    held = {word: sum(word in text for text in texts) for word in words}
    telling = {
        word: np.log(1 + (len(texts) - count + 0.5) / (count + 0.5)) for word, count in held.items()
    }
    possible = sum(telling.values())
    by_words = max(min(16 / len(words), 1.0), 0.3)
    by_meaning = sum(weight for word, weight in telling.items() if word in model.words()) / possible
    fused = by_words * (matches / matches.max()) ** SHARPNESS + by_meaning * cosines / cosines.max()
    shown = fused / (by_words + by_meaning) * max(min(matches.max() / possible, 1.0), cosines.max())
    return dict(zip(table["id"], shown, strict=True))


MANY = (
    "apple pear plum cherry grape melon orchard juice ripe fruit engine wheel brake clutch gear "
    "diesel garage tyre road"
)


@pytest.mark.parametrize(
    "query",
    [
        "engine gear",
        "apple pear plum road",
        "clutch diesel apple",
        "zeppelin engine gear",
        MANY,
        f"zeppelin {MANY}",
    ],
)
def test_scores_are_as_they_are_defined(
    index: Index, model: TopicModel, table: pl.DataFrame, query: str
) -> None:
    wanted = expected(model, table, query)
    hits = index.search(query, 120, duplicates=True)
    assert {hit.id for hit in hits} == set(wanted)
    for hit in hits:
        assert hit.score == pytest.approx(wanted[hit.id], abs=2 * HALF)
    best = sorted(wanted.values(), reverse=True)
    np.testing.assert_allclose([wanted[hit.id] for hit in hits], best, atol=4 * HALF)
    assert all(0.0 <= hit.score <= 1.0 for hit in hits)


def test_words_of_whole_documents_keep_a_weight(index: Index) -> None:
    from undertow.search.ranking.questions import asked_in_words

    full, encoder = index._versions.current.ranker.derived.text, index._encoder
    words = " ".join(f"word{number}" for number in range(400))
    assert asked_in_words(words, full, encoder).question.weight_of_words == 0.3


def test_copies_without_end_are_not_all_looked_at(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    from undertow.search.ranking import answers

    looked: list[int] = []

    def all_alike(texts: list[object]) -> list[int]:
        looked.append(len(texts))
        return [0] * len(texts)

    monkeypatch.setattr(answers, "DEEPEST", 40)
    monkeypatch.setattr(answers, "fold_shingles", all_alike)
    assert len(index.search("engine gear", 5)) == 1
    assert looked == [8, 32, 40]


def test_few_are_the_first_of_many(index: Index) -> None:
    many = index.search("engine gear and a plum", 120, duplicates=True)
    for n in (1, 5, 40):
        assert index.search("engine gear and a plum", n, duplicates=True) == many[:n]


def test_a_headline_finds_its_text_and_meaning_orders_the_rest(index: Index) -> None:
    """As with "are mobile phones dangerous for children"."""
    index.add(
        pl.DataFrame({"id": ["phones"], "text": ["Mobile phones may be a health risk to children"]})
    )
    hits = index.search("are mobile phones dangerous for children, engine gear diesel?", 10)
    assert hits[0].id == "phones"
    assert {int(hit.id[1:]) % 2 for hit in hits[1:]} == {
        1
    }  # cars, among them some without a word of the question
    alone = index.search("are mobile phones dangerous for children?")
    assert [hit.id for hit in alone] == ["phones"]
    assert [part.word for part in alone[0].why.words] == ["children", "mobile", "phones"]


def test_a_document_like_itself_is_found_by_what_others_share(
    index: Index, table: pl.DataFrame
) -> None:
    texts = dict(zip(table["id"], table["text"], strict=True))
    hits = index.search(like="d2", n=119, duplicates=True)
    assert "d2" not in {hit.id for hit in hits}
    shared = [len(set(texts["d2"].split()) & set(hit.text.split())) for hit in hits]
    assert np.mean(shared[:10]) > np.mean(shared[-50:])


# Words that no document holds


def test_a_mistyped_word_is_searched_for_as_it_was_meant(index: Index) -> None:
    wrong, right = index.search("engien deisel"), index.search("engine diesel")
    assert wrong.corrected == {"engien": "engine", "deisel": "diesel"}
    assert [hit.id for hit in wrong] == [hit.id for hit in right]
    assert right.corrected == {}
    assert right.hint is None


def test_what_resembles_nothing_is_said_to_be_missing(index: Index) -> None:
    found = index.search("zeppelin with an engine")
    assert found
    assert found.hint is not None
    assert "'zeppelin'" in found.hint
    nothing = index.search("zeppelin")
    assert nothing == []
    assert nothing.hint is not None
    assert nothing.hint.startswith("Nothing found")


def test_a_poor_answer_is_said_to_be_poor(index: Index) -> None:
    found = index.search("zeppelin balloon hydrogen gondola ballast garage", mode="text")
    assert found[0].score < 0.25
    assert found.hint is not None
    assert found.hint.startswith("Nothing fits well")


def test_inflected_words_are_found_where_the_model_stems(
    tmp_path: Path, table: pl.DataFrame
) -> None:
    stemming = TopicModel(4, stemmer="english", max_epochs=2, batch_size=32, random_state=0).fit(
        table
    )
    index = Index.create(tmp_path / "index", stemming, ["mobile phones", "a road", "telephoning"])
    (hit,) = index.search("phone", mode="text")
    assert hit.text == "mobile phones"
    assert [part.word for part in hit.why.words] == ["phone"]


# Near-copies

STORY = (
    "the old engine of the red car in the garage lost its clutch on the way to the long road home "
    "today"
)


def test_near_copies_stand_together(tmp_path: Path, model: TopicModel, table: pl.DataFrame) -> None:
    copies = [STORY, STORY + " again", STORY.replace("red", "blue"), STORY.upper()]
    texts = pl.DataFrame({"id": [f"s{number}" for number in range(4)], "text": copies})
    index = Index.create(tmp_path / "index", model, pl.concat([table.select("id", "text"), texts]))
    assert index.info()["near_copies"] == pytest.approx(
        2, abs=1
    )  # an estimate: one word changed is a lot here
    hits = index.search(STORY, 5)
    assert len(hits) == 5
    together = next(hit for hit in hits if hit.id.startswith("s"))
    assert {together.id, *together.alike} >= {"s0", "s1", "s3"}
    assert not {hit.id for hit in hits} & set(together.alike)
    apart = index.search(STORY, 5, duplicates=True)
    assert {"s0", "s1", "s3"} <= {hit.id for hit in apart}
    assert all(hit.alike == () for hit in apart)


def test_many_copies_do_not_hide_the_others(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame
) -> None:
    texts = pl.DataFrame({"id": [f"s{number}" for number in range(60)], "text": [STORY] * 60})
    index = Index.create(tmp_path / "index", model, pl.concat([table.select("id", "text"), texts]))
    hits = index.search("red car lost its clutch on the way home today", 8)
    assert len(hits) == 8
    assert sum(hit.id.startswith("s") for hit in hits) == 1
    assert max(len(hit.alike) for hit in hits) == 59
    assert index.info()["near_copies"] == 59


# Sizes and languages


def test_many_documents_are_scored_by_the_kernels(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    from undertow.fulltext import full_text
    from undertow.search.folder import byte_vectors

    few = index.search(
        "engine gear and a plum", 20
    )  # the first question: nothing compiled is loaded for it
    monkeypatch.setattr(full_text, "BY_KERNEL", 0)
    monkeypatch.setattr(byte_vectors, "BY_KERNEL", 0)
    again = index.search("engine gear and a plum", 20)
    assert [hit.id for hit in again] == [hit.id for hit in few]
    np.testing.assert_allclose([hit.score for hit in again], [hit.score for hit in few], rtol=1e-5)


def test_chinese_is_found_by_its_words(tmp_path: Path) -> None:

    texts = [
        "今天北京的天气很好",
        "机器学习改变了世界",
        "他在学习做中国菜",
        "明天上海的天气不好",
    ] * 8
    model = TopicModel(4, segmenter="pairs", max_epochs=2, batch_size=8, random_state=0).fit(texts)
    index = Index.create(tmp_path / "index", model, texts[:4])
    assert {hit.text for hit in index.search("天气", mode="text")} == {texts[0], texts[3]}
    assert index.search("机器学习", 1, mode="text")[0].text == texts[1]
