"""`undertow search`: ask an index."""

from __future__ import annotations

import math
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from undertow.cli import common
from undertow.cli.index import IndexArgument

if TYPE_CHECKING:
    from rich.text import Text

    from undertow.search import Hit, Index, Reason

SHOWN = 240  # characters of a document


class Mode(StrEnum):
    """How documents are ranked."""

    SEMANTIC = "semantic"
    CODE = "code"
    TEXT = "text"
    HYBRID = "hybrid"


def search(
    index: IndexArgument,
    query: Annotated[str | None, typer.Argument(metavar="[QUERY]", help="Words, or a whole paragraph.")] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Documents shown, the best first.")] = 10,
    like: Annotated[str | None, typer.Option(metavar="ID", help="Instead of QUERY: the id of a document.")] = None,
    where: Annotated[
        str | None, typer.Option(help="A filter, such as \"label = 'sci.space' AND NOT split = 'test'\".")
    ] = None,
    mode: Annotated[
        Mode, typer.Option(help="By meaning, by 16-byte codes, by words (BM25), or by meaning and words.")
    ] = Mode.SEMANTIC,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Search an index, and say why: the topics that a document shares with the query, and the words that carried them.

    Filters know = != < <= > >=, IN (...), LIKE '...', IS NULL, AND, OR, NOT and parentheses; literals are 'text',
    numbers, TRUE, FALSE, DATE '2026-01-31' and TIMESTAMP '2026-01-31 12:00:00'.

    Examples:

        undertow search news "a rocket to the moon" -n 5

        undertow search news --like train/sci.space/60774 --where "label IN ('sci.space', 'sci.med')"

        undertow search news "graphics card" --mode hybrid --json
    """
    from undertow.search import Index

    opened = Index.open(index)
    hits = opened.search(query, n, like=like, where=where, mode=mode.value)
    if json:
        common.print_json({"results": [_plain(hit) for hit in hits]})
        return
    if not hits and not quiet:
        typer.echo(_why_nothing(opened, query, mode), err=True)
    _print(hits)


def _plain(hit: Hit) -> dict[str, Any]:
    """A hit as JSON: what every index has beside its id, what was kept on request under "kept"; dates as written."""
    fields = {name: _value(value) for name, value in hit.fields.items()}
    known: dict[str, Any] = {name: fields.pop(name) for name in ("label", "split", "time") if name in fields}
    reasons = [asdict(reason) for reason in hit.reasons]
    return {"id": hit.id, "score": hit.score, "text": hit.text, **known, "kept": fields, "reasons": reasons}


def _value(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it
    return value.isoformat() if hasattr(value, "isoformat") else value


def _why_nothing(index: Index, query: str | None, mode: Mode) -> str:
    if query is not None and mode in (Mode.SEMANTIC, Mode.CODE) and not index.knows(query):
        return "Nothing found: the model knows no word of the query. --mode text looks for the words themselves."
    return "Nothing found."


def _print(hits: list[Hit]) -> None:
    """Texts come from anywhere: control characters are taken out, and nothing in them is markup."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for number, hit in enumerate(hits, start=1):
        fields = ", ".join(f"{name} {value}" for name, value in hit.fields.items() if value is not None)
        line = (
            Text(f"{number:>2}. ").append(_clean(hit.id), "bold").append(f"  {hit.score:.3f}  {_clean(fields)}", "dim")
        )
        console.print(line)
        console.print(Text("    " + _clean(hit.text[: 4 * SHOWN])[:SHOWN]), overflow="ellipsis")
        for reason in hit.reasons:
            console.print(_because(reason))


def _because(reason: Reason) -> Text:
    from rich.text import Text

    asked, given = (", ".join(part.word for part in parts) for parts in (reason.question_words, reason.words))
    return Text(f"    {reason.part:.3f} {reason.name}: asked {asked or '-'}; here {given or '-'}", "dim")


def _clean(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in " ".join(text.split()))
