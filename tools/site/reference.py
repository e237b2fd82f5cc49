"""Pages of reference: every public name from its docstring, every command from its help, the API
of the explorer.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterable
from importlib import import_module
from typing import Any

PACKAGES = {
    "undertow": "What most programs need",
    "undertow.corpus": "Reading and counting texts",
    "undertow.counts": "Sparse counts, weights, minibatches",
    "undertow.learn": "Learners, optimizers, the training loop",
    "undertow.model": "Parameters and their mathematics",
    "undertow.topics": "The tree of topics",
    "undertow.tasks": "Retrieval, classification, coherence",
    "undertow.search": "Indices",
    "undertow.insight": "Overviews, topics over time, exact attribution",
    "undertow.plot": "Figures",
    "undertow.report": "Reports",
    "undertow.portable": "Models where undertow is not installed",
    "undertow.storage": "Model folders, checkpoints",
    "undertow.datasets": "Data sets",
    "undertow.engines": "Engines",
}
"""Packages whose names have a page, in the order of the menu."""

FIRST = (
    "TopicModel",
    "ReplicatedSoftmax",
    "DeepReplicatedSoftmax",
    "Index",
    "load",
    "write_report",
)
"""Names that come first on their pages."""


def pages() -> dict[str, str]:
    """Texts by paths."""
    python = {f"reference/{name.replace('.', '_')}.md": package(name) for name in PACKAGES}
    return {
        "reference/index.md": overview(),
        **python,
        "reference/commands.md": commands(),
        "reference/http.md": http(),
    }


def overview() -> str:
    """A table of packages and their names."""
    lines = ["# Reference", "", "| package | what it has | names |", "| --- | --- | --- |"]
    for name, about in PACKAGES.items():
        public = ", ".join(f"`{one}`" for one in import_module(name).__all__)
        lines.append(f"| [`{name}`]({name.replace('.', '_')}.md) | {about} | {public} |")
    lines += ["", "[Commands](commands.md) · [the HTTP API of the explorer](http.md)", ""]
    return "\n".join(lines)


def package(name: str) -> str:
    """A page with every name of a package's `__all__`; what is shown elsewhere is linked there."""
    holder = import_module(name)
    about = inspect.getdoc(holder) or ""
    lines = [f"# {name}", "", about, ""]
    others = defaultdict(list)
    for public in ordered(holder.__all__):
        value = getattr(holder, public)
        if name == "undertow" or first_home(public, value) == name:
            lines += entry(public, value)
        else:
            others[first_home(public, value)].append(public)
    for home, names in others.items():
        link = f"[{home}]({home.replace('.', '_')}.md)"
        lines += [f"Also here: {', '.join(f'`{one}`' for one in names)}, described in {link}.", ""]
    return "\n".join(lines)


def ordered(names: Iterable[str]) -> list[str]:
    """What people look for first comes first, then by the alphabet."""
    place = {name: number for number, name in enumerate(FIRST)}
    return sorted(names, key=lambda name: (place.get(name, len(FIRST)), name.lower()))


def first_home(public: str, value: Any) -> str:
    """The first package of the menu that has this very thing under this name."""
    for name in PACKAGES:
        holder = import_module(name)
        if public in holder.__all__ and getattr(holder, public) is value:
            return name
    raise LookupError(public)


def entry(public: str, value: Any) -> list[str]:
    """What mkdocstrings is asked for: a class or a function by its module."""
    if inspect.isclass(value) or inspect.isfunction(value):
        return [f"::: {value.__module__}.{value.__qualname__}", ""]
    return [f"## {public}", "", f"`{public} = {str(value)[:300]}`", ""]


def commands() -> str:
    """Every command with its options and examples."""
    import click
    from typer.main import get_command

    from undertow.cli import app

    lines = ["# Commands", ""]
    group: Any = get_command(app)
    for name, command in group.commands.items():
        context = click.Context(command, info_name=f"undertow {name}")
        lines += [f"## undertow {name}", "", *told(command.help or ""), ""]
        lines += ["| option | what it does |", "| --- | --- |"]
        for parameter in command.get_params(context):
            row = option_row(parameter, context)
            lines += [row] if row else []
        lines.append("")
    return "\n".join(lines)


def told(text: str) -> list[str]:
    """The help of a command: what follows "Examples:" is code, a paragraph for each command."""
    about, _, shown = inspect.cleandoc(text.replace("\b", "")).partition("Examples:")
    calls = [" ".join(part.split()) for part in shown.split("\n\n") if part.strip()]
    return [about, *(["```", *calls, "```"] if calls else [])]


def option_row(parameter: Any, context: Any) -> str:
    """A row of the table of options."""
    record = parameter.get_help_record(context)
    if record is None:
        name = parameter.make_metavar(context)
        return f"| `{name}` | {escaped(getattr(parameter, 'help', None) or '')} |"
    return f"| `{record[0]}` | {escaped(record[1])} |"


def escaped(text: str) -> str:
    """For a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("[", "\\[")


def http() -> str:
    """The routes of the explorer, from its OpenAPI description."""
    from tools.site.http_api import described

    return described()
