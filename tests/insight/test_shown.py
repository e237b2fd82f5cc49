"""What notebooks show: words in the explorer's colours, and nothing of a text is markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import undertow
from tests.plot.hostile import NAME, make_model, make_table
from undertow import _html, insight
from undertow.insight import Span
from undertow.search.results import Document, Hit, Results, TopicPart, Why, WordPart
from undertow.topics import DocumentTopics, Topic, TopicShare

PAGES = Path(undertow.__file__).parent / "explorer" / "pages"
EVIL = "<script>window.hacked=1</script> '\"&amp; $x$ <img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def hostile() -> undertow.TopicModel:
    return make_model(make_table())


class Seen(HTMLParser):
    """The elements, the text, and the styles of tinted pieces."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text, self.styles = "", list[tuple[str, str]]()
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not any(name.startswith("on") or name == "src" for name, _ in attrs)
        if tag not in ("img", "hr"):
            self.open.append(tag)
        self.styles.append((tag, dict(attrs).get("style") or ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(thing: Any) -> Seen:
    seen = Seen(thing._repr_html_())
    allowed = {"div", "p", "b", "span", "table", "thead", "tbody", "tr", "th", "td", "hr"}
    assert seen.tags <= allowed
    return seen


def test_a_topic_and_a_document_of_a_hostile_model(hostile: undertow.TopicModel) -> None:
    topic = next(one for one in hostile.topics() if one.name.startswith(NAME[:10]))
    assert isinstance(topic, Topic)
    seen = shown(topic)
    assert topic.name in seen.text
    assert all(word.word in seen.text for word in topic.words)
    text = "apple  <b>pear</b>\n  violin </script><script>window.hacked=2</script> unknown"
    view = insight.document_view(hostile, text, topic.id)
    assert text in shown(view).text
    assert view.name == topic.name


def test_a_text_without_a_known_word_is_shown_as_it_is(hostile: undertow.TopicModel) -> None:
    assert "xyzzy <i>" in shown(insight.document_view(hostile, "xyzzy <i>")).text


def test_hits_and_documents() -> None:
    why = Why((WordPart(EVIL, 0.5),), (EVIL,), (TopicPart(1, EVIL, 0.3),))
    fields = {"title": EVIL, "url": "javascript:alert(1)"}
    hit = Hit(EVIL, 0.75, f"{EVIL} {'long ' * 200}", fields, why, ("a", "b"), why.topics)
    for thing in (hit, Results([hit, hit], corrected={EVIL: EVIL}, hint=EVIL)):
        seen = shown(thing)
        assert EVIL in seen.text
        assert "0.75" in seen.text
        assert "and 2 nearly the same" in seen.text
    assert shown(Document(EVIL, "a text", {})).text.startswith(EVIL)
    assert shown(Results()).text == "No document was found."


def test_the_topics_of_a_document() -> None:
    seen = shown(DocumentTopics((TopicShare(1, EVIL, 0.6),)))
    assert (EVIL in seen.text, "60%" in seen.text, "40%none" in seen.text) == (True, True, True)


spans_of = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 6), st.floats(-1.0, 1.0)), max_size=20
)


@given(st.text(alphabet="ab <&>'\"\n\u05d0", min_size=26, max_size=30), spans_of)
def test_marks_change_no_letter(text: str, made: list[tuple[int, int, float]]) -> None:
    spans = [Span(start, start + length, "w", part) for start, length, part in made]
    assert Seen(_html.marked(text, spans, "topic")).text == text


def test_tints_and_lines_say_how_much_and_which_way() -> None:
    spans = [Span(0, 1, "a", 1.0), Span(2, 3, "b", -0.5), *(Span(4, 5, "c", 0.0),) * 12]
    styles = [style for tag, style in Seen(_html.marked("a b c d", spans, "t")).styles if style][1:]
    assert [re.findall(r"rgba\((.*?), ([\d.]+)\)", style)[0] for style in styles] == [
        (_html.UP, "0.550"),
        (_html.DOWN, f"{0.55 * 0.5**0.8:.3f}"),
        (_html.UP, "0.000"),
    ]
    assert ["solid" in styles[0], "dashed" in styles[1]] == [True, True]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("styles/theme.css", f"--up-rgb: {_html.UP.replace(',', '')};"),
        ("styles/theme.css", f"--down-rgb: {_html.DOWN.replace(',', '')};"),
        ("parts/marked_text.js", f"UNDERLINED = {_html.UNDERLINED};"),
        ("parts/marked_text.js", f"Math.abs(part) / most) ** {_html.POWER}"),
        ("parts/marked_text.js", f"({_html.WHOLE} * strength)"),
        ("parts/topic_card.js", "(0.06 + 0.22 * (salience / most))"),
        ("parts/why.js", "(0.1 + 0.24 * part)"),
    ],
)
def test_the_colours_are_those_of_the_explorer(file: str, said: str) -> None:
    assert said in (PAGES / file).read_text(encoding="utf-8")


def test_the_tints_of_words_are_those_formulas() -> None:
    html = _html.topic_words([("a", 2.0, 0.5), ("b", 1.0, 0.5)]) + _html.why_word("c", 0.5)
    assert re.findall(r", ([\d.]+)\)", html) == ["0.280", "0.170", "0.220"]
