"""`undertow search`: ask an index."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from undertow.cli import common

if TYPE_CHECKING:
    from rich.text import Text

    from undertow.search import Hit, Index, Reason

SHOWN = 240  # characters of a document
FIELD = 40  # characters of another column


class Mode(StrEnum):
    """How documents are ranked."""

    SEMANTIC = "semantic"
    CODE = "code"
    TEXT = "text"
    HYBRID = "hybrid"


def search(
    index: common.IndexArgument,
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
    numbers, TRUE, FALSE, DATE '2026-01-31' and TIMESTAMP '2026-01-31 12:00:00'. Columns go by the names that the corpus
    gave them; one with spaces or signs is written "in quotes".

    Examples:

        undertow search news "a rocket to the moon" -n 5

        undertow search news --like train/sci.space/60774 --where "label IN ('sci.space', 'sci.med')"

        undertow search news "graphics card" --mode hybrid --json

    Without QUERY and --like, on a terminal, it asks for questions, as undertow shell does.
    """
    if query is None and like is None:
        from undertow.cli.shell import for_questions

        for_questions(index, n=n, where=where, mode=mode, json=json, quiet=quiet)
        return
    answer(common.open_index(index), query, n, like=like, where=where, mode=mode, json=json, quiet=quiet)


def answer(
    index: Index,
    query: str | None,
    n: int,
    *,
    like: str | None = None,
    where: str | None,
    mode: Mode,
    json: bool = False,
    quiet: bool,
) -> list[Hit]:
    """Asks and prints; gives what was found."""
    hits = index.search(query, n, like=like, where=where, mode=mode.value)
    if json:
        common.print_json({"results": [_plain(hit) for hit in hits]})
        return hits
    if not hits and not quiet:
        typer.echo(_why_nothing(index, query, mode), err=True)
    _print(hits)
    return hits


def _plain(hit: Hit) -> dict[str, Any]:
    """A hit as JSON: what has a role beside its id, all other columns under "kept"; dates in ISO 8601."""
    fields = {name: _value(value) for name, value in hit.fields.items()}
    own = ("title", "label", "split", "time", "url")
    known: dict[str, Any] = {name: fields.pop(name) for name in own if name in fields}
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

    console = Console(highlight=False)
    for number, hit in enumerate(hits, start=1):
        for line in _lines(number, hit):
            console.print(line, overflow="ellipsis")
        for reason in hit.reasons:
            console.print(_because(reason))


def _lines(number: int, hit: Hit) -> Iterator[Text]:
    """The headline, which is a link on a terminal that knows them; the link itself; the beginning of the text."""
    from rich.style import Style
    from rich.text import Text

    name = f"  {clean(hit.id)}" if hit.title else ""
    head = Text(f"{number:>2}. ").append(clean(hit.title or hit.id), Style(bold=True, link=hit.url))
    yield head.append(f"{name}  {hit.score:.3f}  {_fields(hit)}".rstrip(), "dim")
    if hit.url:
        yield Text("    ").append(hit.url, Style(dim=True, link=hit.url))
    body = clean(hit.body[: 4 * SHOWN])[:SHOWN]
    if body:
        yield Text(f"    {body}")


def _fields(hit: Hit) -> str:
    """What else is known, each shortened."""
    known = {name: value for name, value in hit.fields.items() if name not in ("title", "url") and value is not None}
    return ", ".join(f"{clean(name)} {_short(clean(str(value)[: 4 * FIELD]))}" for name, value in known.items())


def _short(text: str) -> str:
    return text if len(text) <= FIELD else text[: FIELD - 1] + "…"


def _because(reason: Reason) -> Text:
    from rich.text import Text

    asked, given = (", ".join(part.word for part in parts) for parts in (reason.question_words, reason.words))
    return Text(f"    {reason.part:.3f} {reason.name}: asked {asked or '-'}; here {given or '-'}", "dim")


def clean(text: str) -> str:
    """On one line, without control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in " ".join(text.split()))
