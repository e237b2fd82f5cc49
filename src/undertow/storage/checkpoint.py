"""A training run on disk: saved between any two minibatches, and resumed to the bit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput, ModelFileError
from undertow.learn import EpochRecord, Run
from undertow.learn.registry import described
from undertow.storage import _json
from undertow.storage._arrays import Array
from undertow.storage._json import JSON
from undertow.storage.folder import read_folder, write_folder
from undertow.storage.model import NOISE, SUM_TOLERANCE
from undertow.storage.training_facts import check_position

KIND = "run"
MOST_STEPS = 2**53
BESIDE = "beside."  # what the names of arrays begin with that are no run's
TALLY = ("loss", "documents", "tokens", "seconds", "waited")


def save_run(
    path: str | os.PathLike[str],
    run: Run,
    *,
    facts: Mapping[str, JSON] | None = None,
    arrays: Mapping[str, Array] | None = None,
) -> Path:
    """Writes the whole state of a run; an earlier state in the same folder is replaced.

    Parameters
    ----------
    path : path
        The folder.
    run : undertow.Run
        The run, between any two minibatches.
    facts, arrays : mapping or None
        What is to be known beside the run: anything that JSON can hold, and numbers by name.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    InvalidInput
        Where learner or optimizer are not registered.
    ModelFileError
        Where the folder cannot be written, or holds something else.

    Examples
    --------
    >>> from undertow.storage import save_run
    >>> save_run("run", train(begin(), source, epochs=1)).name
    'run'
    """
    manifest: dict[str, Any] = {
        "settings": _described(run),
        "documents": run.documents,
        "longest": run.longest,
        "position": {"epoch": run.epoch, "batch": run.batch, "steps": run.steps},
        "history": [asdict(record) for record in run.history],
        "tally": {name: getattr(run.tally, name) for name in TALLY},
        "facts": dict(facts or {}),
    }
    named = {BESIDE + name: array for name, array in (arrays or {}).items()}
    return write_folder(
        path, kind=KIND, manifest=manifest, arrays=run.arrays() | named, overwrite=True
    )


def resume_run(path: str | os.PathLike[str], run: Run) -> Run:
    """Brings a new run to a saved state.

    Parameters
    ----------
    path : path
        The folder that `save_run` wrote.
    run : undertow.Run
        A new run. Its settings and sizes have to be those of the saved one.

    Returns
    -------
    undertow.Run
        The same run, which goes on as the saved one would have, to the bit.

    Raises
    ------
    ModelFileError
        Where there is no run, or one of other settings or sizes.

    Examples
    --------
    >>> from undertow.storage import resume_run, save_run
    >>> folder = save_run("stopped", train(begin(), source, epochs=1))
    >>> run = train(resume_run(folder, begin()), source, epochs=2)
    >>> [record.epoch for record in run.history]
    [0, 1]
    """
    return read_run(path).resume(run)


@dataclass(frozen=True)
class SavedRun:
    """A saved state that was read: the run's, and the `facts` and `beside` that were saved with it.

    Parameters
    ----------
    path : path
        Where it was read, for errors.
    manifest, arrays : dict
        What is in the folder.
    """

    path: Path
    manifest: dict[str, Any]
    arrays: dict[str, Array]

    @property
    def facts(self) -> dict[str, Any]:
        """What was saved as `facts`."""
        found = self.manifest.get("facts")
        return dict(found) if isinstance(found, dict) else {}

    @property
    def beside(self) -> dict[str, Array]:
        """What was saved as `arrays`."""
        return {
            name.removeprefix(BESIDE): array
            for name, array in self.arrays.items()
            if name.startswith(BESIDE)
        }

    def resume(self, run: Run) -> Run:
        """As `resume_run`."""
        manifest, path = self.manifest, self.path
        own_settings = _described(run)
        unsaid = {"replicas": 1, "interval": own_settings["interval"]}  # by earlier versions
        told = manifest.get("settings")
        told = unsaid | told if isinstance(told, dict) else told
        _check_same("settings", told, own_settings, path)
        for name in ("documents", "longest"):
            _check_same(name, manifest.get(name), getattr(run, name), path)
        try:
            check_position(manifest)
            for name, array in self.arrays.items():
                _check_numbers(name, array)
        except InvalidInput as error:
            raise ModelFileError(f"{path} must hold the state of a run: {error}") from error
        arrays = {name: a for name, a in self.arrays.items() if not name.startswith(BESIDE)}
        _check_arrays(arrays, run.arrays(), path)
        try:
            # earlier versions did not measure what was waited
            position, tally = manifest["position"], {"waited": 0.0, **manifest["tally"]}
            run.epoch, run.batch, run.steps = (
                position["epoch"],
                position["batch"],
                position["steps"],
            )
            run.history = [EpochRecord(**record) for record in manifest["history"]]
            for name in TALLY:
                setattr(run.tally, name, tally[name])
        except (KeyError, TypeError) as error:
            raise ModelFileError(
                f"{path} must hold the position and history of a run, got none that fits: {error}"
            ) from error
        run.restore(arrays)
        return run


def read_run(path: str | os.PathLike[str]) -> SavedRun:
    """The state that `save_run` wrote, for a run that is not made yet."""
    return SavedRun(Path(path), *read_folder(path, kind=KIND))


def _check_arrays(
    arrays: Mapping[str, Array], own: Mapping[str, Array], path: str | os.PathLike[str]
) -> None:
    _check_same("arrays", sorted(arrays), sorted(own), path)
    for name, array in own.items():
        saved = arrays[name]
        _check_same(
            f"the form of {name}", (saved.shape, saved.dtype), (array.shape, array.dtype), path
        )


def _described(run: Run) -> dict[str, Any]:
    """The settings of a run as plain data; learner and optimizer are named by their classes."""
    settings = run.settings
    found = asdict(settings)
    found |= {"learner": described(settings.learner), "optimizer": described(settings.optimizer)}
    plain: dict[str, Any] = _json.plain(
        "settings", found
    )  # a pair of noise levels comes back as a list
    return plain


def _check_numbers(name: str, array: NDArray[Any]) -> None:
    """Those of a state are finite, and those that count are not negative."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise InvalidInput(f"{name} must be finite, got others among its values")
    if array.dtype.kind == "i" and array.size and not 0 <= array.min() <= array.max() < MOST_STEPS:
        raise InvalidInput(f"{name} must be from 0 to {MOST_STEPS}, got others among its values")
    total = array.sum(dtype=np.float64) if name == NOISE else 1.0
    if name == NOISE and not (array.min(initial=1.0) >= 0 and abs(total - 1) < SUM_TOLERANCE):
        raise InvalidInput(f"{name} must be shares that add up to 1, got others")


def _check_same(name: str, saved: object, own: object, path: str | os.PathLike[str]) -> None:
    if saved != own:
        raise ModelFileError(
            f"{path} holds a run that differs in {name}: it must be {own}, got {saved!s:.600}"
        )
