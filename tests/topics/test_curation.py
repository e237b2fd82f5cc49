"""What people do to topics: every action, its errors in words, and files of it."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.subjects import VOCABULARY, changeable, corpus, fitted, pure, untrained
from undertow import InvalidInput, TopicModel
from undertow.topics import Atlas, _topic_matching
from undertow.topics._topic_matching import TopicKey, find, hashes_of, key_of
from undertow.topics.curation import ACTIONS, Curation, Curator
from undertow.topics.tree import NOWHERE

THREE = ("sport", "politics", "space")


def ids(model: TopicModel, n: int) -> list[int]:
    return list(model.topic_names(n))


def documents_of(model: TopicModel, topic: int) -> set[str]:
    """Ids of the training documents in a topic, by the hashes that the model keeps."""
    table = corpus(THREE)
    known = dict(zip(hashes_of(table["id"]).tolist(), table["id"].to_list(), strict=True))
    rows = model.atlas_.tree.leaf_rows(topic)
    return {
        known[number]
        for number in model.atlas_.seen.hashes[np.isin(model.atlas_.seen.leaves, rows)].tolist()
    }


def f1(first: set[str], second: set[str]) -> float:
    return 2 * len(first & second) / max(len(first) + len(second), 1)


def subject_of(model: TopicModel, topic: int) -> str:
    """The subject of most documents of a topic."""
    inside = documents_of(model, topic)
    return max(THREE, key=lambda subject: sum(one.startswith(subject) for one in inside))


# Actions


def test_a_topic_is_renamed_and_gets_its_name_back() -> None:
    model = changeable()
    topic = ids(model, 2)[0]
    own = model.topic(topic).name
    assert model.rename_topic(topic, "Ball games") is model
    assert model.topic(topic).name == "Ball games"
    assert model.rename_topic(topic, "").topic(topic).name == own
    assert [action.kind for action in model.curation_.actions] == ["rename", "rename"]


def test_merged_topics_are_one_topic_of_all_their_documents() -> None:
    model = changeable()
    listed = ids(model, model.choose_topics().n)
    first, second = listed[0], listed[2]
    number = model.topic(first).documents + model.topic(second).documents
    made = model.merge_topics([first, second], "both")
    assert model.topic(made).documents == number
    assert model.topic(made).name == "both"
    assert set(model.topic(made).children) == {first, second}
    assert set(model.topic_names()) == (set(listed) - {first, second}) | {made}


def test_a_split_topic_gives_its_place_to_its_parts() -> None:
    model = changeable()
    topic, *others = ids(model, model.choose_topics().n)
    parts = model.split_topic(topic)
    assert parts == fitted().model.topic(topic).children
    assert set(model.topic_names()) == {*others, *parts}
    assert all(topic not in model.topic_names(n) for n in (2, 3, 5, 20))
    assert model.topic(topic).documents == sum(model.topic(part).documents for part in parts)


def test_a_dropped_topic_is_listed_nowhere_until_it_comes_back() -> None:
    model = changeable()
    before, topic = model.topics(), ids(model, model.choose_topics().n)[1]
    model.drop_topic(topic)
    assert topic not in model.topic_names()
    assert {one.id for one in before} - set(model.topic_names()) == {topic}
    lost = 300 - sum(one.documents for one in model.topics(2))
    assert lost == next(one.documents for one in before if one.id == topic)
    model.restore_topic(topic)
    assert model.topics() == before
    assert sum(one.documents for one in model.topics(2)) == 300


def test_a_moved_topic_lies_below_another() -> None:
    model = changeable()
    first, second = ids(model, 2)
    part = model.topic(first).children[0]
    number, other = model.topic(part).documents, model.topic(second).documents
    model.move_topic(part, second)
    assert part in model.topic(second).children
    assert model.topic(second).documents == other + number
    assert model.topic(part).parent == second
    model.move_topic(part, None)
    assert model.topic(part).parent is None
    assert model.topic(second).documents == other


def test_a_seed_makes_a_topic_around_words() -> None:
    model = changeable(THREE)
    made = model.seed_topic("space flight", ["rocket", "ORBIT", "astronauts"])
    assert made is not None
    topic = model.topic(made)
    assert (topic.name, topic.parent) == ("space flight", None)
    assert {word.word for word in topic.words[:8]} <= set(VOCABULARY["space"])
    assert (
        f1(
            documents_of(model, made),
            {one for one in corpus(THREE)["id"] if one.startswith("space")},
        )
        > 0.7
    )
    assert made in model.topic_names()
    assert (
        model.transform_topics(pure("space", 5))[:, list(model.topic_names()).index(made)].min()
        > 0.5
    )


def test_a_seed_makes_a_topic_around_documents() -> None:
    model = changeable(THREE)
    made = model.seed_topic("games", documents=pure("sport", 40))
    assert made is not None
    inside = documents_of(model, made)
    assert sum(one.startswith("sport") for one in inside) > 0.8 * len(inside)


def test_a_seed_whose_words_are_nowhere_makes_nothing() -> None:
    model = changeable()
    before = model.topics()
    assert model.seed_topic("health", ["hospital", "patients"]) is None
    assert model.seed_topic("everywhere", ["today", "people"]) is None
    assert model.topics() == before
    assert model.curation_.actions == ()


# Errors


ERRORS: dict[str, tuple[Callable[[TopicModel], object], str]] = {
    "rename, unknown": (
        lambda model: model.rename_topic(9999, "x"),
        "topic must be the id of a topic of this model",
    ),
    "rename, root": (
        lambda model: model.rename_topic(model.atlas_.tree.root, "x"),
        "topic must be the id of a topic",
    ),
    "rename, blank": (
        lambda model: model.rename_topic(ids(model, 2)[0], "  "),
        "name must be a line of at most 200",
    ),
    "rename, long": (
        lambda model: model.rename_topic(ids(model, 2)[0], "x" * 201),
        "name must be a line of at most",
    ),
    "rename, lines": (
        lambda model: model.rename_topic(ids(model, 2)[0], "a\nb"),
        "name must be a line",
    ),
    "rename, returns": (
        lambda model: model.rename_topic(ids(model, 2)[0], "a\rb"),
        "name must be a line",
    ),
    "rename, surrogate": (
        lambda model: model.rename_topic(ids(model, 2)[0], "a\ud800"),
        "name must be",
    ),
    "rename, number": (
        lambda model: model.rename_topic(ids(model, 2)[0], 7),  # type: ignore[arg-type]
        "name must be a line",
    ),
    "rename, taken": (
        lambda model: model.name_topics(dict.fromkeys(ids(model, 2), "same")),
        "name must not be that of another topic, got 'same'",
    ),
    "merge, one": (
        lambda model: model.merge_topics(ids(model, 2)[:1]),
        "topics must be at least two different topics",
    ),
    "merge, none": (
        lambda model: model.merge_topics([]),
        "topics must be at least two different topics",
    ),
    "merge, twice": (
        lambda model: model.merge_topics([ids(model, 2)[0]] * 2),
        "topics must be at least two different",
    ),
    "merge, nested": (
        lambda model: model.merge_topics(
            [ids(model, 2)[0], model.topic(ids(model, 2)[0]).children[0]]
        ),
        "topics must not lie in each other",
    ),
    "merge, unknown": (
        lambda model: model.merge_topics([ids(model, 2)[0], -5]),
        "topics must be the id of a topic",
    ),
    "merge, name": (
        lambda model: model.merge_topics(ids(model, 4)[:2], "\n"),
        "name must be a line",
    ),
    "split, smallest": (
        lambda model: model.split_topic(0),
        "topic must have parts to be split, got 0",
    ),
    "split, unknown": (lambda model: model.split_topic(10**9), "topic must be the id of a topic"),
    "drop, unknown": (lambda model: model.drop_topic(-1), "topic must be the id of a topic"),
    "drop, last": (
        lambda model: [model.drop_topic(topic) for topic in ids(model, 2)],
        "topic must not be the last one that is not dropped",
    ),
    "drop, all parts": (
        lambda model: [model.drop_topic(topic) for topic in model.atlas_.tree.leaves.tolist()],
        "topic must not be the last one that is not dropped",
    ),
    "move, below itself": (
        lambda model: model.move_topic(ids(model, 2)[0], model.topic(ids(model, 2)[0]).children[0]),
        "a topic must not be moved below itself|under must be a topic that has parts",
    ),
    "move, to itself": (
        lambda model: model.move_topic(*[ids(model, 2)[0]] * 2),
        "must not be moved below itself",
    ),
    "move, below a leaf": (
        lambda model: model.move_topic(ids(model, 2)[0], 0),
        "under must be a topic that has parts",
    ),
    "move, unknown": (lambda model: model.move_topic(0, 10**6), "under must be the id of a topic"),
    "seed, nothing": (
        lambda model: model.seed_topic("x"),
        "words must be a list of words, or documents be given",
    ),
    "seed, a text": (lambda model: model.seed_topic("x", "goal"), "words must be a list of words"),
    "seed, no name": (
        lambda model: model.seed_topic("", documents=pure("sport", 1)),
        "name must be a line",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_say_what_is_wrong_and_change_nothing(case: str) -> None:
    model = changeable()
    action, message = ERRORS[case]
    with pytest.raises(InvalidInput, match=message):
        action(model)
    if case not in (
        "rename, taken",
        "drop, last",
        "drop, all parts",
    ):  # of several, the first were done
        assert model.topics() == fitted().model.topics()
        assert model.curation_.actions == ()
    assert model.topics(2) or model.topics()


# Whatever is done


def check(atlas: Atlas) -> None:
    """No circles, every leaf in a topic or dropped, names for all."""
    tree = atlas.tree
    for leaf in tree.leaves.tolist():
        node, steps = leaf, 0
        while node != tree.root:
            node, steps = int(tree.parents[node]), steps + 1
            assert node != NOWHERE
            assert steps < len(tree.parents)
    for n in (2, atlas.chosen, len(tree.leaves)):
        cut = tree.cut(n)
        assert cut
        places = tree.positions(cut)
        for row, leaf in enumerate(tree.leaves.tolist()):
            assert (places[row] < 0) == tree.is_dropped(leaf)
        names = atlas.names_of(cut)
        assert len(set(names)) == len(names)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_no_sequence_of_actions_breaks_the_tree(data: st.DataObject) -> None:
    model = fitted().model
    curator = Curator(model.atlas_, Curation())
    for step in range(data.draw(st.integers(1, 6))):
        tree = curator.atlas.tree
        nodes = [node for node in range(len(tree.parents)) if node in tree and node != tree.root]
        topic, other = data.draw(st.sampled_from(nodes)), data.draw(st.sampled_from(nodes))
        kind = data.draw(st.sampled_from(ACTIONS))
        before = curator.atlas, curator.curation
        try:
            if kind == "rename":
                curator.rename(topic, f"name {step}")
            elif kind == "merge":
                curator.merge([topic, other])
            elif kind == "split":
                curator.split(topic)
            elif kind == "move":
                curator.move(topic, data.draw(st.sampled_from([None, other])))
            elif kind == "seed":
                rows = data.draw(
                    st.lists(st.integers(0, len(tree.leaves) - 1), min_size=1, max_size=3)
                )
                curator.seed(f"seed {step}", [], np.array(rows, dtype=np.int32))
            else:
                curator._drop(topic, kind == "drop")
        except InvalidInput:
            assert (curator.atlas, curator.curation) == before or curator.atlas is before[0]
        check(curator.atlas)
    again = Curator(model.atlas_, Curation())
    matched = again.apply(curator.curation, lambda texts: np.zeros(0, dtype=np.int32))
    if not any(
        action.kind == "seed" for action in curator.curation.actions
    ):  # these had leaves instead of words
        assert [one.problem for one in matched] == [None] * len(matched)
        np.testing.assert_array_equal(again.atlas.tree.parents, curator.atlas.tree.parents)
        assert again.atlas.tree.cut(again.atlas.chosen) == curator.atlas.tree.cut(
            curator.atlas.chosen
        )


# Files


def curated(model: TopicModel) -> TopicModel:
    """Every kind of action, on the three subjects."""
    three = ids(model, 3)
    model.rename_topic(three[0], "the first")
    model.merge_topics(model.topic(three[1]).children, "again one")
    model.split_topic(three[2])
    junk = min(model.topics(12), key=lambda topic: topic.documents).id
    model.drop_topic(junk)
    model.restore_topic(junk)
    return model


def test_a_curation_does_the_same_to_the_same_fit(tmp_path: Path) -> None:
    model = curated(changeable(THREE))
    file = model.save_curation(tmp_path / "folder" / "curation.json")
    again = changeable(THREE)
    matched = again.apply_curation(file)
    assert [one.problem for one in matched] == [None] * 5
    assert again.topics() == model.topics()
    assert again.curation_.actions == model.curation_.actions
    assert Curation.load(file) == model.curation_


def test_a_file_is_readable() -> None:
    model = changeable(THREE).rename_topic(ids(fitted(THREE).model, 3)[0], "Grüße")
    told = model.curation_.plain()
    assert told["format"] == 1
    assert [action["kind"] for action in told["actions"]] == ["rename"]
    (topic,) = told["actions"][0]["topics"]
    assert set(topic["words"]) <= set(model.words())
    assert 0 < len(topic["documents"]) <= 100
    assert topic["name"] == fitted(THREE).model.topic(topic["id"]).name


def test_topics_of_another_fit_are_found_by_their_documents(tmp_path: Path) -> None:
    model = changeable(THREE)
    topic = {subject_of(model, one): one for one in ids(model, 3)}
    for subject in THREE:
        model.rename_topic(topic[subject], f"about {subject}")
    made = model.merge_topics([topic["sport"], topic["space"]], "not politics")
    file = model.save_curation(tmp_path / "curation.json")
    other = copy.deepcopy(fitted(THREE, seed=7).model)
    assert other.atlas_.identity != model.atlas_.identity
    matched = other.apply_curation(file)
    assert [one.problem for one in matched] == [None] * 4
    names = {name: node for node, name in other.atlas_.names.items()}
    for subject in THREE:
        assert (
            f1(documents_of(other, names[f"about {subject}"]), documents_of(model, topic[subject]))
            > 0.7
        )
    assert f1(documents_of(other, names["not politics"]), documents_of(model, made)) > 0.7


def test_without_shared_documents_topics_are_found_by_their_words(tmp_path: Path) -> None:
    model = changeable(THREE)
    for one in ids(model, 3):
        model.rename_topic(one, "about " + model.topic(one).words[0].word)
    file = model.save_curation(tmp_path / "curation.json")
    other = untrained(seed=3).fit(corpus(THREE, 300, seed=50).with_columns("other-" + pl.col("id")))
    matched = other.apply_curation(file)
    assert [one.problem for one in matched] == [None] * 3
    for action in matched:
        (found,) = action.topics
        words = {word.word for word in other.topic(found).words[:5]}
        assert words <= set(VOCABULARY[subject_of(model, action.action.topics[0].id)])


def test_a_topic_that_is_not_there_is_left_out_and_said() -> None:
    model = changeable(THREE)
    space = next(one for one in ids(model, 3) if subject_of(model, one) == "space")
    name = model.topic(space).name
    told = model.rename_topic(space, "space flight").curation_.plain()
    told["actions"][0]["topics"][0]["documents"] = []
    other = changeable()
    (matched,) = other.apply_curation(Curation.from_plain(told, "file"))
    assert matched.problem == f"no topic like {name!r} was found"
    assert matched.topics == ()
    assert other.curation_.actions == ()


def test_an_edited_file_is_taken_as_it_is(tmp_path: Path) -> None:
    model = changeable(THREE)
    model.rename_topic(ids(model, 3)[0], "before")
    file = model.save_curation(tmp_path / "curation.json")
    told = json.loads(file.read_text())
    told["actions"][0]["name"] = "after"
    told["actions"].append({"kind": "seed", "name": "flight", "words": ["rocket", "orbit"]})
    told["actions"].append({"kind": "drop", "topics": [{"words": ["election", "vote", "ballot"]}]})
    file.write_text(json.dumps(told))
    other = changeable(THREE)
    assert [one.problem for one in other.apply_curation(file)] == [None] * 3
    assert other.topic(ids(fitted(THREE).model, 3)[0]).name == "after"
    assert "flight" in other.topic_names().values()


def test_toml_says_the_same(tmp_path: Path) -> None:
    model = changeable(THREE)
    topic = ids(model, 3)[1]
    file = tmp_path / "curation.toml"
    file.write_text(
        f'[[actions]]\nkind = "rename"\nname = "from TOML"\ntopics = [{topic}]\n\n'
        '[[actions]]\nkind = "seed"\nname = "flight"\nwords = ["rocket", "orbit"]\n'
    )
    assert [one.problem for one in model.apply_curation(file)] == [None, None]
    assert model.topic(topic).name == "from TOML"


HOSTILE = [
    "",
    "{",
    "[]",
    "null",
    "3",
    '"text"',
    "NaN",
    "{}",
    '{"actions": {}}',
    '{"actions": null}',
    '{"actions": [3]}',
    '{"actions": [null]}',
    '{"actions": [{}]}',
    '{"actions": [{"kind": "explode"}]}',
    '{"actions": [{"kind": ["rename"]}]}',
    '{"actions": [{"kind": {"rename": 1}}]}',
    '{"actions": [{"kind": "rename"}]}',
    '{"actions": [{"kind": "rename", "topics": 3}]}',
    '{"actions": [{"kind": "rename", "topics": "34"}]}',
    '{"actions": [{"kind": "rename", "topics": [true]}]}',
    '{"actions": [{"kind": "rename", "topics": [1.5]}]}',
    '{"actions": [{"kind": "rename", "topics": [NaN]}]}',
    '{"actions": [{"kind": "rename", "topics": [{"id": "3"}]}]}',
    '{"actions": [{"kind": "rename", "topics": [{"id": 3, "words": 5}]}]}',
    '{"actions": [{"kind": "rename", "topics": [{"id": 3, "words": {"a": "b"}}]}]}',
    '{"actions": [{"kind": "rename", "topics": [{"id": 3, "words": {"a": NaN}}]}]}',
    '{"actions": [{"kind": "rename", "topics": [{"id": 3, "words": {"a": 1e999}}]}]}',
    '{"actions": [{"kind": "rename", "topics": [{"id": 3, "words": {"a": -Infinity}}]}]}',
    '{"actions": [{"kind": "rename", "topics": [{"id": -1, "words": {"goal": 1'
    + "0" * 400
    + "}}]}]}",
    '{"actions": [{"kind": "rename", "topics": [{"id": -1, "words": {"goal": 1e300}}]}]}',
    '{"actions": [{"kind": "rename", "topics": [{"id": 3, "documents": {}}]}]}',
    '{"actions": [{"kind": "rename", "topics": [{"id": 3, "name": 5}]}]}',
    '{"actions": [{"kind": "rename", "name": 5, "topics": [3]}]}',
    '{"actions": [{"kind": "merge", "topics": [3]}]}',
    '{"actions": [{"kind": "seed", "words": "goal"}]}',
    '{"actions": [{"kind": "seed", "words": [5]}]}',
    '{"actions": [{"kind": "seed", "documents": [null]}]}',
    '{"actions": [{"kind": "seed", "made": 7}]}',
    '{"format": 2, "actions": []}',
    '{"format": "1", "actions": []}',
    '{"format": NaN, "actions": []}',
    '{"format": null, "actions": []}',
    '{"tree": 5, "actions": []}',
    '{"format": 1' + "0" * 5000 + ', "actions": []}',
    *("[" * depth + "]" * depth for depth in (100, 500, 900, 990, 100_000)),
    *('{"actions": ' + "[" * depth + "]" * depth + "}" for depth in (100, 500, 900, 980, 100_000)),
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:60])
def test_hostile_files_are_refused_in_words(text: str, tmp_path: Path) -> None:
    model, file = changeable(), tmp_path / "curation.json"
    file.write_text(text)
    before = model.topics()
    with pytest.raises(InvalidInput, match=r"curation\.json") as caught:
        model.apply_curation(file)
    assert len(str(caught.value)) < 500
    assert model.topics() == before


@pytest.mark.parametrize(
    "text",
    [
        "",
        "actions = 3",
        "actions = [1",
        "actions = [{kind = 'rename', topics = [1979-05-27]}]",
        "actions = [{kind = 'rename', topics = [{id = 1, words = {a = inf}}]}]",
        "a = " + "[" * 100_000,
        "[[actions]]\nkind = 'seed'\nwords = [nan]",
    ],
    ids=lambda text: text[:40],
)
def test_hostile_toml_is_refused_in_words(text: str, tmp_path: Path) -> None:
    file = tmp_path / "curation.toml"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=r"curation\.toml"):
        changeable().apply_curation(file)


def test_what_is_no_file_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b'{"actions": ["\xff"]}')
    for path in (tmp_path, tmp_path / "none.json", tmp_path / "latin.json", "a\0b"):
        with pytest.raises(InvalidInput):
            changeable().apply_curation(path)


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "curation.json"
    with open(file, "wb") as handle:
        handle.truncate(2**26 + 1)
    with pytest.raises(InvalidInput, match="must have at most 67,108,864 bytes, got 67,108,865"):
        Curation.load(file)


STRANGE: list[dict[str, Any]] = [
    {"kind": "rename", "name": "x" * 1000, "topics": [30]},
    {"kind": "rename", "name": "a\ud800", "topics": [30]},
    {"kind": "rename", "name": "x", "topics": [10**30]},
    {"kind": "rename", "name": "x", "topics": [-(10**30)]},
    {"kind": "rename", "name": "x", "topics": [{"id": -1, "words": {"goal": 0, "nowhere": -1}}]},
    {
        "kind": "rename",
        "name": "x",
        "topics": [{"id": 10**6, "documents": ["f" * 16, "zz", 3, "+" + "1" * 15]}],
    },
    {"kind": "merge", "topics": [30, 30]},
    {"kind": "merge", "topics": [30, 10**9]},
    {"kind": "split", "topics": [0]},
    {"kind": "move", "topics": [30, 0]},
    {"kind": "move", "topics": [30, 30]},
    {"kind": "drop", "topics": [48]},
    {"kind": "seed", "name": "", "words": ["goal"]},
    {"kind": "seed", "name": "x", "words": ["\ud800", ""]},
    {"kind": "seed", "name": "x", "documents": ["\ud800"]},
    {"kind": "seed", "name": "x"},
]


@pytest.mark.parametrize("action", STRANGE, ids=lambda action: str(action)[:60])
def test_what_cannot_be_done_is_left_out_and_said(action: dict[str, Any], tmp_path: Path) -> None:
    model = changeable()
    (matched,) = model.apply_curation(Curation.from_plain({"actions": [action]}, "curation"))
    assert matched.problem
    assert model.topics() == fitted().model.topics()
    assert model.curation_.actions == ()
    model.save(tmp_path / "model")
    model.save_curation(tmp_path / "curation.json")


plain_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(ACTIONS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "topics", "name", "words", "documents", "made", "id", "goal"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.fixed_dictionaries({"actions": st.lists(plain_values, max_size=3)}) | plain_values)
def test_anything_at_all_is_a_curation_or_refused(found: Any) -> None:
    try:
        curation = Curation.from_plain(found, "file")
    except InvalidInput:
        return
    curator = Curator(fitted().model.atlas_, Curation())
    curator.apply(curation, lambda texts: np.zeros(0, dtype=np.int32))
    check(curator.atlas)


# Finding topics again


def test_a_topic_is_found_by_its_own_key() -> None:
    """Also by a sample of its documents, where these are more than a hundred."""
    atlas = fitted().model.atlas_
    assert atlas.sizes_of(atlas.cut(2)).min() > 120
    for node in [*atlas.cut(2), *atlas.cut(10)]:
        key = key_of(atlas, node)
        assert find(atlas, key, same=True) == node
        found = find(atlas, key, same=False)
        assert found is not None
        assert atlas.tree.leaf_rows(found).tolist() == atlas.tree.leaf_rows(node).tolist()
        assert TopicKey.from_plain(json.loads(json.dumps(key.plain())), "x") == key


def test_a_small_sample_of_documents_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only documents that could be in the sample count, or a wide topic would look unlike
    itself.
    """
    monkeypatch.setattr(_topic_matching, "SKETCH", 30)
    atlas = fitted().model.atlas_
    for node in atlas.cut(2):
        key = replace(key_of(atlas, node), words=None)
        assert len(key.documents) == 30
        found = find(atlas, key, same=False)
        assert found is not None
        same, all_of_it = (set(atlas.tree.leaf_rows(topic).tolist()) for topic in (found, node))
        assert len(same & all_of_it) >= 0.8 * len(same | all_of_it)


def test_what_an_action_made_is_known_to_those_after_it() -> None:
    """By its id in the file, which another topic has in this fit."""
    model = changeable(THREE)
    made = model.merge_topics(ids(model, 3)[:2], "two of three")
    told = model.curation_.plain()
    told["actions"].append({"kind": "rename", "name": "renamed", "topics": [made]})
    other = copy.deepcopy(fitted(THREE, seed=7).model)
    while made not in other.atlas_.tree:  # until something else has that id
        other.merge_topics(ids(other, len(other.atlas_.tree.leaves))[:2])
    assert [one.problem for one in other.apply_curation(Curation.from_plain(told, "file"))] == [
        None,
        None,
    ]
    assert list(other.atlas_.names.values()) == ["renamed"]
    (renamed,) = other.atlas_.names
    assert f1(documents_of(other, renamed), documents_of(model, made)) > 0.7


def test_hashes_are_those_of_the_ids() -> None:
    found = hashes_of(["a", "b", "a"])
    assert found[0] == found[2] != found[1]
    assert hashes_of([]).shape == (0,)
    assert math.isclose(
        float(hashes_of([str(number) for number in range(4000)]).mean()) / 2**63, 1.0, abs_tol=0.05
    )
