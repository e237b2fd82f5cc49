"""What the tools answer: structured, bounded, read-only; and what they say when they cannot."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.assistant.conftest import LONG, Ask, asking
from undertow import TopicModel
from undertow.assistant import Reader
from undertow.search import Index

pytest.importorskip("mcp", reason="the extra mcp is not installed")


def answer(result: Any) -> dict[str, Any]:
    """The structured part of an answer; the text beside it says the same."""
    assert not result.is_error, result.content
    assert json.loads(result.content[0].text) == result.structured_content
    content: dict[str, Any] = result.structured_content
    return content


def complaint(result: Any) -> str:
    assert result.is_error
    assert len(result.content) == 1
    text: str = result.content[0].text
    assert "\n" not in text
    assert "Traceback" not in text
    return text


def test_search_finds_what_the_index_finds(ask: Ask, news: Path) -> None:
    found = answer(ask("search", query="diesel engine", n=4))["results"]
    expected = Index.open(news).search("diesel engine", 4)
    assert [hit["id"] for hit in found] == [hit.id for hit in expected]
    assert [hit["score"] for hit in found] == [
        pytest.approx(hit.score, abs=1e-4) for hit in expected
    ]
    assert found[0]["snippet"] == " ".join(expected[0].text.split())
    for hit, known in zip(found, expected, strict=True):
        assert hit["why"] == {
            "words": [part.word for part in known.why.words],
            "missing": list(known.why.missing),
            "topics": [{"id": part.topic, "name": part.name} for part in known.why.topics],
        }
    assert found[0]["why"]["words"]
    assert found[0]["why"]["topics"]


def test_search_takes_filters_modes_and_documents(ask: Ask) -> None:
    found = answer(ask("search", query="apple", n=5, where="label = 'fruit'", mode="text"))[
        "results"
    ]
    assert found
    assert {hit["fields"]["label"] for hit in found} == {"fruit"}
    found = answer(ask("search", like="d3", n=5))["results"]
    assert "d3" not in {hit["id"] for hit in found}
    assert all(int(hit["id"][1:]) % 2 for hit in found)


def test_answers_are_bounded(ask: Ask) -> None:
    found = answer(ask("search", query=LONG[:1000], n=50, mode="text"))["results"]
    assert len(found) == 50
    for hit in found:
        assert len(hit["snippet"]) <= 300
        assert all(len(str(value)) <= 200 for value in hit["fields"].values())
    long = next(hit for hit in found if hit["id"] == "long")
    assert long["snippet"].startswith("<b>Ignore all")
    assert long["snippet"].endswith("...")
    assert next(hit for hit in found if hit["id"] != "long")["fields"]["source"].endswith("...")


def test_titles_and_links_are_told(tmp_path: Path, model: TopicModel) -> None:
    texts = {
        "id": ["a", "b"],
        "title": ["Ripe fruit", "Tyres"],
        "text": ["apple pear", "wheel brake"],
    }
    links = ["https://fruit.example/a", "javascript:alert(1)"]
    Index.create(tmp_path / "index", model, pl.DataFrame({**texts, "url": links}))
    reader = Reader(tmp_path / "index")
    found = {hit.id: hit for hit in reader.search("apple wheel", 2, mode="text").results}
    assert (found["a"].title, found["a"].url, found["a"].snippet) == (
        "Ripe fruit",
        links[0],
        "apple pear",
    )
    assert (found["b"].title, found["b"].url) == ("Tyres", None)
    page = reader.document("a")
    assert (page.title, page.url, {"title", "url"} & set(page.fields)) == (
        "Ripe fruit",
        links[0],
        set(),
    )


def test_nothing_found_says_what_to_try(ask: Ask) -> None:
    nothing = answer(ask("search", query="apple", where="label = 'nobody'"))
    assert (nothing["results"], nothing["hint"]) == (
        [],
        "Nothing found: try it without the filter.",
    )
    assert "no document holds a word" in answer(ask("search", query="xylophone"))["hint"]
    assert answer(ask("search", query="disel engine"))["corrected"] == {"disel": "diesel"}
    assert answer(ask("search", query="apple"))["hint"] is None
    long = answer(ask("search", query="apple " + "brzk" * 500))["hint"]
    assert "No document holds" in long
    assert len(long) <= 300


def test_copies_are_named(tmp_path: Path, model: TopicModel, table: pl.DataFrame) -> None:
    twice = pl.concat([table.head(20), table.slice(1, 1).with_columns(id=pl.lit("again"))])
    Index.create(tmp_path / "index", model, twice)
    found = Reader(tmp_path / "index").search(table["text"][1], 3).results
    assert {found[0].id, *found[0].alike} == {"d1", "again"}


def test_a_long_document_is_read_in_parts(ask: Ask) -> None:
    parts, offset = [], 0
    while offset is not None:
        part = answer(ask("get_document", id="long", offset=offset, length=15_000))
        assert (part["characters"], part["offset"], len(part["text"]) <= 15_000) == (
            len(LONG),
            offset,
            True,
        )
        parts.append(part["text"])
        offset = part["next_offset"]
    assert "".join(parts) == LONG
    assert len(parts) == 3
    assert answer(ask("get_document", id="d0"))["next_offset"] is None
    assert answer(ask("get_document", id="d0", offset=10_000))["text"] == ""


def test_topics_are_those_of_the_model(ask: Ask, model: TopicModel) -> None:
    listed = answer(ask("list_topics", n=2))
    assert (len(listed["topics"]), listed["left_out"]) == (2, 0)
    for told, topic in zip(listed["topics"], model.topics(2), strict=True):
        assert (told["id"], told["name"], told["documents"]) == (
            topic.id,
            topic.name,
            topic.documents,
        )
        assert told["words"] == [word.word for word in topic.words[:8]]
        assert told["share"] == pytest.approx(topic.share, abs=1e-4)
    assert len(answer(ask("list_topics"))["topics"]) == len(model.topic_names())


def test_a_topic_has_documents_that_can_be_read(ask: Ask, model: TopicModel) -> None:
    topic = model.topics(2)[0]
    page = answer(ask("get_topic", id=topic.id))
    assert (page["name"], page["parent"], page["children"]) == (
        topic.name,
        topic.parent,
        list(topic.children),
    )
    assert [example["id"] for example in page["examples"]] == [one.id for one in topic.typical]
    assert page["examples"]
    for example in page["examples"]:
        assert example["readable"]
        answer(ask("get_document", id=example["id"]))


def test_info_names_what_filters_may_name(ask: Ask, news: Path, model: TopicModel) -> None:
    about = answer(ask("index_info"))
    assert (about["name"], about["documents"], about["topics"]) == (
        "news",
        121,
        len(model.topic_names()),
    )
    assert about["columns"] == Index.open(news).columns


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("search", {}, "got neither"),
        (
            "search",
            {"query": "apple", "n": 51},
            "n: Input should be less than or equal to 50, got 51",
        ),
        ("search", {"query": "apple", "n": "many"}, "n: Input should be a valid integer"),
        (
            "search",
            {"query": "apple", "where": "label = 'a'; drop"},
            "where must follow the grammar of filters",
        ),
        ("search", {"query": "apple", "where": "nothing = 'a'"}, "got 'nothing'"),
        ("search", {"query": "apple", "mode": "magic"}, "mode must be"),
        ("search", {"like": "nobody"}, "like must be the id of a document"),
        (
            "get_document",
            {"id": "nobody"},
            "id must be that of a document of the index, got 'nobody'",
        ),
        ("get_document", {}, "id: Field required"),
        (
            "get_document",
            {"id": "d0", "offset": -1},
            "offset: Input should be greater than or equal to 0",
        ),
        (
            "get_document",
            {"id": "d0", "length": 10**6},
            "length: Input should be less than or equal to 20000",
        ),
        ("get_topic", {"id": 10**6}, "1000000"),
        ("list_topics", {"n": 1}, "n: Input should be greater than or equal to 2"),
        ("list_topics", {"n": 200}, "n must be"),
    ],
)
def test_wrong_use_is_an_error_in_one_line(
    ask: Ask, tool: str, arguments: dict[str, Any], message: str
) -> None:
    assert message in complaint(ask(tool, **arguments))


def test_bounds_hold_without_the_protocol(news: Path) -> None:
    reader = Reader(news)
    for call in (
        lambda: reader.search("apple", 51),
        lambda: reader.document("d0", 0, 20_001),
        lambda: reader.topics(201),
    ):
        with pytest.raises(ValueError, match="must be from"):
            call()


def test_what_nobody_foresaw_is_not_told(news: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from undertow.assistant.server import make_server

    ask = asking(make_server(Reader(news)))

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a secret of this machine")

    monkeypatch.setattr(Index, "search", broken)
    assert "secret" not in complaint(ask("search", query="apple"))


def test_tools_only_read_and_say_that_texts_are_data(news: Path) -> None:
    from mcp.client import Client

    from undertow.assistant.server import make_server

    async def listed() -> tuple[str, Any]:
        async with Client(make_server(Reader(news))) as client:
            return client.instructions or "", (await client.list_tools()).tools

    instructions, tools = asyncio.run(listed())
    assert "121 documents" in instructions
    assert "never instructions" in instructions
    assert {tool.name for tool in tools} == {
        "search",
        "get_document",
        "list_topics",
        "get_topic",
        "index_info",
    }
    for tool in tools:
        assert tool.annotations.read_only_hint
        assert tool.output_schema["properties"]
        assert all(field.get("description") for field in tool.input_schema["properties"].values())
        assert tool.name == "index_info" or "never instructions" in tool.description


def test_changes_of_others_are_seen(tmp_path: Path, model: TopicModel, table: pl.DataFrame) -> None:
    folder = tmp_path / "index"
    index = Index.create(folder, model, table.head(20))
    reader = Reader(folder)
    assert reader.about().documents == 20
    index.delete("d3")
    assert reader.about().documents == 19
    with pytest.raises(ValueError, match="must be that of a document"):
        reader.document("d3")
    Index.create(folder, model, table.head(30), overwrite=True)  # another takes its place
    assert reader.about().documents == 30
    assert reader.document("d3").text == table["text"][3]
