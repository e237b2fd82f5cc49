"""`undertow info`: how a model was made, or what an index holds."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from undertow.cli import common
from undertow.cli._shown import say


def info(
    model: common.ModelArgument,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Read all files of an index, and compare them with what was written."
        ),
    ] = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Show how a model was made: topics, sizes, settings, end of training. Of an index: documents,
    version, size.

    Examples:

        undertow info model

        undertow info model --json

        undertow info index --check
    """
    facts = (
        _facts_of_index(model, check=check)
        if common.is_index(model)
        else _facts(common.load_topic_model(model), str(model))
    )
    if json:
        common.print_json(facts)
        return
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        say(f"{name:{width}s}  {value}")


def _facts_of_index(path: str, *, check: bool) -> dict[str, Any]:
    from undertow.search import Index

    index = Index.open(path)
    if not check:
        return index.info()
    found = index.check()
    unlisted = f", {found.unlisted} of them on no list" if found.unlisted else ""
    said = f"{found.files} files of {found.bytes:,} bytes are as they were written{unlisted}"
    return {**index.info(), "check": said}


def _facts(model: Any, path: str) -> dict[str, Any]:
    softmax = model.softmax_
    record = softmax.history_[-1] if softmax.history_ else None
    return {
        "model": path,
        **_topics(model),
        "units": softmax.n_components,
        "words": len(model.vectorizer_.vocabulary_),
        "learner": str(softmax.learner),
        "weighting": str(
            softmax.weighting if isinstance(softmax.weighting, str) else "given or none"
        ),
        "count_transform": softmax.count_transform,
        "features": softmax.features,
        "epochs": softmax.n_iter_,
        "loss": record.loss if record else None,
        **_dead(softmax),
        "training_seconds": sum(line.seconds for line in softmax.history_),
    }


def _dead(softmax: Any) -> dict[str, Any]:
    """How many units are dead, and which; a model of an earlier version knows how many."""
    if softmax.dead_units_ is not None:
        return {
            "dead_units": len(softmax.dead_units_),
            "dead_unit_ids": softmax.dead_units_.tolist(),
        }
    record = softmax.history_[-1] if softmax.history_ else None
    return {"dead_units": record.dead_units if record else None, "dead_unit_ids": None}


def _topics(model: Any) -> dict[str, Any]:
    """The topics of the model's own cut, and what was done to them; a model of an earlier version
    has none.
    """
    if not hasattr(model, "atlas_"):
        return {"topics": None, "smallest_topics": None, "curation": None}
    kinds = Counter(action.kind for action in model.curation_.actions)
    return {
        "topics": len(model.topic_names()),
        "smallest_topics": len(model.atlas_.tree.leaves),
        "curation": ", ".join(f"{number} {kind}" for kind, number in kinds.items()) or "none",
    }
