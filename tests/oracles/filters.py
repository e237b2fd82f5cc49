"""What a filter says of a document, in plain Python: true, false, or None for unknown, as in
SQL.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from undertow.search.filters.grammar import (
    Among,
    Both,
    Comparison,
    Either,
    Like,
    Missing,
    Not,
    Tree,
)

COMPARED = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(tree: Tree, document: Mapping[str, Any]) -> bool | None:
    """Three-valued: a comparison with a value that is missing is neither true nor false."""
    match tree:
        case Missing(column):
            return document[column] is None
        case Not(part):
            found = holds(part, document)
            return None if found is None else not found
        case Both(parts):
            return _all([holds(part, document) for part in parts])
        case Either(parts):
            opposite = _all(
                [
                    None if found is None else not found
                    for found in (holds(p, document) for p in parts)
                ]
            )
            return None if opposite is None else not opposite
        case Comparison(column, sign, value):
            mine = document[column]
            return None if mine is None else bool(COMPARED[sign](mine, _same_kind(value, mine)))
        case Among(column, values):
            mine = document[column]
            return None if mine is None else mine in [_same_kind(value, mine) for value in values]
        case Like(column, pattern):
            mine = document[column]
            return (
                None if mine is None else re.fullmatch(_regex(pattern), mine, re.DOTALL) is not None
            )


def _all(found: list[bool | None]) -> bool | None:
    return False if False in found else None if None in found else True


def _same_kind(value: Any, mine: Any) -> Any:
    if isinstance(mine, datetime) and not isinstance(value, datetime) and isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    return value


def _regex(pattern: str) -> str:
    pieces = re.findall(r"\\.|.", pattern, re.DOTALL)
    return "".join({"%": ".*", "_": "."}.get(piece, re.escape(piece[-1])) for piece in pieces)
