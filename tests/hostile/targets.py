"""What is fuzzed by coverage: functions of bytes that end well, or in a worded error. `guided.py`
runs them; `make(name, place)` makes what a target needs first.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

import undertow
from tests.hostile.conftest import TEXTS
from tests.hostile.mutations import reseal, spoil_folder
from tests.hostile.using import use
from undertow.cli import main
from undertow.search.database import manifest
from undertow.search.filters.grammar import parse
from undertow.storage.npy import map_npy
from undertow.topics.curation import Curation

Target = Callable[[bytes], object]


class Chooser(Random):
    """Choices made by the bytes of an input, so that its neighbours are neighbouring changes."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._left = list(data)

    def random(self) -> float:
        return self._byte() / 256

    def getrandbits(self, k: int) -> int:
        found = 0
        for _ in range(-(-k // 8)):
            found = found << 8 | self._byte()
        return found & ((1 << k) - 1)

    def _byte(self) -> int:
        if self._left:
            return self._left.pop(0)
        return super().getrandbits(8)


def text_model() -> undertow.TopicModel:
    """A small one."""
    return undertow.TopicModel(8, stop_words="english", max_epochs=5, random_state=0).fit(TEXTS)


def _spoilt_model(model: Any, place: Path) -> Target:
    """The input is what a header's manifest is made of: the sound one, changed as it says."""
    model.save(place / "sound")
    reseal(place / "sound")

    def target(data: bytes) -> None:
        spoil_folder(place / "sound", place / "model", Chooser(data))
        use(place / "model")

    return target


def _deep(place: Path) -> Target:
    counts = text_model().counts(TEXTS)
    options: dict[str, Any] = {"n_latent_words": 3, "max_epochs": 2, "random_state": 0}
    return _spoilt_model(undertow.DeepReplicatedSoftmax(4, **options).fit(counts), place)


def _corpus(name: str) -> Callable[[Path], Target]:
    def make(place: Path) -> Target:
        file = place / name

        def target(data: bytes) -> None:
            file.write_bytes(data)
            for chunk in undertow.open_corpus(file).chunks(100):
                assert chunk.height <= 100

        return target

    return make


def _curation(place: Path) -> Target:
    model = text_model()

    def target(data: bytes) -> None:
        file = place / ("made.toml" if data[:1] == b"t" else "made.json")
        file.write_bytes(data)
        model.apply_curation(Curation.load(file))

    return target


def _npy(place: Path) -> Target:
    def target(data: bytes) -> None:
        (place / "made.npy").write_bytes(data)
        map_npy(place / "made.npy").sum()

    return target


def _checkpoint(place: Path) -> Target:
    from tests.hostile.test_files import begin, resume, spoil_checkpoint
    from undertow.learn import train
    from undertow.storage import save_run

    run, source = begin()
    saved = save_run(place / "saved", train(run, source, epochs=1))
    return lambda data: resume(
        saved, place / "run", lambda folder: spoil_checkpoint(folder, Chooser(data))
    )


def _fit(place: Path) -> Target:
    from tests.hostile.test_files import go_on, spoil_fit, stopped_fit

    saved = stopped_fit(place / "saved")
    return lambda data: go_on(saved, place / "fit", lambda folder: spoil_fit(folder, Chooser(data)))


def _index(place: Path) -> Target:
    """A folder with one file changed and sealed again, which is opened and asked."""
    from tests.search.folder.test_hostile_index import hostile, mouthful

    rows = pl.DataFrame({"text": TEXTS[:40], "label": ["cars", None] * 20})
    rows = rows.with_row_index("id").with_columns(id=pl.format("d{}", "id"))
    undertow.Index.create(place / "sound", text_model(), rows)

    def target(data: bytes) -> None:
        shutil.rmtree(place / "copy", ignore_errors=True)
        hostile(Path(shutil.copytree(place / "sound", place / "copy")), Chooser(data))
        mouthful(place / "copy")

    return target


def _command(place: Path) -> Target:
    """A command with odd options, in a folder of its own."""
    from tests.hostile.test_arguments import COMMANDS, try_one, write_corpus

    text_model().save(place / "model")
    write_corpus(place)
    os.chdir(place)

    def target(data: bytes) -> None:
        chooser = Chooser(data)
        try_one(_run, chooser.choice(COMMANDS), chooser)

    return target


def _run(*arguments: object) -> tuple[int, str, str]:
    """A command as a shell would run it: exit code, standard output, standard error."""
    out, error, before = StringIO(), StringIO(), sys.argv
    sys.argv = ["undertow", *map(str, arguments)]
    with redirect_stdout(out), redirect_stderr(error):
        try:
            main()
            code: Any = 0
        except SystemExit as stopped:
            code = stopped.code or 0
        finally:
            sys.argv = before
    return int(code), out.getvalue(), error.getvalue()


MAKERS: dict[str, Callable[[Path], Target]] = {
    "model": lambda place: _spoilt_model(text_model(), place),
    "counts": lambda place: _spoilt_model(text_model().softmax_, place),
    "deep": _deep,
    "curation": _curation,
    "checkpoint": _checkpoint,
    "fit": _fit,
    "npy": _npy,
    "index": _index,
    "command": _command,
    "manifest": lambda _: lambda data: manifest.read(data, "documents"),
    "filter": lambda _: lambda data: parse(data.decode("utf-8", "surrogateescape")),
    **{name: _corpus(f"made.{name}") for name in ("jsonl", "csv", "tsv", "txt", "parquet")},
}
