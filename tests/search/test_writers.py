"""Writers of an index: killed at any point, replacing one that is in use, and several at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.search.conftest import make_table
from undertow import InvalidInput, TopicModel
from undertow._errors import IndexFileError
from undertow.files.lock import wait_for_lock
from undertow.search import Index
from undertow.search.database import event_loop
from undertow.search.database.store import Store
from undertow.search.filling import building, survey
from undertow.search.folder import layout, lock, replacing

TO_DISK: list[tuple[Any, str]] = [
    (os, "mkdir"),
    (os, "rename"),
    (os, "replace"),
    (os, "unlink"),
    (os, "rmdir"),
    (shutil, "rmtree"),
    (Store, "append"),
    (Store, "create"),
    (Store, "index_ids"),
]
"""What the making of an index does to the disk."""


@contextmanager
def watched(folder: Path, snapshots: Path) -> Iterator[None]:
    """Copies a folder before and after everything that changes the disk: what is there if the
    process dies then.
    """
    busy, removed = False, 0

    def snapshot(name: str) -> None:
        nonlocal busy, removed
        removed += name in ("unlink", "rmdir")
        if not busy and (
            name not in ("unlink", "rmdir") or removed % 10 == 0
        ):  # of many alike, some
            busy = True
            shutil.copytree(
                folder, snapshots / f"{len(os.listdir(snapshots)):03}" / "all", symlinks=True
            )
            busy = False

    def between(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            snapshot(name)
            result = function(*arguments, **more)
            snapshot(name)
            return result

        return call

    snapshots.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for place, name in TO_DISK:
            patch.setattr(place, name, between(getattr(place, name), name))
        yield


def answers(index: Index) -> list[Any]:
    hits = [index.search("apple gear", 200, mode=mode) for mode in ("code", "text")]
    return [
        len(index),
        [[(hit.id, hit.score, hit.text, hit.fields) for hit in found] for found in hits],
    ]


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "ROWS", 50)


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.torture)])  # of the points
@pytest.mark.usefixtures("small_chunks")
def test_a_writer_that_dies_at_any_point_is_followed_by_one_that_finishes(
    tmp_path: Path, model: TopicModel, every: int
) -> None:
    table = make_table()
    (tmp_path / "work").mkdir()
    with watched(tmp_path / "work", tmp_path / "snapshots"):
        expected = answers(Index.create(tmp_path / "work" / "index", model, table))
    dead = sorted((tmp_path / "snapshots").iterdir())
    assert len(dead) > 20
    for snapshot in dead[::-every]:
        target = snapshot / "all" / "index"
        finished = (
            target.exists() and layout.is_index(target) and layout.read_facts(target).finished
        )
        index = Index.open(target) if finished else Index.create(target, model, table)
        assert answers(index) == expected, snapshot.name
        assert sorted(os.listdir(target.parent)) == ["index"]


def test_what_a_writer_left_that_was_killed_early_is_no_obstacle(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame
) -> None:
    target = tmp_path / "index"
    target.mkdir()
    (target / ".index.json.abc.part").write_text("{")
    (target / lock.LOCK).touch()
    with pytest.raises(KeyboardInterrupt):
        Index.create(target, model, table, progress=_stop)
    table_folder = target / "documents" / "documents.lance"
    for file in (table_folder / "_versions").iterdir():
        file.unlink()  # as if it had been killed while the table was made
    (target / ".model.undertow-new-0123456789abcdef").mkdir()
    assert len(Index.create(target, model, table)) == 120
    assert len(Index.create(target, model, table.head(3), overwrite=True)) == 3


def test_an_index_with_too_many_documents_is_not_finished(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Store.append

    def twice(store: Store, rows: Any) -> None:
        append(store, rows)
        append(store, rows)

    monkeypatch.setattr(Store, "append", twice)
    with pytest.raises(
        IndexFileError, match="must hold the 120 documents of the corpus, got 240: replace it"
    ):
        Index.create(tmp_path / "index", model, table)
    monkeypatch.undo()
    with pytest.raises(
        IndexFileError, match="must hold the 120 documents of the corpus, got 240: replace it"
    ):
        Index.create(tmp_path / "index", model, table)
    assert len(Index.create(tmp_path / "index", model, table, overwrite=True)) == 120


def _stop(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.torture
@pytest.mark.usefixtures("small_chunks")
def test_an_index_that_is_replaced_is_whole_at_every_moment(
    tmp_path: Path, model: TopicModel
) -> None:
    table = make_table()
    (tmp_path / "work").mkdir()
    old = answers(Index.create(tmp_path / "work" / "index", model, table.head(30)))
    with watched(tmp_path / "work", tmp_path / "snapshots"):
        new = answers(Index.create(tmp_path / "work" / "index", model, table, overwrite=True))
    assert old[0] == 30
    assert new[0] == 120
    seen = []
    for snapshot in sorted((tmp_path / "snapshots").iterdir()):
        target = snapshot / "all" / "index"
        found = answers(Index.open(target))
        assert found in (old, new), snapshot.name
        seen.append(found[0])
        assert answers(Index.create(target, model, table, overwrite=True)) == new, snapshot.name
        assert sorted(os.listdir(target.parent)) == ["index"]
    assert seen == sorted(seen)  # first the old one, then the new one
    assert set(seen) == {30, 120}


@pytest.mark.usefixtures("small_chunks")
def test_an_interrupted_replacement_goes_on_where_it_stopped(
    tmp_path: Path, model: TopicModel
) -> None:
    table, target = make_table(), tmp_path / "index"
    Index.create(target, model, table.head(30))

    def stop(done: int, total: int) -> None:
        if done == 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.create(target, model, table, overwrite=True, progress=stop)
    assert len(Index.open(target)) == 30
    seen: list[int] = []
    Index.create(
        target, model, table, overwrite=True, progress=lambda done, total: seen.append(done)
    )
    assert seen == [100, 120]
    assert len(Index.open(target)) == 120
    with pytest.raises(KeyboardInterrupt):
        Index.create(target, model, table, overwrite=True, progress=stop)
    seen.clear()
    other = table.head(60)
    Index.create(
        target, model, other, overwrite=True, progress=lambda done, total: seen.append(done)
    )
    assert seen == [50, 60]  # what was begun of other documents is of no use
    assert os.listdir(tmp_path) == ["index"]


def test_a_replacement_that_fails_leaves_the_old_one(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, rename = tmp_path / "index", os.rename
    Index.create(target, model, table.head(30))

    def refused(old: Any, new: Any) -> None:
        if Path(new) == target and Path(old) == replacing.beside(target):
            raise PermissionError(13, "Permission denied")
        rename(old, new)

    monkeypatch.setattr(os, "rename", refused)
    with pytest.raises(PermissionError):
        Index.create(target, model, table, overwrite=True)
    assert len(Index.open(target)) == 30
    monkeypatch.undo()
    (target / "mine.txt").write_text("keep me")
    with pytest.raises(IndexFileError, match=r"an index alone to be replaced, got 'mine.txt'"):
        Index.create(target, model, table, overwrite=True)
    assert len(Index.open(target)) == 30


def test_an_index_is_replaced_where_a_link_leads(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame
) -> None:
    (tmp_path / "disk").mkdir()
    Index.create(tmp_path / "disk" / "real", model, table.head(3))
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "real")
    Index.create(tmp_path / "link", model, table, overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert len(Index.open(tmp_path / "disk" / "real")) == 120


def test_who_has_an_index_open_that_was_replaced_is_told(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame
) -> None:
    index = Index.create(tmp_path / "index", model, table)
    Index.create(tmp_path / "index", model, table, overwrite=True)
    more = pl.DataFrame({"id": ["x"], "text": ["apple"]})
    for change in (
        index.refresh,
        lambda: index.add(more),
        lambda: index.delete("d1"),
        index.optimize,
    ):
        with pytest.raises(
            IndexFileError, match="must be the index that was opened, got another in its place"
        ):
            change()
    assert len(Index.open(tmp_path / "index")) == 120


# Several at once

ADDING = """
import sys, polars as pl
from undertow.search import Index
index, name = Index.open(sys.argv[1]), sys.argv[2]
for turn in range(4):
    ids = [f"shared-{number}" for number in range(20)] + [f"{name}-{turn}"]
    index.add(pl.DataFrame({"id": ids, "text": [f"apple {name} {turn}"] * len(ids)}), replace=True)
    index.delete(f"{name}-{turn}")
"""


@pytest.mark.torture
def test_several_processes_write_one_after_the_other(index: Index) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", ADDING, str(index.path), name], stderr=subprocess.PIPE, text=True
        )
        for name in ("ann", "bob", "cyd")
    ]
    for writer in writers:
        said = writer.communicate(timeout=300)[1]
        assert writer.returncode == 0, said
    index.refresh()
    assert len(index) == 120 + 20
    found = [
        hit.id
        for hit in index.search(
            "apple", 200, mode="text", where="id LIKE 'shared-%'", duplicates=True
        )
    ]
    assert sorted(found) == sorted(f"shared-{number}" for number in range(20))


def test_threads_write_one_after_the_other(index: Index) -> None:
    def write(name: str) -> None:
        mine = Index.open(index.path)
        for _ in range(3):
            rows = pl.DataFrame(
                {"id": [f"shared-{number}" for number in range(5)], "text": [f"apple {name}"] * 5}
            )
            mine.add(rows, replace=True)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    index.refresh()
    assert len(index) == 125


def test_two_cannot_make_the_same_index(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame
) -> None:
    def meanwhile(done: int, total: int) -> None:
        with pytest.raises(
            IndexFileError,
            match="must not be written by another process, got one that is writing it",
        ):
            Index.create(tmp_path / "index", model, table)

    assert len(Index.create(tmp_path / "index", model, table, progress=meanwhile)) == 120


def test_an_index_is_not_replaced_while_documents_are_added(
    index: Index, model: TopicModel, table: pl.DataFrame
) -> None:
    def meanwhile(done: int, total: int) -> None:
        with pytest.raises(IndexFileError, match="got one that is writing it"):
            Index.create(index.path, model, table.head(3), overwrite=True)

    index.add(["apple", "plum"], progress=meanwhile)
    assert len(Index.open(index.path)) == 122


def test_what_is_added_while_an_index_is_replaced_is_refused_in_words(
    index: Index, model: TopicModel, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, said, wait = threading.Event(), list[BaseException](), wait_for_lock

    def told(descriptor: int) -> None:
        waiting.set()
        wait(descriptor)

    def add() -> None:
        try:
            index.add(["apple", "plum"])
        except IndexFileError as error:
            said.append(error)
        waiting.set()

    def meanwhile(done: int, total: int) -> None:
        adder.start()
        assert waiting.wait(timeout=60)

    adder = threading.Thread(target=add)
    monkeypatch.setattr(lock, "wait_for_lock", told)
    Index.create(index.path, model, table.head(3), overwrite=True, progress=meanwhile)
    adder.join(timeout=60)
    assert "must be the index that was opened, got another in its place" in str(said[0])
    assert len(Index.open(index.path)) == 3


def test_two_do_not_replace_the_same_index(
    index: Index, model: TopicModel, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second begins between the two steps of the first, when the place is empty."""
    rename, tried = os.rename, list[str]()

    def between(old: Any, new: Any) -> None:
        rename(old, new)
        if Path(old) == index.path:
            with pytest.raises(IndexFileError, match="got one that is writing it"):
                Index.create(index.path, model, table.head(5), overwrite=True)
            tried.append("second")

    monkeypatch.setattr(os, "rename", between)
    Index.create(index.path, model, table.head(3), overwrite=True)
    assert tried == ["second"]
    assert len(Index.open(index.path)) == 3
    assert os.listdir(index.path.parent) == [index.path.name]


def test_an_index_that_another_finished_meanwhile_is_not_made_anew(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    surveyed = building._surveyed

    def late(*arguments: Any) -> Any:
        monkeypatch.undo()
        Index.create(tmp_path / "index", model, table)
        return surveyed(*arguments)

    for overwrite, message in ((False, "a finished index"), (True, "finished it meanwhile")):
        monkeypatch.setattr(building, "_surveyed", late)
        with pytest.raises((InvalidInput, IndexFileError), match=message):
            Index.create(tmp_path / "index", model, table.head(3), overwrite=overwrite)
        assert len(Index.open(tmp_path / "index")) == 120
        shutil.rmtree(tmp_path / "index")


def test_a_thread_that_is_gone_is_replaced(index: Index) -> None:
    before = index.search("apple")
    event_loop._forget()  # as in a forked child
    assert index.search("apple") == before


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / lock.LOCK).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(IndexFileError, match="must be writable, got"), lock.alone(tmp_path):
        pass


def test_a_run_with_other_columns_does_not_go_on_with_the_first(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = table.with_columns(rating=pl.Series(range(120)))
    monkeypatch.setattr(Store, "index_ids", _stop)
    with pytest.raises(KeyboardInterrupt):
        Index.create(tmp_path / "index", model, more, keep=())
    monkeypatch.undo()
    for other, keep in ((more, ["rating"]), (more.with_columns(label=pl.lit("x")), [])):
        with pytest.raises(InvalidInput, match="an unfinished index of other documents"):
            Index.create(tmp_path / "index", model, other, keep=keep)
    assert len(Index.create(tmp_path / "index", model, more, keep=())) == 120
    assert json.loads((tmp_path / "index" / "index.json").read_text())["finished"] is True
