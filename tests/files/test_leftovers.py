"""What a killed process leaves is removed by the next; what a living one works on is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import undertow
from undertow._errors import InvalidInput
from undertow.files import leftovers
from undertow.files.atomic import new_folder
from undertow.files.claim import claim_file, claimed
from undertow.files.scratch import Scratch

OTHER = """
import sys, time
from pathlib import Path
from undertow.files.atomic import new_folder
from undertow.files.claim import claimed
from undertow.files.scratch import Scratch
place = Path(sys.argv[1])
with Scratch(place) as scratch, new_folder(place / "model") as new, claimed(place / "m", name="o"):
    (scratch.folder / "counts").write_text("many")
    (new / "half").write_text("a model")
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def other(tmp_path: Path) -> subprocess.Popen[str]:
    source = str(Path(undertow.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", OTHER, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
    )


def claim(place: Path, name: str) -> None:
    with claimed(place, name=name):
        pass


def sweep(place: Path) -> list[str]:
    with Scratch(place) as scratch, new_folder(place / "model"):
        assert scratch.folder.is_dir()
        from undertow.storage.layout import FOLDERS

        FOLDERS.recover(place / "model")
    return sorted(name for name in os.listdir(place) if name != claim_file(place / "m").name)


@pytest.mark.skipif(os.name == "nt", reason="folders are not locked there")
def test_only_what_the_dead_left_goes(other: subprocess.Popen[str], tmp_path: Path) -> None:
    mine = tmp_path / "undertow-0123456789abcdef"  # as long a name, but of no machine
    mine.mkdir()
    with other as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        theirs = sweep(tmp_path)
        assert len(theirs) == 3
        with pytest.raises(InvalidInput, match="o must not be written by another process"):
            claim(tmp_path / "m", "o")
        process.send_signal(signal.SIGKILL)
    assert sweep(tmp_path) == [mine.name]
    with claimed(tmp_path / "m", name="o"):  # that of the dead is taken over
        assert claim_file(tmp_path / "m").exists()
    assert os.listdir(tmp_path) == [mine.name]


@pytest.mark.skipif(os.name == "nt", reason="folders are not locked there")
def test_a_folder_that_is_swept_as_it_is_made_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, swept = leftovers._opened, list[Path]()

    def sweep_first(folder: Path) -> int | None:
        if not swept:
            swept.append(folder)
            leftovers.sweep(tmp_path, "made-" + leftovers.TOKEN)
        return opened(folder)

    monkeypatch.setattr(leftovers, "_opened", sweep_first)
    folder, descriptor = leftovers.make_locked(lambda: tmp_path / f"made-{leftovers.token()}")
    assert descriptor is not None
    os.close(descriptor)
    assert swept != [folder]
    assert os.listdir(tmp_path) == [folder.name]


def test_where_nothing_can_be_locked_a_day_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(descriptor: int) -> bool:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(leftovers, "is_locked_now", none)
    monkeypatch.setattr("undertow.files.claim.is_locked_now", none)
    folder, descriptor = leftovers.make_locked(lambda: tmp_path / leftovers.token())
    assert descriptor is None
    leftovers.sweep(tmp_path, leftovers.TOKEN, unlocked=True)
    assert folder.exists()
    os.utime(folder, (0, 0))
    leftovers.sweep(tmp_path, leftovers.TOKEN)
    assert folder.exists()
    leftovers.sweep(tmp_path, leftovers.TOKEN, unlocked=True)
    assert not folder.exists()
    with claimed(tmp_path / "place", name="out"), claimed(tmp_path / "place", name="out"):
        pass


def test_a_claim_is_let_go_after_an_error(tmp_path: Path) -> None:
    def fail() -> None:
        with claimed(tmp_path / "a" / "place", name="out"):
            raise ValueError("mine")

    for _ in range(2):
        with pytest.raises(ValueError, match="mine"):
            fail()
    assert os.listdir(tmp_path / "a") == []
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="out must be a place that can be written, got"):
        claim(tmp_path / "file" / "place", "out")
