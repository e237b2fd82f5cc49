"""What `Index.add` does to documents that are there: nothing, unless it is asked to."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from undertow import InvalidInput, TopicModel
from undertow._errors import IndexFileError
from undertow.corpus import as_corpus, open_corpus
from undertow.search import Added, Index
from undertow.search.filling import building, survey
from undertow.search.filling.new_ids import _highest
from undertow.search.filling.rows import rows_of


def texts(index: Index) -> dict[str, str]:
    found = [
        dict(zip(part["id"], part["text"], strict=True)) for part in index.scan(["id", "text"])
    ]
    return {name: text for part in found for name, text in part.items()}


def test_documents_without_ids_take_nobody_s_place(tmp_path: Path, model: TopicModel) -> None:
    index = Index.create(tmp_path / "index", model, ["apple pear", "gear and brake"])
    assert index.add(["plum", "melon"]) == Added(2, 0, ("2", "3"))
    assert index.add(pl.DataFrame({"text": ["cherry"]})) == Added(1, 0, ("4", "4"))
    assert texts(index) == {
        "0": "apple pear",
        "1": "gear and brake",
        "2": "plum",
        "3": "melon",
        "4": "cherry",
    }


def test_new_ids_are_above_every_number_that_is_one(index: Index) -> None:
    assert index.add(["plum"]).made == ("0", "0")  # the others are d0, d1, ...
    odd = ["9", "10", "-70", "0099", "5.5", "٣٤٥", "30x", "1e5", "²"]
    index.add(pl.DataFrame({"id": odd, "text": ["apple"] * len(odd)}))
    assert index.add(["pear", "juice"]).made == ("11", "12")
    index.add(pl.DataFrame({"id": ["9" * 30], "text": ["apple"]}))
    assert index.add(["grape"]).made == ("1" + "0" * 30, "1" + "0" * 30)
    assert len(texts(index)) == len(index) == 120 + len(odd) + 5


def test_numbers_of_all_pieces_of_an_index_count(
    tmp_path: Path, model: TopicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "ROWS", 3)
    index = Index.create(
        tmp_path / "index", model, pl.DataFrame({"id": ["7", *"abcde", "3"], "text": ["plum"] * 7})
    )
    assert index.add(["pear"] * 7).made == ("8", "14")
    assert list(texts(index)) == ["7", *"abcde", "3", *map(str, range(8, 15))]
    assert _highest(pl.Series(["a"])) == -1


def test_rows_of_a_split_are_numbered_without_gaps(tmp_path: Path, index: Index) -> None:
    pl.DataFrame({"text": ["pear", "plum", "grape"], "split": ["test", "train", "test"]}).write_csv(
        tmp_path / "a.csv"
    )
    assert index.add(open_corpus(tmp_path / "a.csv").where_split("test")).made == ("0", "1")
    assert (texts(index)["0"], texts(index)["1"]) == ("pear", "grape")


def test_an_id_that_is_there_is_refused_before_any_work(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, version = texts(index), index.version
    more = pl.DataFrame({"id": ["new", "d7", "d5"], "text": ["plum"] * 3})
    monkeypatch.setattr(survey, "ROWS", 1)
    told: list[int] = []
    with pytest.raises(
        InvalidInput, match=r"ids must be new .*, got 'd7', which is there already: .* replace"
    ):
        index.add(more, progress=lambda done, total: told.append(done))
    assert (texts(index), index.version, told) == (before, version, [])
    assert index.add(more, replace=True) == Added(1, 2)
    assert texts(index) == before | {"new": "plum", "d7": "plum", "d5": "plum"}
    with pytest.raises(
        InvalidInput, match="replace must be used with documents that have ids, got"
    ):
        index.add(["plum"], replace=True)


def test_a_corpus_tells_whether_it_has_ids(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("apple")
    (tmp_path / "lines.txt").write_text("apple\n")
    (tmp_path / "table.csv").write_text("key,text\n1,apple\n")
    assert open_corpus(tmp_path / "folder").has_ids
    assert not open_corpus(tmp_path / "lines.txt").has_ids
    assert not open_corpus(tmp_path / "table.csv").has_ids
    assert open_corpus(tmp_path / "table.csv", id_column="key").keeping([]).has_ids
    assert not as_corpus(["apple"]).has_ids


# Cut off


class Interrupt(Exception):
    """In place of whatever goes wrong."""


@pytest.mark.parametrize("error", [Interrupt("mine"), KeyboardInterrupt()])
@pytest.mark.parametrize("at", [50, 100, 120])
def test_an_addition_that_is_cut_off_has_added_nothing(
    index: Index,
    table: pl.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
    at: int,
    error: BaseException,
) -> None:
    monkeypatch.setattr(survey, "ROWS", 50)
    before, version, seen = texts(index), index.version, []

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if done == at:
            raise error

    with pytest.raises(type(error)) as raised:
        index.add(table.drop("id"), progress=stop)
    assert raised.value is error
    assert seen[-1] == (at, 120)
    assert (texts(index), index.version, texts(Index.open(index.path))) == (before, version, before)
    assert index.add(table.drop("id")) == Added(120, 0, ("0", "119"))
    assert len(index) == 240


KILLED = """
import os, sys, polars as pl
from undertow.search import Index
from undertow.search.filling import survey
survey.ROWS = 50
die = lambda done, total: os._exit(9) if done == 100 else None
Index.open(sys.argv[1]).add(pl.DataFrame({"text": ["apple"] * 200}), progress=die)
"""


@pytest.mark.torture  # a process of its own
def test_a_writer_that_is_killed_has_added_nothing(index: Index) -> None:
    assert (
        subprocess.run(
            [sys.executable, "-c", KILLED, str(index.path)], timeout=300, check=False
        ).returncode
        == 9
    )
    index.refresh()
    assert len(index) == len(Index.open(index.path)) == 120
    assert index.add(["plum"]).made == ("0", "0")


@pytest.mark.skipif(
    not hasattr(signal, "pthread_kill"), reason="signals are the whole process's there"
)
def test_ctrl_c_while_the_database_writes_stops_it(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one who waits is interrupted, not the thread that makes rows; that has to stop as
    well.
    """
    monkeypatch.setattr(survey, "ROWS", 1)
    made: list[int] = []

    def slowly(done: int, total: int) -> None:
        made.append(done)
        if done == 3:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        time.sleep(0.02)

    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a shell's background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            index.add(["plum"] * 3000, progress=slowly)  # a minute, for who does not hear
    finally:
        signal.signal(signal.SIGINT, before)
    assert 3 <= len(made) < 3000
    assert len(index) == len(Index.open(index.path)) == 120


def test_replacing_that_was_cut_off_is_finished_by_doing_it_again(
    index: Index, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "ROWS", 50)
    other = table.with_columns(text=pl.lit("a plum for ") + pl.col("id"))

    def stop(done: int, total: int) -> None:
        raise Interrupt

    with pytest.raises(Interrupt):
        index.add(other, replace=True, progress=stop)
    half = texts(index)
    assert sum(text.startswith("a plum for ") for text in half.values()) == 50
    assert index.add(other, replace=True) == Added(0, 120)
    assert texts(index) == dict(zip(other["id"], other["text"], strict=True))


def test_trouble_of_the_database_is_named_as_such(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*arguments: Any) -> Any:
        return rows_of(*arguments).select(["id"])  # not the columns that the table has

    monkeypatch.setattr(building, "rows_of", wrong)
    with pytest.raises(
        IndexFileError, match="must hold documents that can be read and written, got"
    ):
        index.add(["plum"])
    assert len(index) == 120
