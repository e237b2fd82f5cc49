"""What the routes answer, beside what the library says itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import polars as pl
import pytest

import undertow
from tests.explorer.asking import TestClient, explorer, got, refused, sent
from undertow import TopicModel
from undertow.search import Index


@pytest.fixture(scope="module")
def client(small_index: Path) -> Iterator[TestClient]:
    with explorer(small_index) as asked:
        yield asked


@pytest.fixture(scope="module")
def bare(model_folder: Path) -> Iterator[TestClient]:
    """A model without documents."""
    with explorer(model_folder) as asked:
        yield asked


@pytest.fixture(scope="module")
def index(small_index: Path) -> Index:
    return Index.open(small_index)


def test_about_an_index(
    client: TestClient, small_table: pl.DataFrame, small_model: TopicModel
) -> None:
    about = got(client, "/api/about")
    assert (about["name"], about["kind"], about["documents"], about["units"]) == (
        "small",
        "index",
        301,
        12,
    )
    assert about["topics"] == small_model.atlas_.chosen
    assert about["columns"]["time"] == "moment"
    assert about["labels"] == sorted(small_table["label"].drop_nulls().unique())
    assert about["has"] == {
        "search": True,
        "map": True,
        "time": True,
        "training": True,
        "edit": False,
    }
    assert (about["overview"], about["overview_progress"], about["overview_error"]) == (
        "ready",
        1.0,
        None,
    )
    assert about["version"] == undertow.__version__
    assert about["settings"]["batch_size"] == 32
    assert about["settings"]["min_df"] == 2


def test_about_a_model(bare: TestClient) -> None:
    about = got(bare, "/api/about")
    assert (about["name"], about["kind"], about["documents"], about["units"]) == (
        "model",
        "model",
        None,
        12,
    )
    assert (about["columns"], about["labels"], about["overview"]) == ({}, [], "absent")
    assert about["has"] == {
        "search": False,
        "map": False,
        "time": False,
        "training": True,
        "edit": False,
    }


def test_units_are_those_of_the_model(bare: TestClient, small_model: TopicModel) -> None:
    shown = got(bare, "/api/units")["units"]
    assert [unit["id"] for unit in shown] == [unit.id for unit in small_model.units()]
    for unit, told in zip(small_model.units(10), shown, strict=True):
        assert (told["name"], told["activity"]) == (unit.name, pytest.approx(unit.activity))
        assert told["up"] == [{"word": one.word, "weight": one.weight} for one in unit.up]
        assert told["down"] == [{"word": one.word, "weight": one.weight} for one in unit.down]
    first = bare.get("/api/units")
    assert (
        bare.get("/api/units", headers={"If-None-Match": first.headers["etag"]}).status_code == 304
    )


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "text", "code"])
def test_search_is_that_of_the_index(client: TestClient, index: Index, mode: str) -> None:
    where = "label != 'cars'"
    found = got(client, "/api/search", q="rocket comet", where=where, mode=mode, n=7)
    hits = index.search("rocket comet", 7, where=where, mode=mode)
    assert [(one["id"], one["score"]) for one in found["results"]] == [
        (hit.id, hit.score) for hit in hits
    ]
    assert (found["hint"], found["corrected"], found["total_documents"]) == (None, {}, 301)
    assert found["seconds"] > 0
    assert any(one["why"]["topics"] for one in found["results"])
    assert any(one["why"]["words"] for one in found["results"]) == (mode in ("hybrid", "text"))
    for one, hit in zip(found["results"], hits, strict=True):
        assert one["text"] == hit.text[:600]
        assert (one["label"], one["split"]) == (hit.fields["label"], None)
        assert one["time"] == hit.fields["time"].isoformat()
        topics = index.model.document_topics([hit.text])[0].topics[:2]
        assert [(topic["id"], topic["name"]) for topic in one["topics"]] == [
            (topic.id, topic.name) for topic in topics
        ]
        assert one["why"] == {
            "words": [{"word": word.word, "part": word.part} for word in hit.why.words],
            "missing": list(hit.why.missing),
            "topics": [
                {"id": topic.topic, "name": topic.name, "part": topic.part}
                for topic in hit.why.topics
            ],
        }


def test_words_and_meaning_are_asked_for_unless_told(client: TestClient) -> None:
    for path, asked in (("/api/search", {"q": "apple pear"}), ("/api/nearest/d3", {})):
        usual = got(client, path, n=5, **asked)["results"]
        assert usual == got(client, path, n=5, mode="hybrid", **asked)["results"]
        assert usual != got(client, path, n=5, mode="semantic", **asked)["results"]


def test_a_question_without_a_known_word(client: TestClient) -> None:
    found = got(client, "/api/search", q="xyzzy", mode="semantic")
    assert found["results"] == []
    assert "the model knows no word of the question" in found["hint"]
    assert [one["id"] for one in got(client, "/api/search", q="xyzzy")["results"]] == ["unknown"]
    assert "No document holds 'brzk'" in got(client, "/api/search", q="apple brzk")["hint"]


def test_a_word_that_is_mistyped_is_corrected(client: TestClient) -> None:
    found = got(client, "/api/search", q="orchrad")
    assert found["corrected"] == {"orchrad": "orchard"}
    assert found["results"][0]["why"]["words"] == [{"word": "orchard", "part": 1.0}]


def test_documents_that_are_nearly_the_same_come_once(
    tmp_path: Path, small_model: TopicModel
) -> None:
    text = "apple pear plum cherry grape melon orchard juice ripe harvest"
    table = pl.DataFrame({"id": ["a", "b", "c"], "text": [text, text, "apple juice and a concert"]})
    Index.create(tmp_path / "twice", small_model, table)
    with explorer(tmp_path / "twice", wait=False) as client:
        for path, asked in (("/api/search", {"q": "apple"}), ("/api/nearest/c", {})):
            found = {one["id"]: one["alike"] for one in got(client, path, **asked)["results"]}
            assert found["a"] == ["b"]
            assert "b" not in found
            apart = {
                one["id"]: one["alike"]
                for one in got(client, path, duplicates="true", **asked)["results"]
            }
            assert apart["a"] == apart["b"] == []


def test_nearest_is_search_by_a_document(client: TestClient) -> None:
    nearest = got(client, "/api/nearest/d3", n=5, mode="code")["results"]
    assert nearest == got(client, "/api/search", like="d3", n=5, mode="code")["results"]
    assert "d3" not in [one["id"] for one in nearest]
    assert len(nearest) == 5


@pytest.mark.parametrize(
    ("parameters", "status", "message"),
    [
        ({}, 422, "got neither"),
        ({"q": "apple", "like": "d1"}, 422, "got both"),
        ({"q": " "}, 422, "query must be a text with something in it"),
        ({"like": "nobody"}, 404, "there is no document with the id 'nobody'"),
        (
            {"q": "a", "where": "label = 'x'; DROP TABLE documents"},
            422,
            "where must follow the grammar of filters",
        ),
        ({"q": "a", "where": "author = 'x'"}, 422, "got 'author'"),
        ({"q": "a", "where": "a" * 4097}, 422, "where: string should have at most 4096 characters"),
        ({"q": "a" * 10_001}, 422, "q: string should have at most 10000 characters"),
        ({"q": "a", "n": "101"}, 422, "n: input should be less than or equal to 100"),
        ({"q": "a", "n": "0"}, 422, "n: input should be greater than or equal to 1"),
        (
            {"q": "a", "mode": "best"},
            422,
            "mode: input should be 'hybrid', 'semantic', 'text' or 'code'",
        ),
        ({"like": "a" * 4001}, 422, "like: string should have at most 4000 characters"),
    ],
)
def test_questions_that_cannot_be_asked(
    client: TestClient, parameters: dict[str, str], status: int, message: str
) -> None:
    assert message in refused(client, status, "/api/search", **parameters)


def test_the_longest_question_in_letters_that_take_the_most_room(client: TestClient) -> None:
    target = f"/api/search?q=apple{quote(' ' + '😀' * 9994)}&where={quote('-- ' + '😀' * 3000)}"
    assert "where must follow" in sent(client, target.encode()).json()["error"]
    assert sent(client, target.partition("&")[0].encode()).json()["results"]


def test_a_document(client: TestClient, index: Index, small_model: TopicModel) -> None:
    document = index.document("d7")
    assert document is not None
    assert document.text.startswith("🚀")
    page = got(client, "/api/documents/d7")
    assert (page["id"], page["text"], page["shortened"]) == ("d7", document.text, False)
    assert (page["label"], page["split"]) == (document.fields["label"], None)
    assert page["time"] == document.fields["time"].isoformat()
    shares = small_model.document_topics([document.text])[0]
    told = [(one["id"], one["name"], one["share"]) for one in page["topics"]]
    assert told == [(one.id, one.name, pytest.approx(one.share, rel=1e-5)) for one in shares.topics]
    assert page["none"] == pytest.approx(shares.none, abs=1e-5)
    assert page["chosen"] == shares.topics[0].id
    assert page["title"].startswith("🚀")
    finer = got(client, "/api/documents/d7", n=20)["topics"]
    assert [one["id"] for one in finer] == [
        one.id for one in small_model.document_topics([document.text], 20)[0].topics
    ]


@pytest.mark.parametrize("place", [0, 3, -1])
def test_spans_are_where_javascript_finds_them(
    client: TestClient, small_model: TopicModel, place: int
) -> None:
    topic = list(small_model.topic_names())[place]
    page = got(client, "/api/documents/d7", topic=topic)
    units = page["text"].encode("utf-16-le")
    assert page["chosen"] == topic
    assert page["spans"]
    for span in page["spans"]:
        assert (
            units[2 * span["start"] : 2 * span["end"]].decode("utf-16-le").lower() == span["word"]
        )
    total = float(small_model.explain_topic([page["text"]], topic).sum())
    assert page["total"] == pytest.approx(total, rel=1e-5, abs=1e-6)
    assert sum(span["part"] for span in page["spans"]) == pytest.approx(total, rel=1e-5, abs=1e-6)


def test_a_document_without_topics(client: TestClient, small_model: TopicModel) -> None:
    page = got(client, "/api/documents/unknown")
    assert (page["topics"], page["chosen"], page["spans"], page["total"]) == ([], None, [], 0.0)
    assert (page["label"], page["time"], page["none"]) == (None, None, 1.0)
    topic = next(iter(small_model.topic_names()))
    assert got(client, "/api/documents/unknown", topic=topic)["chosen"] == topic
    refused(client, 404, "/api/documents/nobody")
    assert "topic must be the id of a topic" in refused(client, 422, "/api/documents/d7", topic=999)
    assert "n must be from 2 to" in refused(client, 422, "/api/documents/d7", n=999)


def test_long_documents_are_shortened(tmp_path: Path, small_model: TopicModel) -> None:
    text = "apple 😀 " * 20_000  # the cut falls inside
    Index.create(tmp_path / "long", small_model, pl.DataFrame({"id": ["long"], "text": [text]}))
    with explorer(tmp_path / "long") as client:
        topic = next(iter(small_model.topic_names()))
        page = got(client, "/api/documents/long", topic=topic)
        assert (page["text"], page["shortened"]) == (text[:100_000], True)
        units = page["text"].encode("utf-16-le")
        last = page["spans"][-1]
        assert units[2 * last["start"] : 2 * last["end"]].decode("utf-16-le") == "apple"
        assert len(page["spans"]) == 12_500
        total = float(small_model.explain_topic([text], topic).sum())  # of the whole
        assert page["total"] == pytest.approx(total, rel=1e-5)
        assert len(got(client, "/api/search", q="apple")["results"][0]["text"]) == 600


NAMES = [
    "a/b",
    "/",
    "a//b/",
    "../x",
    "..%2Fx",
    "a?b#c&d=e",
    "50% off",
    "a\nb\n",
    " ",
    "naïve 😀",
    "'; --",
    "a\\b",
    "\x01",
]


def test_ids_of_any_letters(tmp_path: Path, small_model: TopicModel) -> None:
    table = pl.DataFrame(
        {"id": NAMES, "text": [f"apple pear {number}" for number in range(len(NAMES))]}
    )
    Index.create(tmp_path / "odd", small_model, table)
    with explorer(tmp_path / "odd") as client:
        for name in NAMES:
            encoded = quote(name, safe="")  # as encodeURIComponent does
            assert sent(client, f"/api/documents/{encoded}".encode()).json()["id"] == name
            nearest = sent(client, f"/api/nearest/{encoded}?n=100&duplicates=true".encode()).json()[
                "results"
            ]
            assert sorted(one["id"] for one in nearest) == sorted(set(NAMES) - {name})


def test_documents_of_a_model(bare: TestClient) -> None:
    for path in ("/api/search?q=apple", "/api/documents/d1", "/api/nearest/d1"):
        assert "a model was opened, not an index" in refused(bare, 404, path)


def test_training(bare: TestClient, small_model: TopicModel) -> None:
    epochs = got(bare, "/api/training")["epochs"]
    history = small_model.softmax_.history_
    assert [epoch["loss"] for epoch in epochs] == pytest.approx([record.loss for record in history])
    assert [epoch["split_half"] for epoch in epochs] == pytest.approx(
        [record.split_half for record in history]
    )
    assert set(epochs[0]) == {
        "epoch",
        "loss",
        "split_half",
        "activity",
        "dead_units",
        "seconds",
        "tokens",
    }
