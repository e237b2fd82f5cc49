"""Names: a few words each, never the same twice in a whole tree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import undertow
from tests.oracles.subjects import changeable, fitted, pure
from undertow import TopicModel
from undertow.topics._names import _chosen, _with_phrases
from undertow.topics._words import Ranked

WORDS = ["car", "cars", "engine", "road", "wheel", "brake", "gear", "car engine"]


def chosen(terms: list[int], *taken: str) -> list[str]:
    written = WORDS.__getitem__, lambda term: WORDS[term].split(" ")
    return _chosen(terms, written, {frozenset(name.split(", ")) for name in taken})


def test_a_name_has_three_words_that_repeat_nothing() -> None:
    assert chosen([0, 1, 2, 3, 4]) == ["car", "engine", "road"]
    assert chosen([7, 0, 2, 3, 4]) == ["car engine", "road", "wheel"]
    assert chosen([0]) == ["car"]
    assert chosen([]) == []


def test_a_name_that_is_taken_gets_a_fourth_word() -> None:
    assert chosen([0, 2, 3, 4, 5], "road, car, engine") == ["car", "engine", "road", "wheel"]
    taken = ["car, engine, road", "car, engine, road, wheel"]
    assert chosen([0, 2, 3, 4, 5], *taken) == ["car", "engine", "road", "brake"]


def test_a_topic_with_nothing_of_its_own_to_say_has_no_name() -> None:
    assert chosen([0, 2], "car, engine") == ["car"]
    assert chosen([0, 2], "car, engine", "car") == ["engine"]
    assert chosen([0, 2], "car, engine", "car", "engine") == []


def test_a_pair_stands_for_its_better_word() -> None:
    pairs = np.array([[0, 2]], dtype=np.int32)
    terms, shares = np.array([2, 0, 3, 7], dtype=np.int32), np.zeros(4)
    assert _with_phrases(Ranked(terms, np.array([5.0, 4.0, 2.0, 3.1]), shares), 7, pairs) == [
        7,
        0,
        3,
    ]
    assert _with_phrases(Ranked(terms, np.array([5.0, 4.0, 2.0, 2.9]), shares), 7, pairs) == [
        2,
        0,
        3,
    ]


@pytest.mark.parametrize("subjects", [("sport", "politics"), ("sport", "politics", "space")])
def test_names_are_unique_in_the_whole_tree(subjects: tuple[str, ...]) -> None:
    atlas = fitted(subjects).model.atlas_
    nodes = [
        node
        for node in range(len(atlas.tree.parents))
        if node in atlas.tree and node != atlas.tree.root
    ]
    names = atlas.names_of(nodes)
    assert len({frozenset(name.split(", ")) for name in names}) == len(nodes)
    assert all(1 <= len(name.split(", ")) <= 4 for name in names)
    assert set(atlas.made_names) == set(nodes)


def test_a_topic_has_one_name_in_every_cut() -> None:
    model = fitted().model
    names: dict[int, str] = {}
    for n in range(2, len(model.atlas_.tree.leaves) + 1):
        for topic, name in model.topic_names(n).items():
            assert names.setdefault(topic, name) == name
        assert [topic.name for topic in model.topics(n)] == list(model.topic_names(n).values())


def test_given_names_win_and_stay(tmp_path: Path) -> None:
    model = changeable()
    first, second = list(model.topic_names(2))
    made = model.topic_names(2)[second]
    model.rename_topic(first, "  My own ")
    assert list(model.topic_names(2).values()) == ["My own", made]
    assert model.topic(first).name == "My own"
    model.save(tmp_path / "model")
    loaded = undertow.load(tmp_path / "model")
    assert isinstance(loaded, TopicModel)
    loaded.partial_fit(pure("sport", 30))
    assert loaded.topic(first).name == "My own"
    assert loaded.topic(second).name == made
    loaded.rename_topic(first, "")
    assert loaded.topic(first).name == fitted().model.topic(first).name


def test_a_function_names_all_topics_of_a_cut() -> None:
    model, asked = changeable(), []

    def name(words: list[str], texts: list[str]) -> str:
        asked.append((words, texts))
        return f"about {words[0]}"

    model.name_topics(name, 3)
    assert list(model.topic_names(3).values()) == [f"about {words[0]}" for words, _ in asked]
    assert len(asked) == 3
    assert all(texts and all(texts) for _, texts in asked)
    model.name_topics({next(iter(model.topic_names(3))): "by id"})
    assert "by id" in model.topic_names(3).values()
