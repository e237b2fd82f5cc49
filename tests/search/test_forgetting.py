"""What was deleted is gone from the disk, when that is asked for."""

from __future__ import annotations

import threading
from pathlib import Path

import polars as pl
import pytest

from tests.shell import Run, shell
from undertow import IndexFileError, TopicModel
from undertow.search import Index
from undertow.search.database.store import Store

SECRETS = ("xyzzyquux", "plughfrotz", "secret-id")


def holders(folder: Path) -> list[str]:
    """The files that hold one of the words that nothing else has."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return sorted(
        str(file.relative_to(folder))
        for file in files
        if any(secret.encode() in file.read_bytes() for secret in SECRETS)
    )


def secret_documents() -> pl.DataFrame:
    ids = ["secret-id-1", "secret-id-2", "kept"]
    texts = ["apple xyzzyquux", "wheel plughfrotz", "plum plum"]
    return pl.DataFrame({"id": ids, "text": texts, "label": ["xyzzyquux", None, None]})


@pytest.fixture
def told(tmp_path: Path, model: TopicModel, table: pl.DataFrame) -> Index:
    """An index whose first part holds secrets among many other documents."""
    whole = pl.concat([table, secret_documents()], how="diagonal")
    return Index.create(tmp_path / "index", model, whole)


def texts(index: Index) -> dict[str, str]:
    return {
        name: text
        for part in index.scan(["id", "text"])
        for name, text in zip(part["id"], part["text"], strict=True)
    }


def test_nothing_of_deleted_documents_is_left(told: Index) -> None:
    assert holders(told.path)
    expected = {name: text for name, text in texts(told).items() if "secret" not in name}
    vectors = {hit.id: hit.score for hit in told.search("apple", 200, mode="semantic")}
    told.delete(["secret-id-1", "secret-id-2"])
    assert holders(told.path)
    told.optimize(forget=True)
    assert holders(told.path) == []
    again = Index.open(told.path)
    assert texts(again) == texts(told) == expected
    assert again.check().unlisted == 0
    found = {hit.id: hit.score for hit in again.search("apple", 200, mode="semantic")}
    assert found == {name: vectors[name] for name in found}
    assert again.document("kept") is not None
    assert again.search("xyzzyquux", mode="text") == []


def test_nothing_of_replaced_documents_is_left(told: Index) -> None:
    others = secret_documents().with_columns(text=pl.lit("melon"), label=pl.lit("x"))
    told.add(others.with_columns(id=pl.lit("new-") + pl.col("id").str.slice(7)))
    told.add(pl.DataFrame({"id": ["kept"], "text": ["xyzzyquux"]}), replace=True)
    told.add(pl.DataFrame({"id": ["kept"], "text": ["plum"]}), replace=True)
    told.delete(["secret-id-1", "secret-id-2"])
    told.optimize(forget=True)
    told.optimize(forget=True)  # nothing to do
    assert holders(told.path) == []
    assert len(Index.open(told.path)) == 120 + 3 + 1


def test_an_index_of_which_all_is_deleted(told: Index) -> None:
    told.delete(list(texts(told)))
    told.optimize(forget=True)
    assert (holders(told.path), len(Index.open(told.path))) == ([], 0)
    told.add(["apple"])
    assert len(Index.open(told.path).search("apple")) == 1


def test_the_command(
    told: Index, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run: Run = shell(monkeypatch, capsys)
    run("delete", str(told.path), "secret-id-1", "secret-id-2", "--optimize", "--quiet")
    assert holders(told.path) == []
    assert "are as they were written" in run("info", told.path, "--check")[1]


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "text", "code"])
def test_who_reads_an_old_version_goes_on_with_the_newest(
    told: Index, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """Its files are removed in the middle of a search."""
    reader, whole = Index.open(told.path), Store.whole

    def late(store: Store, *arguments: object) -> object:
        monkeypatch.setattr(Store, "whole", whole)
        told.delete(["secret-id-1", "secret-id-2"])
        told.optimize(forget=True)
        raise RuntimeError("lance error: Not found: data/x.lance")

    monkeypatch.setattr(Store, "whole", late)
    hits = reader.search("apple plum", 200, mode=mode)
    assert {hit.id for hit in hits} >= {"kept"}
    assert not any("secret" in hit.id for hit in hits)
    assert reader.version == told.version


def test_who_reads_from_one_end_to_the_other_is_told(told: Index) -> None:
    reader = Index.open(told.path)
    parts = reader.scan(["text"], batch=50)
    next(parts)
    writer = threading.Thread(target=told.optimize, kwargs={"forget": True})
    told.delete("secret-id-1")
    writer.start()
    writer.join()
    with pytest.raises(IndexFileError, match="must hold documents that can be read"):
        list(parts)
    assert len(list(reader.documents(["kept"]))) == 1
