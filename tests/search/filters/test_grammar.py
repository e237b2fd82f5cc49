"""Filters: what is understood, what is refused, and that the database takes them as they are
meant.
"""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracles.filters import holds
from undertow import InvalidInput
from undertow.search.database.store import Store
from undertow.search.filters.column_names import ColumnNames
from undertow.search.filters.expression import expression, names_of
from undertow.search.filters.grammar import (
    Among,
    Both,
    Comparison,
    Either,
    Like,
    Missing,
    Not,
    Tree,
    parse,
)

COLUMNS = {
    "label": "text",
    "count": "whole",
    "score": "number",
    "seen": "flag",
    "day": "day",
    "moment": "moment",
}


@pytest.mark.parametrize(
    ("where", "tree"),
    [
        ("label = 'a'", Comparison("label", "=", "a")),
        ("label='it''s; DROP TABLE'", Comparison("label", "=", "it's; DROP TABLE")),
        ("count <> -3", Comparison("count", "!=", -3)),
        ("score >= 1.5e2", Comparison("score", ">=", 150.0)),
        ("seen = TRUE", Comparison("seen", "=", True)),
        ("day < DATE '2026-01-31'", Comparison("day", "<", date(2026, 1, 31))),
        (
            "moment < timestamp '2026-01-31 12:00:00'",
            Comparison("moment", "<", datetime(2026, 1, 31, 12)),
        ),
        ("label in ('a', 'b')", Among("label", ("a", "b"))),
        ("label NOT IN ('a')", Not(Among("label", ("a",)))),
        ("label LIKE 'sci.%'", Like("label", "sci.%")),
        ("label IS NULL", Missing("label")),
        ("label IS NOT NULL", Not(Missing("label"))),
        (
            "label = 'a' OR label = 'b' AND NOT count = 1",
            Either(
                (
                    Comparison("label", "=", "a"),
                    Both((Comparison("label", "=", "b"), Not(Comparison("count", "=", 1)))),
                )
            ),
        ),
        ("(label = 'a')", Comparison("label", "=", "a")),
    ],
)
def test_a_filter_becomes_a_tree(where: str, tree: Tree) -> None:
    assert parse(where) == tree


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("label='a'; drop table docs", "got ';' at character 10"),
        ("label = 'a' -- all", "got '-' at character 13"),
        ("label = 'a", "a quote that is never closed at character 9"),
        ("label = a", "a literal"),
        ("label", "one of = != < <= > >= IN LIKE IS here, got the end"),
        ("label = 'a' label = 'b'", "AND, OR or the end"),
        ("(label = 'a'", "have '\\)' here, got the end"),
        ("label = 'a')", "AND, OR or the end"),
        ("1 = 1", "a column"),
        ("label = upper('a')", "a literal"),
        ("label IN ()", "a literal"),
        ("label LIKE 'a\\'", "a backslash"),
        ("day = DATE '2026-02-30'", "DATE as YYYY-MM-DD"),
        ("moment = TIMESTAMP '2026-02-01T00:00:00+02:00'", "without a zone"),
        ("count = 99999999999999999999", "64 bits"),
        ("score = 1e999", "64 bits"),
        ("score = 1abc", "follow the grammar"),
        ('"label = 3', "a quote that is never closed"),
        ("`` = 3", "a quote that is never closed"),
        ('label = "a"', "a literal"),
        ("", "a condition such as"),
        ("   ", "a condition such as"),
        ("label = '" + "a" * 5000 + "'", "at most 4,096 characters"),
        ("(" * 40 + "label = 'a'" + ")" * 40, "at most 32 deep"),
        ("NOT " * 40 + "label = 'a'", "at most 32 deep"),
        (" OR ".join(["count = 1"] * 65), "at most 64 conditions"),
        ("label LIKE '" + "%_" * 500 + "'", "at most 100 wildcards .*, got 501"),
        ("label LIKE '" + "%a" * 101 + "'", "at most 100 wildcards .*, got 101"),
        (" OR ".join(["label LIKE '%a_'"] * 51), "at most 100 wildcards .*, got 102"),
    ],
)
def test_what_the_grammar_does_not_know_is_refused(where: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"where must .*{message}"):
        parse(where)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            "author = 'a'",
            r"columns of the index \(label, count, score, seen, day, moment\), got 'author'",
        ),
        ("vector = 1", "columns of the index"),
        ("label = 1", "compare label with 'text', got 1"),
        ("count = 1.5", "compare count with a whole number, got 1.5"),
        ("count = TRUE", "compare count with a whole number, got True"),
        ("seen = 1", "compare seen with TRUE or FALSE, got 1"),
        ("day = TIMESTAMP '2026-01-01 00:00:00'", "compare day with DATE"),
        ("count LIKE '1%'", "compare count with a whole number"),
    ],
)
def test_columns_and_kinds_are_checked(where: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"where must .*{message}"):
        expression(where, ColumnNames(COLUMNS))


WORDS = st.text(alphabet=st.sampled_from("ab'\"\\%_;-\n\0 é😀`"), max_size=4)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "label": WORDS,
    "count": st.integers(-3, 3),
    "score": st.sampled_from([-1.5, -0.0, 0.0, 0.25, 3.0, 1e300]),
    "seen": st.booleans(),
    "day": st.dates(date(2026, 1, 1), date(2026, 1, 4)),
    "moment": st.datetimes(datetime(2026, 1, 1), datetime(2026, 1, 2)).map(
        lambda at: at.replace(minute=0, second=0)
    ),
}
TYPES = {
    "label": pa.string(),
    "count": pa.int64(),
    "score": pa.float64(),
    "seen": pa.bool_(),
    "day": pa.date32(),
    "moment": pa.timestamp("us"),
}
DOCUMENTS = st.lists(
    st.fixed_dictionaries({name: st.none() | value for name, value in VALUES.items()}),
    min_size=1,
    max_size=12,
)
PATTERNS = st.lists(
    st.sampled_from(["a", "b", "%", "_", "\\%", "\\_", "\\\\", "'", "\n", "😀"]), max_size=4
).map("".join)


def _conditions(column: str) -> st.SearchStrategy[Tree]:
    value = VALUES[column]
    signs = st.sampled_from(["=", "!="] if column == "seen" else ["=", "!=", "<", "<=", ">", ">="])
    ways: list[st.SearchStrategy[Any]] = [
        st.builds(Comparison, st.just(column), signs, value),
        st.builds(Among, st.just(column), st.lists(value, min_size=1, max_size=3).map(tuple)),
        st.just(Missing(column)),
    ]
    return st.one_of(
        *ways, *([st.builds(Like, st.just(column), PATTERNS)] if column == "label" else [])
    )


def _larger(trees: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    parts = st.lists(trees, min_size=2, max_size=3).map(tuple)
    return st.one_of(st.builds(Not, trees), st.builds(Both, parts), st.builds(Either, parts))


TREES: st.SearchStrategy[Tree] = st.recursive(
    st.sampled_from(sorted(VALUES)).flatmap(_conditions), _larger, max_leaves=6
)


def written(tree: Tree) -> str:
    """A filter as a person would write it."""
    match tree:
        case Both(parts):
            return " AND ".join(f"({written(part)})" for part in parts)
        case Either(parts):
            return " or ".join(f"({written(part)})" for part in parts)
        case Not(part):
            return f"NOT ({written(part)})"
        case Missing(column):
            return f"{column} IS NULL"
        case Comparison(column, sign, value):
            return f"{column}{sign}{_literal(value)}"
        case Among(column, values):
            return f"{column} in ({','.join(map(_literal, values))})"
        case Like(column, pattern):
            return f"{column} LIKE {_literal(pattern)}"


def _literal(value: Any) -> str:
    match value:
        case str():
            return "'" + value.replace("'", "''") + "'"
        case datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
    return str(value)


@given(TREES)
def test_what_is_written_is_what_is_parsed(tree: Tree) -> None:
    assert parse(written(tree)) == tree


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(DOCUMENTS, st.lists(TREES, min_size=1, max_size=4))
def test_the_database_finds_what_the_filter_means(
    tmp_path_factory: pytest.TempPathFactory, documents: list[dict[str, Any]], trees: list[Tree]
) -> None:
    rows = [{"id": str(number), **document} for number, document in enumerate(documents)]
    schema = pa.schema(
        [pa.field("id", pa.string()), *(pa.field(name, kind) for name, kind in TYPES.items())]
    )
    folder: Path = tmp_path_factory.mktemp("filters")
    store = Store.create(folder, schema)
    store.append(pa.Table.from_pylist(rows, schema=schema))
    for tree in trees:
        where = expression(written(tree), names_of(schema))
        assert store.count(where) == sum(holds(tree, row) is True for row in rows)
        found = set(store.taken(store.matching(where), ["id"])["id"].to_pylist())
        assert found == {row["id"] for row in rows if holds(tree, row) is True}
