"""A cell: the smallest unit of work. Plain settings in, a few figures out, kept on disk under the
settings' digest.

So a run that was stopped goes on where it was, a table that shares models with a figure costs
nothing more, and a changed setting computes what it touches and nothing else.
"""

from __future__ import annotations

import json
import logging
import time
from abc import abstractmethod
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from undertow._errors import TrainingDiverged
from undertow.paper import files, machine
from undertow.paper.corpora import Corpora, Corpus

logger = logging.getLogger("undertow")

CELL_VERSION = 4  # raise it when the same settings give other figures


@dataclass(frozen=True)
class Cell:
    """Settings of one unit of work; subclasses add theirs, plain values or frozen dataclasses of
    them.
    """

    kind: ClassVar[str]
    alone: ClassVar[bool] = False  # measures time, so nothing else may run

    @property
    @abstractmethod
    def corpora(self) -> tuple[Corpus, ...]:
        """What has to be counted before."""

    @property
    @abstractmethod
    def cost(self) -> float:
        """About how many seconds it takes: long cells go first, and the progress bar counts in
        these.
        """

    @abstractmethod
    def run(self, corpora: Corpora) -> dict[str, Any]:
        """The figures, as plain JSON."""

    @abstractmethod
    def labels(self) -> dict[str, Any]:
        """The settings that tell this cell from its neighbours, as columns of a table."""

    def settings(self) -> dict[str, Any]:
        """Everything that decides the figures, as it comes back from a JSON file."""
        plain: dict[str, Any] = json.loads(
            json.dumps({"kind": self.kind, **asdict(self)}, allow_nan=False)
        )
        return plain

    @property
    def digest(self) -> str:
        """The name of the cell's file."""
        return _digest(self.settings())


@dataclass(frozen=True)
class Record:
    """What is kept of a cell."""

    settings: dict[str, Any]
    figures: dict[str, Any]
    seconds: float
    date: str
    machine: dict[str, Any]

    @property
    def diverged(self) -> bool:
        """Training ended in infinities: that is a result, too."""
        return bool(self.figures.get("diverged"))


class Records:
    """Records in a folder, a file per cell."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, cell: Cell) -> Record | None:
        """What an earlier run found; None where there is nothing, or a file that cannot be
        trusted.
        """
        file = self.file(cell)
        try:
            record = Record(**json.loads(file.read_text(encoding="utf-8")))
            if record.settings == cell.settings() and isinstance(record.figures, dict):
                return record
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, OSError):
            pass
        logger.warning("%s cannot be read and is computed anew", file.name)
        return None

    def write(self, cell: Cell, record: Record) -> None:
        """Keeps a record."""
        files.write_json(self.file(cell), asdict(record))

    def take(self, results: Path) -> int:
        """Keeps the records of results files, such as those of docs/paper/results, where there are
        none of these settings yet; says how many. Of several the newest counts, and results of
        another version are left out.
        """
        newest: dict[Path, Record] = {}
        for file in sorted(results.glob("*.json")):
            document = json.loads(file.read_text(encoding="utf-8"))
            if document.get("cell_version") != CELL_VERSION:
                logger.warning("%s is of another version: its records are left out", file.name)
                continue
            for record in (Record(**found) for found in document["cells"]):
                place = self._place(_digest(record.settings))
                if place not in newest or newest[place].date < record.date:
                    newest[place] = record
        taken = {place: record for place, record in newest.items() if not place.exists()}
        for place, record in taken.items():
            files.write_json(place, asdict(record))
        return len(taken)

    def file(self, cell: Cell) -> Path:
        """Where a cell's record is."""
        return self._place(cell.digest)

    def _place(self, digest: str) -> Path:
        return self._folder / f"{digest}.json"


def _digest(settings: dict[str, Any]) -> str:
    return files.digest({"version": CELL_VERSION, **settings})


def compute(cell: Cell, corpora: Corpora) -> Record:
    """Runs a cell."""
    began = time.perf_counter()
    try:
        figures = cell.run(corpora)
    except TrainingDiverged as error:
        figures = {"diverged": True, "message": str(error)}
    return Record(
        settings=cell.settings(),
        figures=figures,
        seconds=round(time.perf_counter() - began, 3),
        date=datetime.now(UTC).date().isoformat(),
        machine=machine.describe(),
    )
