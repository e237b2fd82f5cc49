"""The file of a report: whole, safe, and asking nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plot.hostile import SCRIPT
from undertow import InvalidInput, TopicModel, _extras
from undertow.insight import Overview
from undertow.report import _page, check_extra


class Page(HTMLParser):
    """Elements with their attributes, and what stands in scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "script"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def text(report: Path) -> str:
    return report.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_all_scripts_are_ours(page: Page) -> None:
    scripts = [attributes for tag, attributes in page.elements if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "data"}, *[{}] * len(_page.SCRIPTS)]
    for name, script in zip(_page.SCRIPTS, page.scripts[1:], strict=True):
        assert script == (_page.FOLDER / name).read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", script
        )


def test_the_policy_lists_the_scripts_and_no_address(page: Page) -> None:
    policies = [
        a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert len(policies) == 1
    policy = policies[0] or ""
    for script in page.scripts[1:]:
        assert (
            f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
            in policy
        )
    assert policy.startswith("default-src 'none';")
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert "unsafe-eval" not in policy
    assert not re.search(r"https?:|\*|'self'", policy)


def test_the_policy_comes_before_anything_that_could_run(text: str) -> None:
    assert text.index("Content-Security-Policy") < min(
        text.index("<style"), text.index("<script"), text.index("<link")
    )


def test_nothing_is_fetched_and_nothing_is_handled_by_attribute(page: Page) -> None:
    for tag, attributes in page.elements:
        assert tag not in ("iframe", "object", "embed", "base", "img", "form")
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            if name in ("src", "href", "srcset", "action"):
                assert (value or "").startswith(("#", "data:,")), (tag, name, value)


def test_planted_markup_is_text(text: str, page: Page) -> None:
    assert SCRIPT not in text
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;" in text
    assert {tag for tag, _ in page.elements}.isdisjoint({"img", "i", "u", "textarea"})
    assert "Fruit &amp; &lt;script&gt;window.hacked=8&lt;/script&gt;" in text


def test_data_is_json_with_every_document(
    page: Page, model: TopicModel, overview: Overview
) -> None:
    data = json.loads(page.scripts[0])
    assert set(data) == {"topics", "map", "streams", "charts"}
    drawn = data["map"]
    assert (drawn["points"], len(drawn["ids"]), len(drawn["titles"])) == (119, 119, 119)
    assert drawn["colourings"] == ["topic", "label", "time"]
    rows = np.arange(119)
    positions = numbers(drawn["positions"]).reshape(-1, 2) / 65534
    np.testing.assert_allclose(positions, overview.positions[rows], atol=1e-4)
    nodes = model.atlas_.cut()
    assert [topic["id"] for topic in data["topics"]] == nodes
    np.testing.assert_array_equal(
        numbers(drawn["topic"]), overview.topics(model.atlas_, nodes)[rows]
    )
    places = numbers(drawn["label"]["of"])
    for row in rows:
        own = overview.label_of[row]
        shown = None if places[row] == 65535 else drawn["label"]["groups"][places[row]]["name"]
        assert shown == (None if own < 0 else overview.labels[own])
    times = numbers(drawn["time"]["of"])
    assert (np.diff(times.astype(np.int64)) >= 0).all()
    assert {"stability", "training-0", "training-1", "precision"} <= set(data["charts"])
    assert len(data["streams"]["shares"]) == len(nodes)


def numbers(packed: str) -> Any:
    return np.frombuffer(base64.b64decode(packed), dtype="<u2")


@given(
    st.recursive(
        st.text() | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_data_stays_inside_its_element_and_comes_back(value: Any) -> None:
    block = _page.data_block({"value": value})
    assert not re.search("[<>&\u2028\u2029]", block)
    assert json.loads(block) == {"value": value}


@pytest.mark.parametrize("planted", ["</script>", "<!--", "<script", "]]>", "</SCRIPT >", "\u2028"])
def test_what_could_end_a_script_cannot(planted: str) -> None:
    assert planted not in _page.data_block({planted: planted})


def test_no_script_can_end_its_element() -> None:
    for name in _page.SCRIPTS:
        assert not re.search(
            r"</script|<!--", (_page.FOLDER / name).read_text(encoding="utf-8"), flags=re.IGNORECASE
        )


@pytest.mark.parametrize("missing", ["jinja2", "openTSNE"])
def test_without_the_extra_it_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_extras, "find_spec", lambda name: None if name == missing else object())
    with pytest.raises(
        InvalidInput,
        match=rf"needs {missing}, which is not installed: pip install 'undertow\[explorer\]'",
    ):
        check_extra()
