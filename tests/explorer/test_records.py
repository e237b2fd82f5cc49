"""Titles, links and further columns in the explorer: what the routes answer, and what the pages
make of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from tests.explorer.asking import TestClient, explorer, got
from tests.explorer.conftest import ATTACKS
from undertow import TopicModel
from undertow.search import Index

LINK = "https://example.org/a?x=1&y=\"'><b>#c"


@pytest.fixture(scope="module")
def record_index(tmp_path_factory: pytest.TempPathFactory, small_model: TopicModel) -> Path:
    table = pl.DataFrame(
        {
            "id": ["a", "b", "c", "d"],
            "headline": ["The harvest", *ATTACKS[:2], None],
            "body": ["apple pear plum orchard", "apple juice", "apple harvest", "apple ripe"],
            "url": [
                LINK,
                "javascript:window.attacked='url'",
                "data:text/html,<script>x</script>",
                None,
            ],
            "Word Count": [4, None, 2, 2],
            "note": ["good", ATTACKS[0], "", None],
        }
    )
    folder = tmp_path_factory.mktemp("indices") / "records"
    Index.create(folder, small_model, table)
    return folder


@pytest.fixture(scope="module")
def client(record_index: Path) -> Iterator[TestClient]:
    with explorer(record_index, wait=False) as asked:
        yield asked


def test_results_have_titles_and_links(client: TestClient) -> None:
    results = {
        one["id"]: one for one in got(client, "/api/search", q="apple", mode="text")["results"]
    }
    assert (results["a"]["title"], results["a"]["url"]) == ("The harvest", LINK)
    assert results["a"]["text"] == "apple pear plum orchard"  # without the title
    assert [results[name]["url"] for name in "bcd"] == [None] * 3
    assert results["d"]["title"] is None


def test_a_document_has_all_its_columns(client: TestClient) -> None:
    page = got(client, "/api/documents/a")
    assert (page["title"], page["url"]) == ("The harvest", LINK)
    assert page["text"] == "The harvest\n\napple pear plum orchard"
    assert page["kept"] == {"Word Count": 4, "note": "good"}
    assert got(client, "/api/documents/d")["title"] == "apple ripe"
    where = "\"Word Count\" >= 4 AND headline LIKE 'The%'"
    assert [one["id"] for one in got(client, "/api/search", q="apple", where=where)["results"]] == [
        "a"
    ]
    assert got(client, "/api/about")["columns"]["Word Count"] == "whole"


def test_pages_open_links_of_the_web_alone(
    record_index: Path, request: pytest.FixtureRequest
) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="tests of pages need playwright")
    from tests.explorer.serving import served
    from tests.explorer.visiting import go, visitor

    with served(record_index) as running:
        page = visitor(request.getfixturevalue("open_browser"), running)(
            "/search?q=apple&mode=text"
        ).page
        sync_api.expect(page.locator(".document")).to_have_count(4)
        links = page.locator(".document a[target=_blank]")
        expect = sync_api.expect
        expect(links).to_have_count(1)
        expect(links).to_have_attribute("href", LINK)
        expect(links).to_have_attribute("rel", "noopener noreferrer")
        expect(links).to_have_text("example.org ↗")
        titles = page.locator(".document-id").all_text_contents()  # the page has settled
        assert sorted(titles) == sorted(["The harvest", *ATTACKS[:2], "d"])
        page.get_by_text("The harvest").click()
        sync_api.expect(page.locator("h1.document-title")).to_have_text("The harvest")
        expect(page.locator(".head a[target=_blank]")).to_have_attribute("href", LINK)
        page.get_by_text("All that is known of it").click()
        sync_api.expect(page.locator(".kept dd").first).to_have_text("4")
        go(page, "/documents/b")
        sync_api.expect(page.locator("h1.document-title")).to_have_text(ATTACKS[0])
        page.get_by_text("All that is known of it").click()
        expect(page.locator(".head a[target=_blank]")).to_have_count(0)
        assert page.evaluate("window.attacked") is None
        page.context.close()
