"""Filters in every mode of an index: what is found is what is found without the filter, less what
it is not true of.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.filters import holds
from tests.search.conftest import make_table
from tests.search.filters.test_grammar import TREES, written
from undertow import InvalidInput, TopicModel
from undertow.search import Index
from undertow.search.filters.column_names import ColumnNames
from undertow.search.filters.expression import expression
from undertow.search.filters.grammar import Tree, parse

DOCUMENTS = 400
QUESTION = "apple gear and engine pear wheel"
MODES = ("semantic", "code", "text", "hybrid")


def some_values() -> dict[str, list[Any]]:
    generator = np.random.default_rng(5)
    choices: dict[str, list[Any]] = {
        "label": ["a", "b", "", "a'b", '"', "%", "_", "\\", "b;-\n", "é😀", "\0", "`a`", None],
        "count": [*range(-3, 4), None],
        "score": [-1.5, -0.0, 0.0, 0.25, 3.0, 1e300, None],
        "seen": [True, False, None],
        "day": [*(date(2026, 1, 1) + timedelta(days=day) for day in range(4)), None],
        "moment": [
            *(datetime(2026, 1, 1) + timedelta(hours=hours) for hours in (0, 1, 5, 24)),
            None,
        ],
    }
    return {
        name: [values[generator.integers(len(values))] for _ in range(DOCUMENTS)]
        for name, values in choices.items()
    }


ROWS = some_values()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, model: TopicModel) -> Index:
    """Some documents that were there from the beginning, and some added later."""
    columns = {name: pl.Series(values) for name, values in ROWS.items()}
    table = make_table(DOCUMENTS, seed=7).with_columns(**columns)
    table[DOCUMENTS // 2, "text"] = "xylophone"  # no word that the model knows
    folder = tmp_path_factory.mktemp("filters") / "index"
    made = Index.create(
        folder, model, table.head(350), keep=["count", "score", "seen", "day", "moment"]
    )
    made.add(table.tail(60), replace=True)  # ten of them again
    assert len(made) == DOCUMENTS
    return made


@settings(max_examples=60, deadline=None)
@given(TREES, st.sampled_from(MODES))
def test_every_mode_finds_what_the_filter_is_true_of(index: Index, tree: Tree, mode: str) -> None:
    everything = index.search(QUESTION, 1000, mode=mode, duplicates=True, reasons=False)
    expected = [hit.id for hit in everything if holds(tree, hit.fields) is True]
    hits = index.search(
        QUESTION, 1000, mode=mode, where=written(tree), duplicates=True, reasons=False
    )
    found = [hit.id for hit in hits]
    assert set(found) == set(expected)
    assert len(found) == len(expected)
    few = [
        hit.id
        for hit in index.search(
            QUESTION, 5, mode=mode, where=written(tree), duplicates=True, reasons=False
        )
    ]
    assert len(few) == min(5, len(expected))  # filtered first, then the best of it
    assert set(few) <= set(expected)
    if mode == "code":
        assert found == expected  # equal codes in the order of the documents


@pytest.mark.parametrize(
    "where",
    [
        "NOT (score = -0.0 AND score IN (-1.5))",
        "NOT (count IN (1) AND count IN (2))",
        "count NOT IN (1) OR count NOT IN (2)",
        "count != 1 OR count != 2",
        "NOT (label LIKE 'a%' AND NOT label LIKE 'a%')",
        "NOT (seen = TRUE AND seen = FALSE)",
        "NOT (count > 1 AND count < 0)",
    ],
)
def test_what_can_never_be_is_still_unknown_where_a_value_is_missing(
    index: Index, where: str
) -> None:
    """The database takes some of these for FALSE throughout."""
    tree = parse(where)
    everything = index.search(QUESTION, 1000, duplicates=True, reasons=False)
    expected = {hit.id for hit in everything if holds(tree, hit.fields) is True}
    assert 0 < len(expected) < DOCUMENTS - 1
    assert {
        hit.id for hit in index.search(QUESTION, 1000, where=where, duplicates=True, reasons=False)
    } == expected


def test_everything_is_found_without_a_filter(index: Index) -> None:
    assert len(index.search(QUESTION, 1000, mode="code", duplicates=True)) == DOCUMENTS - 1
    assert len(index.search(QUESTION, 1000, duplicates=True, reasons=False)) == DOCUMENTS - 1
    fields = {
        hit.id: hit.fields for hit in index.search(QUESTION, 1000, duplicates=True, reasons=False)
    }
    for number, name in ((3, "d3"), (399, "d399")):
        assert {column: fields[name][column] for column in ROWS} == {
            column: values[number] for column, values in ROWS.items()
        }


PIECES = st.sampled_from(
    [
        *(
            "label",
            "count",
            "score",
            "vector",
            "_rowid",
            "nope",
            "LABEL",
            "`label`",
            '"label"',
            "label.x",
        ),
        *(
            "=",
            "!=",
            "<>",
            "<",
            "<=",
            ">",
            ">=",
            "==",
            "AND",
            "OR",
            "NOT",
            "IN",
            "LIKE",
            "IS",
            "NULL",
            "BETWEEN",
        ),
        *(
            "(",
            ")",
            ",",
            ";",
            "--",
            "/*",
            "*/",
            "||",
            "+",
            "1",
            "-1.5",
            "1e400",
            "'a'",
            "''",
            "'",
            "\\",
            "'\\'",
        ),
        *(
            "TRUE",
            "DATE '2026-01-01'",
            "TIMESTAMP '2026-01-01 00:00:00'",
            "date",
            "length(label)",
            "CASE",
            "\0",
            "é",
        ),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=12).map(" ".join) | st.text(max_size=40))
def test_anything_written_is_understood_or_refused(index: Index, where: str) -> None:
    """Never an error of the database, and never a filter that means something else than its
    tree.
    """
    try:
        tree = parse(where)
        expression(where, ColumnNames(index.columns))
    except InvalidInput:
        with pytest.raises(InvalidInput, match="where must"):
            index.search(QUESTION, where=where)
        return
    hits = index.search(QUESTION, 1000, mode="code", where=where, duplicates=True, reasons=False)
    everything = index.search(QUESTION, 1000, mode="code", duplicates=True, reasons=False)
    seen = [{"id": hit.id, "text": hit.text, **hit.fields} for hit in everything]
    assert [hit.id for hit in hits] == [row["id"] for row in seen if holds(tree, row) is True]
