"""From the tree of a filter to the database's expression: columns are checked, and values are
quoted here.

LanceDB takes a filter as a string of SQL and is lenient with it. So no letter that a user wrote
gets there except inside a quoted literal: names are those of the index's own columns, and a value
has to be of its column's kind.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from undertow._errors import InvalidInput
from undertow.search.filters.column_names import ColumnNames
from undertow.search.filters.grammar import (
    Among,
    Both,
    Comparison,
    Either,
    Like,
    Literal,
    Missing,
    Not,
    Tree,
    moment_of,
    parse,
)
from undertow.search.filters.wildcards import merged

if TYPE_CHECKING:
    import pyarrow as pa

CORPUS_NAME = b"undertow.name"  # what the database notes with a column: how the corpus calls it,
DAY_FIRST = b"undertow.day_first"  # and b"1" or b"0" if its dates could be read in two ways;
# of vectors that are joined with others, how many numbers are the model's
OWN_NUMBERS = b"undertow.own_numbers"

LITERALS = {
    "text": "'text'",
    "whole": "a whole number",
    "number": "a number",
    "flag": "TRUE or FALSE",
    "day": "DATE 'YYYY-MM-DD'",
    "moment": "TIMESTAMP 'YYYY-MM-DD HH:MM:SS' or DATE 'YYYY-MM-DD'",
}
"""How a filter has to write a value of each kind of column."""


def column_kinds(schema: pa.Schema) -> dict[str, str]:
    """The columns that a filter may name, with their kinds; vectors and codes are none of them."""
    found = {field.name: _kind(field.type) for field in schema}
    return {name: kind for name, kind in found.items() if kind is not None}


def names_of(schema: pa.Schema) -> ColumnNames:
    """The columns with their kinds, and what the corpus called them where that is known."""
    told = {field.name: (field.metadata or {}).get(CORPUS_NAME) for field in schema}
    corpus = {
        stored: name.decode("utf-8", "replace") for stored, name in told.items() if name is not None
    }
    return ColumnNames(column_kinds(schema), corpus)


def expression(where: str, columns: ColumnNames) -> str:
    """The database's words for a filter."""
    return _written(parse(where), columns)


def quoted(text: str) -> str:
    """A literal of SQL that holds this text, whatever it is."""
    return "'" + text.replace("'", "''") + "'"


def _kind(column: pa.DataType) -> str | None:
    import pyarrow.types as of

    tests = {
        "text": of.is_string,
        "whole": of.is_integer,
        "number": of.is_floating,
        "flag": of.is_boolean,
        "day": of.is_date,
        "moment": of.is_timestamp,
    }
    return next((kind for kind, test in tests.items() if test(column)), None)


def _written(tree: Tree, columns: ColumnNames, *, true: bool = True) -> str:
    """An expression that is true where the tree is true, or where it is false if `true` is not
    asked for.

    It is never unknown: NOT is moved down to the conditions, and each asks for a value as well. The
    database simplifies `x = 1 AND x IN (2)` to FALSE, although it is unknown where x is missing,
    and would find those by its opposite.
    """
    match tree:
        case Not(part):
            return _written(part, columns, true=not true)
        case Both(parts) | Either(parts):
            word = " AND " if isinstance(tree, Both) == true else " OR "
            return word.join(f"({_written(part, columns, true=true)})" for part in parts)
        case Missing(column):
            return f"{_known(column, columns)} IS {'' if true else 'NOT '}NULL"
    name, condition = _known(tree.column, columns), _condition(tree, columns)
    return f"{name} IS NOT NULL AND {'' if true else 'NOT '}({condition})"


def _condition(condition: Comparison | Among | Like, columns: ColumnNames) -> str:
    column = condition.column
    match condition:
        case Comparison(_, operator, value):
            return f"{_known(column, columns)} {operator} {_literal(column, columns, value)}"
        case Among(_, values):
            listed = ", ".join(_literal(column, columns, value) for value in values)
            return f"{_known(column, columns)} IN ({listed})"
        case Like(_, pattern):
            wanted = _literal(column, columns, merged(pattern), dates=False)
            return f"{_known(column, columns)} LIKE {wanted}"


def _known(column: str, columns: ColumnNames) -> str:
    return f"`{columns.stored(column)}`"


def _literal(column: str, columns: ColumnNames, value: Literal, *, dates: bool = True) -> str:
    kind = columns.kinds[columns.stored(column)]
    if dates and kind in ("day", "moment") and isinstance(value, str):
        value = moment_of(value, datetime if kind == "moment" else date) or value
    match kind, value:
        case "text", str():
            return quoted(value)
        case "flag", bool():
            return "TRUE" if value else "FALSE"
        case (_, bool()):
            pass
        case "whole", int():
            return str(value)
        case "number", int() | float():
            return repr(float(value))
        case "day", date() if not isinstance(value, datetime):
            return f"DATE '{value.isoformat()}'"
        case "moment", datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case "moment", date():
            return f"TIMESTAMP '{value.isoformat()} 00:00:00'"
    raise InvalidInput(f"where must compare {column} with {LITERALS[kind]}, got {value!r:.60}")
