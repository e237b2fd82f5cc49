"""What there is to show of a training: a panel each for loss, retrieval, activity and speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from undertow._errors import InvalidInput

if TYPE_CHECKING:
    from undertow.estimators import ReplicatedSoftmax, TopicModel
    from undertow.learn import EpochRecord


@dataclass(frozen=True)
class Panel:
    """A figure of each epoch: what it is, its values, and how they are written."""

    title: str
    values: list[Any]
    form: str
    ticks: str = ""


def panels(model: TopicModel | ReplicatedSoftmax) -> tuple[list[int], list[Panel]]:
    """The epochs (the first is 1), and what there is to show of them."""
    softmax: Any = getattr(model, "softmax_", model)
    records: list[EpochRecord] = softmax.history_
    if not records:
        raise InvalidInput("model must have a history of training, got none")
    shown = [Panel("loss", [record.loss for record in records], ".4f")]
    if any(record.split_half is not None for record in records):
        shown.append(
            Panel("split-half retrieval (MRR)", [record.split_half for record in records], ".3f")
        )
    shown.append(Panel("share of units on", [record.activity for record in records], ".1%", ".1~%"))
    speeds = [record.tokens / max(record.seconds, 1e-9) / 1e6 for record in records]
    shown.append(Panel("million tokens a second", speeds, ".2f"))
    if any(record.dead_units for record in records):
        shown.append(
            Panel("units always on or off", [record.dead_units for record in records], "d")
        )
    return [record.epoch + 1 for record in records], shown
