"""`undertow info`: how a model was made, or what an index holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from undertow.cli import common


def info(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL|INDEX", help="A folder of `undertow fit` or `undertow index`.")
    ],
    json: common.Json = False,
    quiet: common.Quiet = False,
    seed: common.Seed = 0,
    debug: common.Debug = False,
) -> None:
    """Show how a model was made: sizes, settings, and how its training ended. Of an index: documents, version, size.

    Examples:

        undertow info model

        undertow info model --json
    """
    facts = _facts_of_index(model) if _is_index(model) else _facts(common.load_topic_model(model), str(model))
    if json:
        common.print_json(facts)
        return
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        typer.echo(f"{name:{width}s}  {value}")


def _is_index(path: Path) -> bool:
    return (path / "index.json").is_file()


def _facts_of_index(path: Path) -> dict[str, Any]:
    from undertow.search import Index

    return Index.open(path).info()


def _facts(model: Any, path: str) -> dict[str, Any]:
    softmax = model.softmax_
    record = softmax.history_[-1] if softmax.history_ else None
    return {
        "model": path,
        "topics": softmax.n_components,
        "words": len(model.vectorizer_.vocabulary_),
        "learner": str(softmax.learner),
        "weighting": str(softmax.weighting if isinstance(softmax.weighting, str) else "given or none"),
        "count_transform": softmax.count_transform,
        "features": softmax.features,
        "epochs": softmax.n_iter_,
        "loss": record.loss if record else None,
        "dead_units": record.dead_units if record else None,
        "training_seconds": sum(line.seconds for line in softmax.history_),
    }
