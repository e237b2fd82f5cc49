"""`undertow units`: the hidden units of a model, as a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from undertow.cli import common
from undertow.cli._shown import new_console


def units(
    model: common.ModelArgument,
    n: Annotated[int, typer.Option("-n", min=1, help="Units shown, the most active first.")] = 20,
    n_words: Annotated[int, typer.Option(min=1, help="Words shown of each.")] = 8,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Show the hidden units of a model: how often each is on, and the words that switch it on and
    off.

    Units are the features that document vectors are made of. For topics that people read: undertow
    topics.

    Examples:

        undertow units model

        undertow units model -n 50 --n-words 12

        undertow units model --json > units.json
    """
    records = common.load_topic_model(model).units(n_words=n_words)[:n]
    if json:
        common.print_json([asdict(record) for record in records])
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=f"{len(records)} hidden units of {escape(str(model))}")
    for name, justify in (
        ("id", "right"),
        ("on in", "right"),
        ("words that switch it on", "left"),
        ("off", "left"),
    ):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for record in records:
        up, down = (
            ", ".join(weight.word for weight in words) for words in (record.up, record.down[:4])
        )
        table.add_row(str(record.id), f"{record.activity:.1%}", escape(up), escape(down))
    new_console().print(table)
