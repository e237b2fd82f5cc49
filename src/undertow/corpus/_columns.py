"""Which column is which: the roles of a corpus (id, text, label, split, time), found by common names or by option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from undertow._errors import InvalidInput

NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "doc_id", "document_id", "docid", "uid"),
    "text": ("text", "document", "content", "body", "review", "message"),
    "label": ("label", "category", "class", "target"),
    "split": ("split", "subset"),
    "time": ("time", "date", "timestamp", "datetime", "created_at", "published", "year"),
}
"""Names that are taken for a role when no option says otherwise, the likeliest first; case does not matter."""


def find_columns(columns: Sequence[str], given: Mapping[str, str | None], name: str) -> dict[str, str]:
    """Role -> column, for each role that the corpus `name` has; a given column must be there, and a text must be."""
    found: dict[str, str] = {}
    for role, wanted in given.items():
        if wanted is None:
            wanted = _by_name(columns, role, taken=set(given.values()))
        elif wanted not in columns:
            raise InvalidInput(
                f"{role}_column must be a column of {name}, which has {_listed(columns)}; got {wanted!r}"
            )
        if wanted is not None:
            found[role] = wanted
    if "text" not in found and len(columns) == 1:
        found["text"] = columns[0]
    if "text" not in found:
        raise InvalidInput(
            f"text_column must be given: no column of {name} is named {_listed(NAMES['text'])}; "
            f"it has {_listed(columns)}"
        )
    return found


def _by_name(columns: Sequence[str], role: str, taken: set[str | None]) -> str | None:
    """The first column under a common name of the role that no option has given another role."""
    free = {column.lower(): column for column in reversed(columns) if column not in taken}
    return next((free[name] for name in NAMES[role] if name in free), None)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names) if names else "no columns"
