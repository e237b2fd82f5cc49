"""Which column is which: the roles of a corpus, found by common names, by memory of an earlier one,
or by option.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from undertow._errors import InvalidInput

ROLE_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "doc_id", "document_id", "docid", "uid"),
    "text": ("text", "document", "content", "body", "review", "message"),
    "title": ("title", "headline", "subject"),
    "label": ("label", "category", "class", "target"),
    "split": ("split", "subset"),
    "time": ("time", "date", "timestamp", "datetime", "created_at", "published", "year"),
    "url": ("url", "link", "href"),
}
"""Names taken for a role when no option says otherwise, the likeliest first; in any case."""

ROLES = tuple(ROLE_NAMES)
NONE = ""  # given as a column: the corpus is to have none of this role


def find_columns(
    columns: Sequence[str],
    given: Mapping[str, str | None],
    name: str,
    remembered: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Role -> column, for each role that the corpus `name` has; a given column must be there, and a
    text must be.

    What is not given is `remembered` from an earlier corpus, if it is there, or else found by name.
    An empty name says that there is no column of this role, and comes back too.
    """
    _check_given(columns, given, name)
    wanted = {role: column for role, column in given.items() if column is not None}
    for role in ROLE_NAMES:
        column = (remembered or {}).get(role)
        if role not in wanted and column is not None and _is_free(column, columns, wanted):
            wanted[role] = column
    for role in ROLE_NAMES:
        named = None if role in wanted else _by_name(columns, role, taken=set(wanted.values()))
        if named is not None:
            wanted[role] = named
    found = {role: wanted[role] for role in ROLE_NAMES if role in wanted}
    if not found.get("text") and len(columns) == 1:
        found = {"text": columns[0]}
    if not found.get("text"):
        raise InvalidInput(
            f"text_column must be given: no column of {name} is named "
            f"{_listed(ROLE_NAMES['text'])}; it has {_listed(columns)}"
        )
    return found


def _check_given(columns: Sequence[str], given: Mapping[str, str | None], name: str) -> None:
    for role, wanted in given.items():
        if wanted not in (None, NONE, *columns):
            raise InvalidInput(
                f"{role}_column must be a column of {name}, which has {_listed(columns)}; got "
                f"{wanted!r}"
            )


def _is_free(column: str, columns: Sequence[str], wanted: Mapping[str, str]) -> bool:
    """Whether a remembered column can have its role again: it is there, and has no other."""
    return column == NONE or (column in columns and column not in wanted.values())


def _by_name(columns: Sequence[str], role: str, taken: set[str]) -> str | None:
    """The first column under a common name of the role that no option has given another role."""
    free = {column.lower(): column for column in reversed(columns) if column not in taken}
    return next((free[name] for name in ROLE_NAMES[role] if name in free), None)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names) if names else "no columns"
