"""Writing fails: every command says so in a line, and what was there before is whole."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import undertow
from tests.disks import no_file_above, small_disk
from tests.estimators.test_topic_model import make_texts
from tests.shell import Run
from undertow import TopicModel

ENDINGS = ("parquet", "csv", "tsv", "jsonl", "arrow", "feather", "npy")
TOPIC_ENDINGS = ("json", "csv", "parquet", "jsonl")
WRITING: dict[str, tuple[str, ...]] = {
    "fit": ("fit", "corpus.parquet", "--n-components", "8", "--max-epochs", "1", "--out", "OUT"),
    **{
        f"vectors as {end}": ("transform", "MODEL", "corpus.parquet", "--out", f"OUT.{end}")
        for end in ENDINGS
    },
    "shares": ("transform", "MODEL", "corpus.parquet", "--kind", "topics", "--out", "OUT.csv"),
    **{f"topics as {end}": ("topics", "MODEL", "--out", f"OUT.{end}") for end in TOPIC_ENDINGS},
    "report": ("report", "MODEL", "corpus.parquet", "--out", "OUT.html"),
    "curation": ("topics", "MODEL", "--rename", "1=changed", "--export", "OUT.json"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model and a corpus of 3,000 documents: vectors of them fill a small disk."""
    folder = tmp_path_factory.mktemp("made")
    texts = make_texts(3000)
    pl.DataFrame({"text": texts}).write_parquet(folder / "corpus.parquet")
    TopicModel(8, max_epochs=1, random_state=0).fit(texts).save(folder / "model")
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "corpus.parquet").symlink_to(made / "corpus.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@contextmanager
def failing(fault: str, place: Path) -> Iterator[Path]:
    """A folder to write to, which has room for little."""
    if fault == "files may not grow":
        (place / "disk").mkdir()
        yield place / "disk"
        return
    with small_disk(place / "disk", "24m") as disk:
        yield disk


def fill(disk: Path) -> None:
    """Until nothing more goes onto it."""
    with (disk / "filling").open("wb", buffering=0) as handle:
        try:
            while True:
                handle.write(bytes(4096))
        except OSError:
            return


@pytest.mark.parametrize("fault", ["disk full", "files may not grow"])
@pytest.mark.parametrize("what", WRITING)
def test_what_cannot_be_written_leaves_what_was_there(
    what: str, fault: str, made: Path, place: Path, run: Run
) -> None:
    with failing(fault, place) as disk:
        TopicModel(8, max_epochs=1, random_state=0).fit(make_texts(60)).save(disk / "model")
        names = {"MODEL": str(disk / "model"), "OUT": str(disk / "out")}
        command = [
            names.get(word.partition(".")[0], word.partition(".")[0])
            + "".join(word.partition(".")[1:])
            for word in WRITING[what]
        ]
        first = run(*command, "--force")
        assert first[0] == 0, first[2]
        before = contents(disk)
        if fault == "disk full":
            fill(disk)
            code, _, err = run(*command, "--force")
            (disk / "filling").unlink()
        else:
            with no_file_above(200):
                code, _, err = run(*command, "--force")
        assert code in (1, 2), err
        told = err.strip().splitlines()[-1]
        assert told.startswith("undertow: "), err
        assert "Traceback" not in err
        assert any(word in told for word in ("No space left", "File too large")), err
        assert contents(disk) == before
        assert not [name for name in os.listdir(disk) if name.startswith(".")]


def test_a_scratch_folder_that_fills_up_is_named(made: Path, place: Path, run: Run) -> None:
    command = ("fit", "corpus.parquet", "--memory-limit", "0", "--max-epochs", "1", "--out", "new")
    with small_disk(place / "disk", "100k") as disk:
        code, _, err = run(*command, "--scratch-folder", disk, "--quiet")
        assert (code, os.listdir(disk)) == (2, [])
    assert "--scratch-folder must be a folder with room for what does not fit into memory" in err
    assert "No space left on device" in err
    assert sorted(os.listdir(place)) == ["corpus.parquet", "disk"]


@pytest.mark.parametrize("after", [0, 1])
def test_an_input_that_vanishes_or_breaks_off_is_named(
    after: int, made: Path, place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from undertow.corpus import Corpus

    half = (made / "corpus.parquet").read_bytes()[:3000]
    numbered = Corpus._numbered

    def vanishing(self: Corpus, columns: list[str], rows: int) -> Iterator[Any]:
        (place / "here.parquet").unlink()
        if after:
            (place / "here.parquet").write_bytes(half)
        yield from numbered(self, columns, rows)

    (place / "here.parquet").write_bytes((made / "corpus.parquet").read_bytes())
    (place / "vectors.parquet").write_text("of before")
    monkeypatch.setattr(Corpus, "_numbered", vanishing)
    for command in (
        ("transform", made / "model", "here.parquet", "--out", "vectors.parquet", "--force"),
        ("fit", "here.parquet", "--out", "new", "--quiet"),
        ("report", made / "model", "here.parquet", "--out", "new.html"),
    ):
        (place / "here.parquet").write_bytes((made / "corpus.parquet").read_bytes())
        code, _, err = run(*command)
        assert code == 2, err
        told = err.strip().splitlines()[-1]
        assert told.startswith("undertow: ")
        assert "here.parquet" in told
    assert (place / "vectors.parquet").read_text() == "of before"
    assert set(os.listdir(place)) <= {"corpus.parquet", "here.parquet", "vectors.parquet"}


LITTLE = """
import resource
from undertow.cli import main
from undertow.estimators import _training
begin = _training.begin
def limited(*given, **more):
    taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + 200_000_000, -1))
    return begin(*given, **more)
_training.begin = limited
main()
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is not told here")
def test_little_memory_is_told(place: Path) -> None:
    """4,000 units of 20,000 words: 320 MB, several times."""
    words = [" ".join(f"w{i}x{j}" for j in range(20)) for i in range(1000)]
    pl.DataFrame({"text": words * 2}).write_parquet(place / "wide.parquet")
    command = ("fit", "wide.parquet", "--n-components", "4000", "--out", "new", "--quiet")
    source = str(Path(undertow.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", LITTLE, *command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("undertow: "), done.stderr
    assert not (place / "new").exists()
