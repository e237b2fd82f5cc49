"""A fit that is saved while it goes on: the folder that `checkpoint` names.

`of` says which fit it is (options, seed, a digest of the counts), `run` is the run, as `save_run`
writes it, with what stands beside it: early stopping, the noise level that was chosen, and whether
training is over. Both are replaced whole, so that a kill at any moment leaves one that is complete.
Texts are read and counted again, and must give the same counts.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput, ModelFileError
from undertow.estimators import _saved_options
from undertow.estimators._interrupts import Interrupts
from undertow.learn import Run
from undertow.storage import checkpoint_folder, save_run, write_folder
from undertow.storage.checkpoint import SavedRun, read_run
from undertow.storage.training_facts import check_choices

if TYPE_CHECKING:
    from undertow.estimators._fitting import EarlyStopping
    from undertow.estimators.replicated_softmax import ReplicatedSoftmax

USUAL = "10min"
KIND = "training"

_log = logging.getLogger("undertow")


@contextmanager
def saving_to(
    folder: str | os.PathLike[str] | None, every: object, resume: bool, estimator: Any
) -> Iterator[Saving | None]:
    """The checkpoint of a fit with these arguments; None where none is asked for."""
    amount, unit = _check.how_often("checkpoint_every", USUAL if every is None else every)
    if folder is None:
        _check.only_with("checkpoint", {"resume": resume, "checkpoint_every": every})
        yield None
        return
    if estimator.warm_start and estimator.__sklearn_is_fitted__():
        raise InvalidInput(
            "checkpoint must be left out where warm_start goes on from a fitted model, got "
            f"{os.fspath(folder)!r}"
        )
    options = _saved_options.plain_options(estimator)
    place = Path(os.path.abspath(folder))
    with checkpoint_folder.taken(place, resume=resume):
        yield Saving(place, (amount, unit), options)


class Saving:
    """The checkpoint of one fit, from its beginning to its end."""

    def __init__(self, folder: Path, every: tuple[float, str], options: dict[str, Any]) -> None:
        self.folder, self._every, self._options = folder, every, options
        self.name, self.words = "X", ""  # of counts; `for_texts` says those of texts
        self._of: dict[str, Any] | None = None
        self._run: SavedRun | None = None
        self._beside: dict[str, Any] = {}
        self._stopping: EarlyStopping | None = None
        self._saved, self._steps, self._epoch = time.monotonic(), 0, 0
        self._interrupts = Interrupts()
        if checkpoint_folder.holds_one(folder):
            self._of = checkpoint_folder.read_of(folder, KIND)
            _saved_options.check_options(self._of["options"], options, folder)
            if checkpoint_folder.holds_run(folder):
                self._run = _sound_run(folder / checkpoint_folder.RUN, options)

    # What a fit that goes on takes from here

    @property
    def seed(self) -> int | None:
        """That of the fit that is gone on with; None for a new one."""
        return None if self._of is None else int(self._of["seed"])

    @property
    def level(self) -> tuple[Any, dict[float, float]] | None:
        """The noise level that was chosen by trials, and the figure of each."""
        if self._run is None or "level" not in self._run.facts:
            return None
        facts = self._run.facts
        return facts["level"], {float(level): figure for level, figure in facts["scores"]}

    def watches(self, wanted: bool) -> bool:
        """Whether split-half retrieval is looked at after each epoch, which shows in the last bits
        of averages: so a fit goes on as it began.
        """
        return bool(self._run.facts.get("watched")) if self._run is not None else wanted

    # The way of a fit

    def for_texts(self, words: Sequence[str]) -> None:
        """Counts are those of texts, with these words."""
        self.name, self.words = "corpus", "\n".join(words)

    def begin(self, seed: int, counts: Any, start: Any) -> None:
        """Which fit it is: compared with what is there, or written."""
        ours = {
            "seed": seed,
            "corpus": _saved_options.corpus_facts(counts, self.words),
            "start": _saved_options.plain(start),
        }
        if self._of is not None:
            _saved_options.check_corpus(self._of["corpus"], ours["corpus"], self.folder, self.name)
            if self._of["start"] != ours["start"]:
                raise InvalidInput(
                    f"word_vectors must be those of the checkpoint {self.folder}, got others"
                )
            return
        manifest = {"options": self._options, **ours}
        write_folder(self.folder / checkpoint_folder.OF, kind=KIND, manifest=manifest, arrays={})

    def join(
        self,
        run: Run,
        model: ReplicatedSoftmax,
        stopping: EarlyStopping | None,
        watched: bool,
    ) -> bool:
        """Brings the run to where it was, and begins to save it; says whether it is at its end."""
        self._stopping, self._beside = stopping, {"watched": watched}
        if hasattr(model, "noise_level_scores_"):
            self._beside["level"] = model.noise_level_
            self._beside["scores"] = [[*pair] for pair in model.noise_level_scores_.items()]
        if self._run is None:
            self._save(run, done=False)
            return False
        found, self._run = self._run, None
        found.resume(run)
        if stopping is not None:
            stopping.restore(found.facts["stopping"], found.beside, run)
        done = bool(found.facts.get("done"))
        self._saved, self._steps, self._epoch = time.monotonic(), run.steps, run.epoch
        where = "its end" if done else f"epoch {run.epoch + 1}, minibatch {run.batch + 1}"
        _log.warning("training goes on from %s: %s", self.folder, where)
        return done

    def interruptible(self) -> Interrupts:
        """A context in which Ctrl-C waits for the next moment at which a run can be saved."""
        return self._interrupts

    def batch(self, run: Run) -> None:
        """Between two minibatches, or two meetings of replicas."""
        if self._interrupts.asked:
            self._save(run, done=False)
            self._interrupts.come()
        amount, unit = self._every
        if unit == "seconds":
            due = time.monotonic() - self._saved >= amount
        else:
            due = unit == "steps" and run.steps - self._steps >= amount
        if due:
            self._save(run, done=False)

    def epoch(self, run: Run) -> None:
        """Between two epochs."""
        amount, unit = self._every
        if unit == "epochs" and run.epoch - self._epoch >= amount:
            self._save(run, done=False)

    def end(self, run: Run) -> None:
        """After the last epoch."""
        self._save(run, done=True)

    def _save(self, run: Run, *, done: bool) -> None:
        """A disk that is full meanwhile ends no training: what was saved before is whole."""
        facts: dict[str, Any] = {**self._beside, "done": done}
        arrays: dict[str, NDArray[Any]] = {}
        if self._stopping is not None:
            facts["stopping"], arrays = self._stopping.state()
        try:
            save_run(self.folder / checkpoint_folder.RUN, run, facts=facts, arrays=arrays)
        except ModelFileError as error:
            _log.warning("the checkpoint could not be written, training goes on: %s", error)
        self._saved, self._steps, self._epoch = time.monotonic(), run.steps, run.epoch


def _sound_run(folder: Path, options: Mapping[str, Any]) -> SavedRun:
    """The run in a checkpoint, with what was chosen on the way; a stranger may have written it."""
    found = read_run(folder)
    try:
        check_choices(found.facts, stopping=bool(options.get("early_stopping")))
    except InvalidInput as error:
        raise ModelFileError(f"{folder} must hold the choices of a fit: {error}") from error
    return found
