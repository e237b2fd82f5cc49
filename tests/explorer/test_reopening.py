"""An index that is replaced while the explorer shows it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.explorer.asking import TestClient, background, explorer, got, refused
from undertow import TopicModel
from undertow.explorer._reopening import Reopener
from undertow.search import Index
from undertow.search.database.store import Store


def reopener(client: TestClient) -> Reopener:
    app: Any = client.app
    found: Reopener = app.state.reopener
    return found


def test_what_took_its_place_is_shown(
    own_index: Path, small_model: TopicModel, small_table: pl.DataFrame
) -> None:
    with explorer(own_index) as client:
        first = background(client)
        assert got(client, "/api/about")["documents"] == len(small_table)
        Index.create(own_index, small_model, small_table.head(40), overwrite=True)
        said = refused(client, 503, "/api/search", q="apple orchard", n=3)
        assert "it is being opened again, ask again in a moment" in said
        reopener(client).wait()
        assert background(client) is not first
        assert got(client, "/api/about")["documents"] == 40
        assert got(client, "/api/search", q="apple orchard", n=3)["results"]
        assert client.get("/").headers.get_list("x-content-type-options") == ["nosniff"]
        background(client).wait(120)
        assert client.get("/api/map").status_code == 200
        again = small_table.head(50)  # and once more
        Index.create(own_index, small_model, again, overwrite=True)
        refused(client, 503, "/api/search", q="bishop gambit", n=3)  # whose rows nobody has read
        reopener(client).wait()
        assert got(client, "/api/about")["documents"] == 50


def test_an_index_that_is_gone_and_comes_back(
    own_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("lance error: Not found: data/x.lance")

    with explorer(own_index) as client:
        shutil.move(own_index, tmp_path / "away")
        monkeypatch.setattr(Store, "whole", broken)
        for _ in range(2):
            refused(client, 503, "/api/search", q="apple orchard")
            reopener(client).wait()
        shutil.move(tmp_path / "away", own_index)
        monkeypatch.undo()
        assert got(client, "/api/search", q="apple orchard")["results"]
