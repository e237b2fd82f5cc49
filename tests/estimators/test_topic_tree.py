"""The tree of topics of a `TopicModel`: records, files, odd corpora, new documents."""

from __future__ import annotations

import copy
import logging
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import undertow
from tests.oracles.subjects import VOCABULARY, changeable, corpus, fitted, halves, pure, untrained
from undertow import InvalidInput, TopicModel
from undertow.topics import Branch, Topic

GOLDEN = Path(__file__).parents[1] / "storage" / "golden" / "v1"
THREE = ("sport", "politics", "space")


def same_topics(first: TopicModel, second: TopicModel) -> None:
    """All that is told, for some cuts."""
    assert first.choose_topics() == second.choose_topics()
    for n in (None, 2, 7, len(first.atlas_.tree.leaves)):
        assert first.topics(n) == second.topics(n)


# Records


@pytest.mark.parametrize("n", [2, 5, 20, None])
def test_records_are_complete(n: int | None) -> None:
    model, table = fitted().model, fitted().table
    texts = dict(zip(table["id"], table["text"], strict=True))
    topics = model.topics(n)
    assert len(topics) == (n or model.choose_topics().n)
    assert sum(topic.documents for topic in topics) == table.height
    assert sum(topic.share for topic in topics) == pytest.approx(1.0)
    assert [topic.documents for topic in topics] == sorted(
        (topic.documents for topic in topics), reverse=True
    )
    vocabulary = set(model.words())
    for topic in topics:
        assert topic.name
        assert topic.documents > 0
        assert topic.words
        assert {word.word for word in topic.words} <= vocabulary
        assert len({word.word for word in topic.words}) == len(topic.words)
        assert all(0 < word.share <= 1 and word.salience > 0 for word in topic.words)
        assert -1 <= topic.coherence <= 1
        assert topic.units
        assert all(0 <= unit.id < 32 and unit.strength > 0 for unit in topic.units)
        assert topic == model.topic(topic.id) or n != model.choose_topics().n
        shown = [document.id for document in topic.typical]
        assert shown
        assert len(set(shown)) == len(shown)
        for document in topic.typical:
            text = texts[document.id]
            assert document.sentence.rstrip("…") in text
            assert document.title.rstrip("…") in text
        assert len({document.sentence for document in topic.typical}) == len(shown)


def test_two_topics_are_the_two_subjects() -> None:
    found = [{word.word for word in topic.words} for topic in fitted().model.topics(2)]
    subjects = [set(VOCABULARY[subject]) for subject in ("sport", "politics")]
    assert sorted(
        subjects.index(subject) for words in found for subject in subjects if words <= subject
    ) == [0, 1]


def test_parents_and_children_fit_each_other() -> None:
    model = fitted().model
    for topic in model.topics(2):
        assert topic.parent is None
        for child in topic.children:
            assert model.topic(child).parent == topic.id
        assert sum(model.topic(child).documents for child in topic.children) == topic.documents
    assert all(not topic.children for topic in model.topics(len(model.atlas_.tree.leaves)))


def test_so_many_words_as_asked_for() -> None:
    model = fitted().model
    assert all(len(topic.words) == 3 for topic in model.topics(4, n_words=3))
    long, short = model.topics(2, n_words=20)[0].words, model.topics(2, n_words=5)[0].words
    assert long[:5] == short
    for n_words in (0, -1, 2.5, "3", True):
        with pytest.raises(InvalidInput, match="n_words must be a whole number of at least 1"):
            model.topics(2, n_words=n_words)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [0, 1, 26, 10**9, -3, 2.0, "4", True])
def test_numbers_of_topics_that_there_are_not(n: object) -> None:
    with pytest.raises(InvalidInput, match="n must be"):
        fitted().model.topics(n)  # type: ignore[arg-type]


@pytest.mark.parametrize("topic", [-1, 10**6, 48, 1.0, "3", None, True])
def test_topics_that_there_are_not(topic: object) -> None:
    with pytest.raises(InvalidInput, match="topic must be the id of a topic of this model"):
        fitted().model.topic(topic)  # type: ignore[arg-type]


def leaves(branches: tuple[Branch, ...] | list[Branch]) -> list[Topic]:
    return [
        topic
        for branch in branches
        for topic in (leaves(branch.branches) if branch.branches else [branch.topic])
    ]


def test_branches_end_in_the_topics_of_the_cut() -> None:
    model = fitted().model
    for n in (2, 5, 13, 20):
        found = model.topic_tree(n)
        assert sorted(topic.id for topic in leaves(found)) == sorted(model.topic_names(n))
        for branch in found:
            below = leaves([branch])
            assert sum(topic.documents for topic in below) == branch.topic.documents
            assert len(branch.branches) != 1


def test_ids_stay_the_same_in_every_cut() -> None:
    model = fitted().model
    sizes: dict[int, int] = {}
    for n in range(2, len(model.atlas_.tree.leaves) + 1):
        for topic in model.topics(n, n_words=1):
            assert sizes.setdefault(topic.id, topic.documents) == topic.documents


def test_a_document_is_typical_of_its_own_topic() -> None:
    model, table = fitted().model, fitted().table
    texts = dict(zip(table["id"], table["text"], strict=True))
    topics = model.topics(2)
    for place, topic in enumerate(topics):
        found = model.transform_topics([texts[document.id] for document in topic.typical], 2)
        assert (found.argmax(axis=1) == place).all()


# How many


def test_the_number_is_chosen_among_those_tried() -> None:
    for model in (fitted().model, fitted(THREE).model):
        choice = model.choose_topics()
        assert choice.n in [n for n, _ in choice.figures]
        assert all(-0.1 < figure <= 1.0 + 1e-12 for _, figure in choice.figures)
        assert len(model.topics()) == choice.n
        assert f"{choice.n} topics" in str(choice)


def test_three_clear_subjects_are_few_topics() -> None:
    assert fitted(THREE).model.choose_topics().n <= 8
    names = {topic.name.split(", ")[0] for topic in fitted(THREE).model.topics(3)}
    assert sorted(
        subject for subject in THREE for name in names if name in VOCABULARY[subject]
    ) == sorted(THREE)


# The same again


def test_the_same_seed_gives_the_same_topics() -> None:
    same_topics(untrained().fit(fitted().table), fitted().model)


@pytest.mark.parametrize("memory_limit", [0, "20KB"])
def test_counts_on_disk_give_the_same_topics(memory_limit: int | str) -> None:
    model = untrained(memory_limit=memory_limit).fit(fitted().table)
    assert model.reading_.scratch_bytes > 0
    same_topics(model, fitted().model)


@pytest.mark.parametrize("kind", ["list", "series", "iterator"])
def test_texts_of_any_kind_give_the_same_topics(kind: str) -> None:
    """But for ids: these are numbers of rows then."""
    texts = fitted().table["text"]
    model = untrained().fit(
        {"list": texts.to_list(), "series": texts, "iterator": iter(texts.to_list())}[kind]
    )
    assert model.topic_names(5) == fitted().model.topic_names(5)
    ids = fitted().table["id"].to_list()
    for topic, other in zip(model.topics(5), fitted().model.topics(5), strict=True):
        assert [ids[int(one.id)] for one in topic.typical] == [one.id for one in other.typical]


def test_a_model_comes_back_from_its_folder(tmp_path: Path) -> None:
    model = changeable()
    first, second, third, *_ = model.topic_names(8)
    model.merge_topics([first, second], "both")
    model.drop_topic(third)
    model.save(tmp_path / "model")
    loaded = undertow.load(tmp_path / "model")
    assert isinstance(loaded, TopicModel)
    same_topics(loaded, model)
    assert loaded.curation_ == model.curation_
    assert loaded.drift_ is None
    texts = halves("sport", "politics", 5)
    np.testing.assert_array_equal(
        loaded.transform_topics(texts, 6), model.transform_topics(texts, 6)
    )
    loaded.save(tmp_path / "again")
    for name in ("model.json", "weights.safetensors"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "model" / name).read_bytes()


def test_long_words_make_long_names_that_are_read_again(tmp_path: Path) -> None:
    """Words of 80 letters, four of which are a name of more than 200."""
    words = {
        word: word + "x" * 80 for subject in ("sport", "politics") for word in VOCABULARY[subject]
    }
    texts = [
        " ".join(words.get(word, word) for word in text.lower().replace(".", "").split())
        for text in fitted().table["text"]
    ]
    model = untrained().fit(texts)
    assert max(len(name) for name in model.topic_names(5).values()) > 200
    model.save(tmp_path / "model")
    loaded = undertow.load(tmp_path / "model")
    assert isinstance(loaded, TopicModel)
    assert loaded.topic_names(5) == model.topic_names(5)


def test_it_can_be_cloned_and_asked_before_it_is_fitted() -> None:
    model = clone(untrained(seeds={"health": ["hospital"]}))
    assert model.get_params()["seeds"] == {"health": ["hospital"]}
    with pytest.raises(NotFittedError):
        model.topics()


# Models of earlier versions


def old_model(tmp_path: Path) -> TopicModel:
    """A model as it was before there were trees: its folder without them."""
    model = changeable()
    del model.atlas_, model.curation_, model.drift_
    model.save(tmp_path / "old")
    loaded = undertow.load(tmp_path / "old")
    assert isinstance(loaded, TopicModel)
    return loaded


def test_a_model_without_a_tree_says_what_to_do(tmp_path: Path) -> None:
    model = old_model(tmp_path)
    calls: list[Callable[[], object]] = [
        model.topics,
        model.topic_tree,
        model.choose_topics,
        model.topic_names,
        lambda: model.topic(0),
        lambda: model.transform_topics(["goal"]),
        lambda: model.document_topics(["goal"]),
        lambda: model.explain_topic(["goal"], 0),
        lambda: model.rename_topic(0, "x"),
        lambda: model.seed_topic("x", ["goal"]),
        lambda: model.save_curation(tmp_path / "curation.json"),
    ]
    for call in calls:
        with pytest.raises(
            InvalidInput,
            match=r"earlier version without it: call grow_topics\(texts\), or fit again",
        ):
            call()


def test_growing_gives_an_old_model_the_topics_of_a_new_one(tmp_path: Path) -> None:
    model = old_model(tmp_path)
    assert model.grow_topics(fitted().table) is model
    same_topics(model, fitted().model)


def test_new_documents_give_an_old_model_a_tree(tmp_path: Path) -> None:
    model = old_model(tmp_path)
    model.partial_fit(corpus(documents=60, seed=9))
    assert model.topics(2)
    assert model.drift_ is None


def test_the_golden_model_of_format_1_still_loads(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "v1")
    model = undertow.load(tmp_path / "v1")
    assert model.units()


def test_growing_again_does_the_curation_again() -> None:
    model = changeable()
    wide = list(model.topic_names(2))
    model.rename_topic(wide[0], "renamed")
    model.grow_topics(fitted().table)
    assert model.topic(wide[0]).name == "renamed"
    assert len(model.curation_.actions) == 1


# Odd corpora


def small(max_epochs: int = 3, **options: object) -> TopicModel:
    usual = {"vocabulary_size": 100, "max_epochs": max_epochs, "random_state": 0}
    return TopicModel(8, **(usual | options))  # type: ignore[arg-type]


@pytest.mark.parametrize("documents", [50, 10, 3, 2, 1])
def test_few_documents_are_few_topics_and_a_warning(
    documents: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "undertow"):
        model = small(weighting=None).fit(corpus(documents=documents))
    assert (
        f"only {documents} documents have a known word: topics of so few are a rough sketch"
        in caplog.text
    )
    topics = model.topics()
    assert 1 <= len(topics) <= max(documents // 2, 1) + 1
    assert sum(topic.documents for topic in topics) == documents
    assert len({topic.name for topic in topics}) == len(topics)
    assert model.transform_topics(["goal match", ""]).shape == (2, len(topics))
    assert leaves(model.topic_tree())
    assert model.choose_topics().n == len(topics)


def test_one_document_repeated_is_one_topic(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    with caplog.at_level(logging.WARNING, "undertow"):
        model = small(weighting=None).fit(pure("sport", 1) * 300)
    assert "100% of the documents looked at are copies of others to the model" in caplog.text
    assert [topic.documents for topic in model.topics()] == [300]
    assert len(model.topics()[0].typical) == 1
    with pytest.raises(InvalidInput, match="n must be from"):
        model.topics(2)
    model.save(tmp_path / "model")
    loaded = undertow.load(tmp_path / "model")
    assert isinstance(loaded, TopicModel)
    assert loaded.topics() == model.topics()


def test_documents_that_are_all_alike_have_no_word_that_tells_them_apart() -> None:
    """With the default weights that is said, as for counts."""
    for texts in (pure("sport", 1), pure("sport", 1) * 300):
        with pytest.raises(
            InvalidInput, match="idf gives words that are in every document the weight 0"
        ):
            small().fit(texts)


def test_two_documents_repeated_are_two_topics(caplog: pytest.LogCaptureFixture) -> None:
    model = small(20).fit((pure("sport", 1) + pure("politics", 1)) * 150)
    assert [topic.documents for topic in model.topics()] == [150, 150]
    assert len({topic.name for topic in model.topics()}) == 2
    assert "copies" in caplog.text


def test_documents_without_a_word_are_counted_nowhere() -> None:
    texts = [
        text
        for pair in zip(corpus(documents=100)["text"], [""] * 100, strict=True)
        for text in pair
    ]
    model = small(10).fit(texts)
    assert sum(topic.documents for topic in model.topics()) == 100
    assert sum(topic.share for topic in model.topics()) == pytest.approx(0.5)
    assert not model.transform_topics([""]).any()


def test_names_are_unique_where_there_is_little_to_tell(caplog: pytest.LogCaptureFixture) -> None:
    """Five words in all: topics have nearly the same ones."""
    generator = np.random.default_rng(0)
    texts = [
        " ".join(generator.choice(["one", "two", "three", "four", "five"], 4)) for _ in range(240)
    ]
    model = small(10).fit(texts)
    for n in (None, len(model.atlas_.tree.leaves)):
        names = list(model.topic_names(n).values())
        assert len(set(names)) == len(names)


# New documents


def test_partial_fit_keeps_ids_and_names() -> None:
    model = changeable()
    names = {n: model.topic_names(n) for n in (2, 10)}
    before = {topic.id: topic.documents for topic in model.topics(2)}
    model.rename_topic(next(iter(names[2])), "mine")
    model.partial_fit(corpus(documents=60, seed=4))
    assert set(model.topic_names(2)) >= set(names[2])
    for topic in names[10]:
        assert model.topic(topic).name in (names[10][topic], "mine")
    assert model.topic(next(iter(names[2]))).name == "mine"
    assert sum(topic.documents for topic in model.topics(2)) == 360
    assert all(model.topic(topic).documents > number for topic, number in before.items())
    assert model.drift_ is not None
    assert model.drift_.documents == 60


def test_documents_like_the_old_ones_change_nothing_beyond_chance() -> None:
    model = changeable()
    model.partial_fit(corpus(documents=100, seed=21))
    assert model.drift_ is not None
    assert model.drift_.appeared == ()
    own = pure("sport", 20, seed=6)
    first, second = (m.transform_topics(own, 2).argmax(axis=1) for m in (model, fitted().model))
    ids = [list(m.topic_names(2)) for m in (model, fitted().model)]
    assert [ids[0][place] for place in first] == [ids[1][place] for place in second]


def test_a_new_subject_appears() -> None:
    model = changeable()
    old = set(model.topic_names(20))
    model.partial_fit(pl.concat([corpus(documents=60, seed=4), corpus(("space",), 60, seed=5)]))
    drift = model.drift_
    assert drift is not None
    assert drift.appeared
    space = pure("space", 20, seed=8)
    for change in drift.appeared:
        assert change.before == 0.0
        assert change.id not in old
        assert change.id in model.topic_names()
        words = {word.word for word in model.topic(change.id).words[:5]}
        assert words <= set(VOCABULARY["space"])
    assert sum(change.after for change in drift.appeared) > 0.25
    ids = list(model.topic_names())
    main = [ids[place] for place in model.transform_topics(space).argmax(axis=1)]
    assert np.isin(main, [change.id for change in drift.appeared]).mean() > 0.8
    assert "appeared" in str(drift)


def test_what_grows_and_fades_is_said() -> None:
    model = changeable()
    model.partial_fit(pure("sport", 100, seed=30))
    drift = model.drift_
    assert drift is not None
    assert drift.appeared == ()
    vocabulary = {name: set(VOCABULARY[name]) for name in ("sport", "politics")}
    assert drift.grew
    assert drift.faded
    for changes, subject in ((drift.grew, "sport"), (drift.faded, "politics")):
        for change in changes:
            assert {word.word for word in model.topic(change.id).words[:3]} <= vocabulary[subject]
    assert all(change.after > change.before for change in drift.grew)
    assert all(change.after < change.before for change in drift.faded)
    moves = [change.after - change.before for change in drift.grew]
    assert moves == sorted(moves, reverse=True)


def test_new_words_describe_topics() -> None:
    model = changeable()
    texts = [f"{text} overtime overtime" for text in pure("sport", 80, seed=31)]
    model.partial_fit(texts)
    assert "overtime" in {
        word.word for topic in model.topics(2, n_words=30) for word in topic.words
    }
    assert len(model.atlas_.words) == len(model.words())
    assert model.atlas_.terms.counts.shape[1] == len(model.words()) + len(model.atlas_.pairs)


def test_a_model_may_begin_with_partial_fit() -> None:
    model = untrained().partial_fit(fitted().table)
    assert sum(topic.documents for topic in model.topics(2)) == 300
    assert model.drift_ is None
    model.partial_fit(pure("sport", 20))
    assert model.drift_ is not None


def test_partial_fit_is_saved(tmp_path: Path) -> None:
    model = changeable()
    model.partial_fit(pl.concat([corpus(documents=60, seed=4), corpus(("space",), 60, seed=5)]))
    model.save(tmp_path / "model")
    loaded = undertow.load(tmp_path / "model")
    assert isinstance(loaded, TopicModel)
    same_topics(loaded, model)


def test_documents_without_a_known_word_are_no_drift() -> None:
    model = changeable()
    before = [topic.documents for topic in model.topics(2)]
    vectorizer = model.vectorizer_
    vectorizer.set_params(vocabulary_size=len(vectorizer.vocabulary_))  # full: no word is added
    model.partial_fit(["", "quux zyzzy", *pure("sport", 3)])
    assert model.drift_ is not None
    assert model.drift_.documents == 3
    assert sum(topic.documents for topic in model.topics(2)) == sum(before) + 3


# Seeds


def test_seeds_make_topics_and_absent_ones_are_said(caplog: pytest.LogCaptureFixture) -> None:
    seeds = {"football": ["goal", "striker", "keeper"], "health": ["hospital", "patients"]}
    with caplog.at_level(logging.WARNING, "undertow"):
        model = untrained(seeds=seeds).fit(fitted(THREE).table)
    names = list(model.topic_names().values())
    assert "football" in names
    assert "health" not in names
    assert (
        "the seed 'health' makes no topic: its words stand out in no part of the corpus"
        in caplog.text
    )
    seeded = next(topic for topic in model.topics() if topic.name == "football")
    assert {word.word for word in seeded.words[:5]} <= set(VOCABULARY["sport"])
    assert [action.kind for action in model.curation_.actions] == ["seed"]


def test_a_copy_is_a_copy() -> None:
    model = changeable()
    other = copy.deepcopy(model)
    other.rename_topic(next(iter(other.topic_names(2))), "other")
    assert "other" not in model.topic_names(2).values()
    assert model.curation_.actions == ()
