"""Fuzzing by coverage, with atheris where it is installed (it is no dependency, and not on every
Python): `python -m tests.hostile.guided model FOLDER -max_total_time=3600`, where FOLDER keeps the
inputs that reached something new.

Targets: `model` (a folder, resealed), `curation`, `jsonl`, `csv`, `parquet`, `npy`.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import atheris

with atheris.instrument_imports(include=["undertow"]):
    import undertow
    import undertow.cli.info
    import undertow.corpus._formats
    import undertow.estimators._stored_words
    import undertow.storage.training_facts
    import undertow.topics.stored_atlas
    from undertow import UndertowError
    from undertow.storage.npy import map_npy
    from undertow.topics.curation import Curation

from tests.hostile.conftest import TEXTS
from tests.hostile.mutations import reseal, spoil_folder
from tests.hostile.using import use

PLACE = Path(tempfile.mkdtemp())


def _model(data: bytes) -> None:
    """The input is what a header's manifest is made of: the sound one, changed as it says."""
    spoil_folder(PLACE / "sound", PLACE / "model", _Chooser(data))
    use(PLACE / "model")


class _Chooser(Random):
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


def _corpus(name: str) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        file = PLACE / name
        file.write_bytes(data)
        for chunk in undertow.open_corpus(file).chunks(100):
            assert chunk.height <= 100

    return read


def _curation(data: bytes) -> None:
    file = PLACE / ("made.toml" if data[:1] == b"t" else "made.json")
    file.write_bytes(data)
    found = Curation.load(file)
    MODEL.apply_curation(found)


def _npy(data: bytes) -> None:
    file = PLACE / "made.npy"
    file.write_bytes(data)
    map_npy(file).sum()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "model": _model,
    "curation": _curation,
    "npy": _npy,
    **{name: _corpus(f"made.{name}") for name in ("jsonl", "csv", "tsv", "txt", "parquet")},
}
MODEL: Any = None


def main() -> None:
    """Fuzzes until told to stop; whatever is no worded error ends it, with its input kept."""
    global MODEL
    logging.getLogger("undertow").setLevel(logging.CRITICAL)
    target = TARGETS[sys.argv.pop(1)]
    MODEL = undertow.TopicModel(8, stop_words="english", max_epochs=5, random_state=0).fit(TEXTS)
    MODEL.save(PLACE / "sound")
    reseal(PLACE / "sound")

    def once(data: bytes) -> None:
        try:
            target(data)
        except UndertowError as error:
            if "\n" in str(error):
                raise RuntimeError("an error of several lines") from error

    atheris.Setup(sys.argv, once)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
