"""Files of an index that were removed, cut off or overwritten: whoever opens or asks it is told, or
gets right answers.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from undertow import IndexFileError, TopicModel, UndertowError
from undertow.search import Index
from undertow.search.database.manifest import newest_of
from undertow.search.folder import file_list, layout

FAST, LONG = 30, 3000  # damages that are tried


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, model: TopicModel, table: pl.DataFrame) -> Path:
    """The folder of an index with some history; no test changes it."""
    folder = tmp_path_factory.mktemp("sound") / "index"
    index = Index.create(folder, model, table)
    index.add(["apple and pear beside a wheel", "plum"])
    index.delete(["d3", "d4"])
    for file in (folder / "words").iterdir():  # which count with those that were deleted
        file.unlink()
    with index._writing() as store:
        index._bring_up_to_date(store)
    return folder


@pytest.fixture
def copy(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "copy"))


asked = ("apple wheel", 200)


def answers(folder: Path) -> list[Any]:
    """What an index says; in an order of its own, since equal scores may come in any."""
    index = Index.open(folder)
    found = [
        sorted((round(hit.score, 5), hit.id, hit.text) for hit in index.search(*asked, mode=mode))
        for mode in ("hybrid", "text", "code")
    ]
    rows = [part["text"].to_list() for part in index.scan(["text"])]
    return [len(index), found, index.documents(["d0", "d3"]), rows]


def newest(folder: Path) -> Path:
    table = folder / "documents" / "documents.lance"
    return table / newest_of(table).name


def test_a_removed_version_is_missed(copy: Path) -> None:
    newest(copy).unlink()
    with pytest.raises(IndexFileError, match=r"must hold version \d+ of its documents, got"):
        Index.open(copy)


def live(folder: Path) -> list[Path]:
    table = folder / "documents" / "documents.lance"
    return [folder / name for name in file_list.names_of(newest_of(table))]


def test_a_missing_or_short_file_is_named(copy: Path) -> None:
    for file in live(copy)[1:]:
        content = file.read_bytes()
        file.unlink()
        with pytest.raises(IndexFileError, match=f"must hold .*{file.name}, got no such file"):
            Index.open(copy)
        file.write_bytes(content[:-1])
        with pytest.raises(IndexFileError, match=f"{file.name} must be as it was written, got"):
            Index.open(copy)
        file.write_bytes(content)
    Index.open(copy)


def test_a_large_file_is_read_when_it_is_asked_for(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_list, "READ_AT_OPENING", 0)
    largest = max(live(copy), key=lambda file: file.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 1
    index = Index.open(copy)
    assert index.check().unlisted == 0
    largest.write_bytes(content)
    with pytest.raises(IndexFileError, match="got other contents than were written"):
        Index.open(copy).check()


def test_words_that_were_damaged_are_made_again(copy: Path, sound: Path) -> None:
    expected = answers(sound)
    for file in (copy / "words").iterdir():
        content = bytearray(file.read_bytes())
        content[-1] ^= 255
        file.write_bytes(content)
        assert answers(copy) == expected
    with pytest.raises(IndexFileError, match="must be as it was written"):
        Index.open(copy).check()
    Index.open(copy).optimize()
    assert Index.open(copy).check().unlisted == 0
    assert answers(copy)[:3] == expected[:3]


def test_what_a_writer_that_died_did_not_list_is_believed(copy: Path, sound: Path) -> None:
    behind = (copy / layout.FILES).read_bytes()
    Index.open(copy).add(["a wheel and a plum"])
    (copy / layout.FILES).write_bytes(behind)
    index = Index.open(copy)
    assert len(index) == 121
    assert index.check().unlisted > 0
    index.delete("d5")
    assert Index.open(copy).check().unlisted == 0


def test_an_index_of_an_earlier_version_has_no_list(copy: Path, sound: Path) -> None:
    facts = json.loads((copy / layout.FACTS).read_text())
    earlier = {name: facts[name] for name in facts if name not in ("listed", "checksum")}
    (copy / layout.FACTS).write_text(json.dumps(earlier))
    (copy / layout.FILES).unlink()
    assert answers(copy) == answers(sound)
    Index.open(copy).delete("d5")
    assert layout.read_facts(copy).listed
    (copy / layout.FILES).unlink()
    with pytest.raises(IndexFileError, match=r"files.json must list the files of the index, got"):
        Index.open(copy)


def test_a_list_that_cannot_be_written_is_no_error(
    copy: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    index = Index.open(copy)
    monkeypatch.setattr(file_list, "write_file", full)
    index.delete("d5")
    assert "could not list its files: No space left on device" in caplog.text
    monkeypatch.undo()
    assert len(Index.open(copy)) == len(index) == 119


@pytest.mark.parametrize(
    "change",
    [
        {"finished": 1},
        {"near_copies": "<b>"},
        {"model": 5},
        {"token": "é"},
        {"listed": None},
        {"checksum": "0" * 64},
        {"corpus": "another"},
        {"more": 1},
    ],
)
def test_facts_of_other_kinds_are_refused(copy: Path, change: dict[str, Any]) -> None:
    facts = json.loads((copy / layout.FACTS).read_text()) | change
    if set(change) & {"finished", "near_copies", "model", "token", "listed", "more"}:
        del facts["checksum"]
    (copy / layout.FACTS).write_text(json.dumps(facts))
    with pytest.raises(IndexFileError, match="must describe a search index, got something else"):
        Index.open(copy)


@pytest.mark.parametrize("size", ["1e999", "NaN", "[]"])
def test_a_list_with_odd_sizes_is_refused(copy: Path, size: str) -> None:
    """With a checksum that fits, as a stranger could write it."""
    file = copy / layout.FILES
    listed = json.loads(file.read_text())
    listed["files"][next(iter(listed["files"]))][0] = "here"
    del listed["checksum"]
    text = json.dumps(listed).replace('"here"', size)
    listed = json.loads(text)
    file.write_text(json.dumps({**listed, "checksum": layout.checksum(listed)}))
    with pytest.raises(IndexFileError, match=r"files.json must list the files of the index, got"):
        Index.open(copy)


def damage(folder: Path, chance: random.Random) -> str:
    """One file is removed, cut off, lengthened, or gets other bytes."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    file = chance.choice(files)
    content, kind = bytearray(file.read_bytes()), chance.choice(("gone", "cut", "more", "bits"))
    if kind == "gone":
        file.unlink()
        return f"{file.name}: gone"
    if kind == "cut":
        content = content[: chance.randrange(len(content) + 1)]
    elif kind == "more":
        content += chance.randbytes(chance.randrange(1, 50))
    else:
        for _ in range(chance.choice((1, 1, 3, 100))):
            if content:
                content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(content)
    return f"{file.relative_to(folder)}: {kind}"


def answered_or_told(folder: Path) -> tuple[list[Any], str | None]:
    """What an index says, or the error that says why it does not."""
    try:
        return answers(folder), None
    except UndertowError as error:
        return [], str(error)


def try_damages(sound: Path, tmp_path: Path, times: int, first: int = 0) -> int:
    expected, refused = answers(sound), 0
    for number in range(first, first + times):
        copy = Path(shutil.copytree(sound, tmp_path / "copy"))
        what = damage(copy, random.Random(number))
        found, said = answered_or_told(copy)
        assert (found == expected) if said is None else (said and "\n" not in said), (number, what)
        refused += said is not None
        shutil.rmtree(copy)
    return refused


def test_damage_is_told_or_does_no_harm(sound: Path, tmp_path: Path) -> None:
    assert try_damages(sound, tmp_path, FAST) > FAST // 4


@pytest.mark.torture
def test_much_damage_is_told_or_does_no_harm(sound: Path, tmp_path: Path) -> None:
    assert try_damages(sound, tmp_path, LONG, first=1000) > LONG // 4
