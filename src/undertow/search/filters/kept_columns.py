"""Which columns of a corpus an index keeps besides those with a role: all, unless it is told
which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from undertow._errors import InvalidInput
from undertow.search.filters.column_kinds import COLUMN_KINDS
from undertow.search.filters.column_names import stored_names

if TYPE_CHECKING:
    from undertow.corpus import Corpus

MOST = 64  # columns that are kept
LONGEST_NAME = 200  # characters

Keep = str | Sequence[str] | Mapping[str, str | None] | None


@dataclass(frozen=True)
class KeptColumns:
    """Columns to keep, and what is to be said about those that are not."""

    columns: dict[str, str]  # the name that each is stored under -> the column of the corpus
    told: dict[str, str | None]  # by the same names: kinds that were told
    asked: bool  # for: then it is an error if one cannot be kept
    remarks: tuple[str, ...] = ()


def wanted(keep: str | Sequence[str] | Mapping[str, str | None]) -> dict[str, str | None]:
    """What to keep: column -> kind, None where the column is to show it. "rating:number" is a
    column with its kind.
    """
    if isinstance(keep, Mapping):
        pairs = list(keep.items())
    else:
        pairs = [_pair(text) for text in ([keep] if isinstance(keep, str) else keep)]
    if len(pairs) > MOST:
        raise InvalidInput(f"keep must name at most {MOST} columns, got {len(pairs)}")
    found: dict[str, str | None] = {}
    for name, kind in pairs:
        if not _is_name(name):
            raise InvalidInput(
                f"keep must name columns by 1 to {LONGEST_NAME} characters that can be shown, got "
                f"{name!r:.80}"
            )
        if name in found:
            raise InvalidInput(f"keep must name columns that differ, got {name!r} again")
        if kind not in (None, *COLUMN_KINDS):
            raise InvalidInput(
                f"keep must give a kind of {', '.join(COLUMN_KINDS)}, got {kind!r:.40} for {name}"
            )
        found[name] = kind
    return found


def _pair(text: str) -> tuple[str, str | None]:
    if not isinstance(text, str):
        raise InvalidInput(f"keep must hold names of columns, got {text!r:.60}")
    name, colon, kind = text.rpartition(":")
    return (name, kind) if colon else (text, None)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()


def chosen(corpus: Corpus | None, keep: Keep) -> KeptColumns:
    """What to keep of a corpus; `keep` is None for all that can be."""
    if keep is None:
        return KeptColumns({}, {}, asked=False) if corpus is None else _all(corpus)
    kinds = wanted(keep)
    roles = {} if corpus is None else {column: role for role, column in corpus.names.items()}
    told = {role: kinds.pop(column) for column, role in roles.items() if column in kinds}
    for role, kind in told.items():
        if kind is not None and role != "time":
            raise InvalidInput(
                f"keep must not give a kind to the {role}, which is a text, got {kind!r}"
            )
    columns = stored_names(kinds)
    told |= {stored: kinds[column] for stored, column in columns.items()}
    return KeptColumns(columns, told, asked=True)


def _all(corpus: Corpus) -> KeptColumns:
    named = [name for name in corpus.further if _is_name(name)]
    single = [name for name in named if name not in corpus.nested]
    remarks = [
        *_left_out(
            [name for name in corpus.further if name not in named], "names that cannot be shown"
        ),
        *_left_out([name for name in named if name not in single], "lists, structures or bytes"),
        *_left_out(single[MOST:], f"more than {MOST} columns"),
    ]
    return KeptColumns(stored_names(single[:MOST]), {}, asked=False, remarks=tuple(remarks))


def _left_out(names: Sequence[str], why: str) -> list[str]:
    shown = ", ".join(f"{name!r:.60}" for name in names[:8]) + (", ..." if len(names) > 8 else "")
    return [f"not kept ({why}): {shown}"] if names else []
