"""Checkpoints of training on a cluster: a folder of the machine that leads, from which the same
command goes on.

`of` says which training it is: workers and documents; `run` is the run, as `save_run` writes it.
The corpus is read and counted again, which gives the same numbers again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from undertow._errors import ModelFileError
from undertow.storage import (
    checkpoint_folder,
    read_folder,
    resume_run,
    save_run,
    write_folder,
)
from undertow.storage.checkpoint_folder import OF, RUN

if TYPE_CHECKING:
    from undertow.estimators._shared_documents import SharedSource
    from undertow.learn import Run

KIND = "cluster training"


def checkpoint_of(source: SharedSource, run: Run) -> Callable[[Run], None] | None:
    """What saves the run, if there is a folder for that, which whoever fits has taken; the run goes
    on from what is there.
    """
    settings = source.crew.settings
    if settings.checkpoint is None:
        return None
    folder, ours = Path(settings.checkpoint), _description(source, run)
    if checkpoint_folder.holds_one(folder):
        manifest, _ = read_folder(folder / OF, kind=KIND)
        _check_same(manifest, ours, folder)
        if checkpoint_folder.holds_run(folder):
            resume_run(folder / RUN, run)
            source.crew.remark(
                f"training goes on from {folder}: epoch {run.epoch + 1}, minibatch {run.batch + 1}"
            )
    else:
        write_folder(folder / OF, kind=KIND, manifest=ours, arrays={})

    def save(run: Run) -> None:
        save_run(folder / RUN, run)

    return save


def _description(source: SharedSource, run: Run) -> dict[str, Any]:
    """All that decides what workers do, besides the settings of the run."""
    settings = run.settings if source.settings is None else source.settings
    digest = hashlib.sha256(run.noise_distribution.tobytes())
    digest.update(source.word_weights.tobytes())
    return {
        "workers": source.crew.size,
        "replicas": settings.replicas,
        "interval": settings.interval,
        "documents": source.parts,
        "words": digest.hexdigest(),
    }


def _check_same(saved: dict[str, Any], ours: dict[str, Any], folder: Path) -> None:
    for name, own in ours.items():
        if saved.get(name) != own:
            raise ModelFileError(
                f"{folder} must hold a checkpoint of the same training, got another: its {name} "
                f"{saved.get(name)!r:.80} are not {own!r:.80}"
            )
