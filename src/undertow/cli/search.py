"""`undertow search`: ask an index."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from undertow.cli import common
from undertow.cli._shown import new_console, say

if TYPE_CHECKING:
    from rich.text import Text

    from undertow.search import Hit, Index, Results, Why

SHOWN = 240  # characters of a document
FIELD = 40  # characters of another column
NAMED = 4  # documents that are nearly the same, and words that are missing


class Mode(StrEnum):
    """How documents are ranked."""

    HYBRID = "hybrid"
    SEMANTIC = "semantic"
    TEXT = "text"
    CODE = "code"


def search(
    index: common.IndexArgument,
    query: Annotated[
        str | None, typer.Argument(metavar="[QUERY]", help="Words, or a whole paragraph.")
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Documents shown, the best first.")] = 10,
    like: Annotated[
        str | None, typer.Option(metavar="ID", help="Instead of QUERY: the id of a document.")
    ] = None,
    vector: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.npy",
            help="What the encoder whose vectors the index was made with gives to QUERY: one row. "
            "Without it, documents are compared by undertow's side alone.",
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(help="A filter, such as \"label = 'sci.space' AND NOT split = 'test'\"."),
    ] = None,
    mode: Annotated[
        Mode,
        typer.Option(
            help=(
                "By words and meaning, by meaning alone, by words alone (BM25), or by codes, a bit "
                "for each unit."
            )
        ),
    ] = Mode.HYBRID,
    duplicates: Annotated[
        bool,
        typer.Option("--duplicates", help="Show documents that are nearly the same one by one."),
    ] = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Search an index, and say why: the words that a document shares with the query, and the
    topics.

    Words that no document holds give way to similar ones, and that is said. Scores are shares of
    the best possible. Documents that are nearly the same are shown as one.

    Filters know = != < <= > >=, IN (...), LIKE '...', IS NULL, AND, OR, NOT and parentheses;
    literals are 'text', numbers, TRUE, FALSE, DATE '2026-01-31' and TIMESTAMP '2026-01-31
    12:00:00'. Columns go by the names that the corpus gave them; one with spaces or signs is
    written "in quotes".

    Examples:

        undertow search news "a rocket to the moon" -n 5

        undertow search news --like train/sci.space/60774 --where "label IN ('sci.space',
        'sci.med')"

        undertow search news "graphics card" --mode text --json

        undertow search reviews "a slow film" --vector question.npy

    Without QUERY and --like, on a terminal, it asks for questions, as undertow shell does.
    """
    if query is None and like is None and vector is None:
        from undertow.cli.shell import for_questions

        for_questions(index, n=n, where=where, mode=mode, json=json, quiet=quiet)
        return
    asked: dict[str, Any] = {
        "like": like,
        "vector": _vector(vector),
        "where": where,
        "mode": mode,
        "duplicates": duplicates,
    }
    answer(common.open_index(index), query, n, **asked, json=json, quiet=quiet)


def answer(
    index: Index,
    query: str | None,
    n: int,
    *,
    like: str | None = None,
    vector: Any = None,
    where: str | None,
    mode: Mode,
    duplicates: bool = False,
    json: bool = False,
    quiet: bool,
) -> list[Hit]:
    """Asks and prints; gives what was found."""
    found = index.search(
        query, n, like=like, vector=vector, where=where, mode=mode.value, duplicates=duplicates
    )
    if json:
        facts = {"corrected": found.corrected, "hint": found.hint}
        common.print_json({"results": [_plain(hit) for hit in found], **facts})
        return found
    if not quiet:
        _remark(found)
    _print(found)
    return found


def _vector(file: Path | None) -> Any:
    """The one vector in a file."""
    if file is None:
        return None
    from undertow.storage.npy import map_npy

    return map_npy(file, name="vector", dimensions=(1, 2))


def _remark(found: Results) -> None:
    """What was searched for instead, and that nothing good was found, on standard error."""
    for typed, other in found.corrected.items():
        say(f"No document holds {clean(typed)!r}: searched for {clean(other)!r} instead.", err=True)
    if found.hint:
        say(clean(found.hint), err=True)


def _plain(hit: Hit) -> dict[str, Any]:
    """A hit as JSON: what has a role beside its id, all other columns under "kept"; dates in ISO
    8601.
    """
    fields = {name: _value(value) for name, value in hit.fields.items()}
    own = ("title", "label", "split", "time", "url")
    known: dict[str, Any] = {name: fields.pop(name) for name in own if name in fields}
    found = {"id": hit.id, "score": hit.score, "text": hit.text, **known, "kept": fields}
    return {**found, "why": asdict(hit.why), "alike": list(hit.alike)}


def _value(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it
    return value.isoformat() if hasattr(value, "isoformat") else value


def _print(hits: list[Hit]) -> None:
    """Texts come from anywhere: control characters are taken out, and nothing in them is markup."""

    console = new_console(highlight=False)
    for number, hit in enumerate(hits, start=1):
        for line in _lines(number, hit):
            console.print(line, overflow="ellipsis")
        if hit.alike:
            console.print(_more(hit.alike))
        if hit.why.words or hit.why.topics:
            console.print(_because(hit.why))


def _lines(number: int, hit: Hit) -> Iterator[Text]:
    """The headline, which is a link on a terminal that knows them; the link itself; the beginning
    of the text.
    """
    from rich.style import Style
    from rich.text import Text

    name = f"  {clean(hit.id)}" if hit.title else ""
    head = Text(f"{number:>2}. ").append(clean(hit.title or hit.id), Style(bold=True, link=hit.url))
    yield head.append(f"{name}  {hit.score:.0%}  {_fields(hit)}".rstrip(), "dim")
    if hit.url:
        yield Text("    ").append(hit.url, Style(dim=True, link=hit.url))
    body = clean(hit.body[: 4 * SHOWN])[:SHOWN]
    if body:
        yield Text(f"    {body}")


def _fields(hit: Hit) -> str:
    """What else is known, each shortened."""
    known = {
        name: value
        for name, value in hit.fields.items()
        if name not in ("title", "url") and value is not None
    }
    return ", ".join(
        f"{clean(name)} {_short(clean(str(value)[: 4 * FIELD]))}" for name, value in known.items()
    )


def _short(text: str) -> str:
    return text if len(text) <= FIELD else text[: FIELD - 1] + "…"


def _more(alike: Sequence[str]) -> Text:
    """Documents that are nearly the same as the one shown."""
    from rich.text import Text

    names = ", ".join(clean(name) for name in alike[:NAMED]) + (
        ", ..." if len(alike) > NAMED else ""
    )
    return Text(f"    {len(alike):,} more like this: {names}", "dim")


def _because(why: Why) -> Text:
    """The words and topics that it shares with the question."""
    from rich.text import Text

    line = Text("    ", "dim")
    if why.words:
        line.append("has ").append(", ".join(clean(part.word) for part in why.words), "bold")
        line.append(f"; not {', '.join(map(clean, why.missing[:NAMED]))}" if why.missing else "")
    if why.topics:
        names = [f"{clean(topic.name)} ({topic.part:.0%})" for topic in why.topics]
        line.append("; about " if why.words else "about ").append("; ".join(names))
    return line


def clean(text: str) -> str:
    """On one line, without control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in " ".join(text.split()))
