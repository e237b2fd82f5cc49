"""Errors of the library name its arguments; whoever typed a command knows options. This puts one
for the other.

A message begins with what it is about ("n must be ..."), and tells what to give as Python would
("replace=True", "device='cuda'"). Both become the option of the running command that has the
argument's name, or a name that means the same.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from typer.core import TyperCommand, TyperGroup

from undertow.cli import _paths

SAME = {
    "overwrite": "force",
    "path": "out",
    "random_state": "seed",
    "threads": "n_jobs",
}
"""Arguments of the library under the names that commands have for them, where they differ."""

SUBJECT = re.compile(r"\w+(?:\[\d\])?(?: (?:or|and) \w+)*(?= must | needs? )")
LONG_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")  # such as text_column: no word of English
GIVEN = re.compile(r"\b(\w+)=(?:True\b|'([^'\s]*)')")


class Command(TyperCommand):
    """A command whose errors name its options as they were typed."""

    def __init__(self, name: str | None, *, help: str | None = None, **rest: Any) -> None:
        super().__init__(name, help=help and in_paragraphs(help), **rest)

    def invoke(self, ctx: Any) -> Any:
        """Runs it."""
        from undertow._errors import InvalidInput

        try:
            _paths.check(ctx.params)
            return super().invoke(ctx)
        except InvalidInput as error:
            raise InvalidInput(as_typed(str(error), options_of(self))) from error

    def get_help_option(self, ctx: Any) -> Any:
        """As `Group` has it."""
        return _told_at_once(super().get_help_option(ctx))


class Group(TyperGroup):
    """The commands."""

    def get_help_option(self, ctx: Any) -> Any:
        """`--help`, without loading what checks the values of options."""
        return _told_at_once(super().get_help_option(ctx))


def in_paragraphs(text: str) -> str:
    """A help text with each paragraph in one line, which the terminal breaks where it ends."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _told_at_once(option: Any) -> Any:
    """A flag that is off unless given: one that is neither would have its value checked, by
    pydantic.
    """
    if option is not None:
        option.default = False
    return option


@contextmanager
def about(**names: str) -> Iterator[None]:
    """Inside, errors about these arguments of the library are about those of the command:
    path="corpus".
    """
    from undertow._errors import InvalidInput

    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(as_typed(str(error), names)) from error


def as_typed(message: str, options: Mapping[str, str]) -> str:
    """The message with options in the place of arguments; what came, after "got", is left as it
    is.
    """

    def option(found: re.Match[str]) -> str:
        return re.sub(
            r"[a-z_]+", lambda word: options.get(word.group(), word.group()), found.group()
        )

    def given(found: re.Match[str]) -> str:
        name, value = found.groups()
        if name not in options:
            return found.group()
        return options[name] if value is None else f"{options[name]} {value}"

    told, got, came = message.partition(" got ")
    subject = SUBJECT.match(told)
    if subject is not None:
        told = option(subject) + told[subject.end() :]
    told = LONG_NAME.sub(option, told)
    return GIVEN.sub(given, told + got + came)


def options_of(command: TyperCommand) -> dict[str, str]:
    """Arguments of the library, and the options or places of a command that they come from."""
    own = {parameter.name: _spelled(parameter) for parameter in command.params if parameter.name}
    return {name: own[here] for name, here in SAME.items() if here in own} | own


def _spelled(parameter: Any) -> str:
    """An option as it was typed, or by its first name; a place by its name in the usage line."""
    if not parameter.opts[0].startswith("-"):
        return str(parameter.metavar or parameter.name).strip("[].")
    typed = {word.partition("=")[0] for word in sys.argv}
    return next((name for name in parameter.opts if name in typed), str(parameter.opts[0]))
