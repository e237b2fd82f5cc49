"""`undertow export`: a model as one file that encodes texts where undertow is not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from undertow.cli import _tables, common
from undertow.cli._shown import say

ARCHIVES = (".pyz", ".zip")


def export(
    model: common.ModelArgument,
    out: Annotated[Path, typer.Option(help="The file to write: .pyz or .zip.")] = Path(
        "encoder.pyz"
    ),
    n: Annotated[
        int | None,
        typer.Option(
            "-n", min=2, help="Shares of how many topics; the model's own number unless given."
        ),
    ] = None,
    half: Annotated[
        bool,
        typer.Option("--half", help="Numbers of half precision: half the size, three digits."),
    ] = False,
    force: common.Force = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Write a file that gives vectors and topics of texts, and needs Python and NumPy alone.

    It holds the model's arrays and words, and the module undertow_encoder, which Python imports
    from it. As a program it reads a text from each line, and writes a list of numbers for each.

    Examples:

        undertow export model --out encoder.pyz

        undertow export model --out small.pyz --half -n 20
    """
    _tables.check_ending(out, ARCHIVES)
    common.check_free(out, force)
    trained = _model(str(model))
    from undertow.portable import write_encoder

    precision = "half" if half else "single"
    write_encoder(trained, out, n=n, precision=precision, overwrite=force)
    facts: dict[str, Any] = {"out": str(out), "bytes": out.stat().st_size}
    if json:
        common.print_json(facts)
    elif not quiet:
        say(f"Wrote {out}: {facts['bytes'] / 1e6:.1f} MB. Try: python {out} < texts.txt")


def _model(path: str) -> Any:
    """A model of any kind, or the one of an index."""
    if common.is_index(path):
        return common.load_topic_model(path)
    from undertow.estimators import load

    return load(path)
