"""Options of `undertow fit` that keep training safe from kills and power cuts."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

PANEL = "Long fits"

Checkpoint = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="DIR",
        rich_help_panel=PANEL,
        help=(
            "A folder of its own to save training to while it goes on, for --resume. It is removed "
            "once the model is written."
        ),
    ),
]
Every = Annotated[
    str | None,
    typer.Option(
        "--checkpoint-every",
        metavar="5min|1epoch|500steps",
        rich_help_panel=PANEL,
        help=(
            "How often; on a cluster a time. Ctrl-C and SIGTERM save, too.  \\[default: 10min, on "
            "a cluster 5min]"
        ),
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        rich_help_panel=PANEL,
        help=(
            "Go on from the checkpoint, with the same corpus and options; begin where there is "
            "none. A model that an interrupted fit of this checkpoint wrote is replaced."
        ),
    ),
]


def arguments(
    checkpoint: Path | None, every: str | None, resume: bool, *, cluster: bool
) -> dict[str, Any]:
    """What `TopicModel.fit` is given, checked before any work is done."""
    from undertow import _check
    from undertow._errors import InvalidInput

    if every is not None:
        _, unit = _check.how_often("--checkpoint-every", every)
        if cluster and unit != "seconds":
            raise InvalidInput(
                f"--checkpoint-every must be a time such as '5min' on a cluster, got {every!r}"
            )
    if checkpoint is None:
        _check.only_with("--checkpoint", {"--resume": resume, "--checkpoint-every": every})
        return {}
    from undertow.storage import checkpoint_folder

    with checkpoint_folder.taken(checkpoint, resume=resume, name="--checkpoint"):
        pass  # what would be refused later is refused now
    return {"checkpoint": checkpoint, "checkpoint_every": every, "resume": resume}


def is_ours(out: Path, checkpoint: Path | None, resume: bool) -> bool:
    """Whether the model in a place is what an interrupted fit of this checkpoint wrote, which is
    gone on with now.
    """
    if checkpoint is None or not resume:
        return False
    from undertow.storage.checkpoint_folder import KEPT

    try:
        told = json.loads((checkpoint / KEPT).read_bytes())
        return bool(told == _known_by(out))
    except (OSError, ValueError):
        return False


def after(out: Path, checkpoint: Path | None, *, interrupted: bool) -> None:
    """The model is written: a checkpoint of an interrupted fit says which it is, any other goes."""
    if checkpoint is None:
        return
    from undertow.files.atomic import write_file
    from undertow.storage.checkpoint_folder import KEPT, holds_run, remove_checkpoint

    if not interrupted:
        remove_checkpoint(checkpoint)
    elif holds_run(checkpoint):
        write_file(checkpoint / KEPT, json.dumps(_known_by(out)).encode())


def _known_by(out: Path) -> dict[str, str]:
    from undertow.storage.layout import HEADER_FILE

    digest = hashlib.sha256((out / HEADER_FILE).read_bytes()).hexdigest()
    return {"model": os.path.abspath(out), "digest": digest}
