"""LanceDB, loaded without what an index never needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from undertow.search import Index

BEGIN = (
    "import sys; from undertow.search.database import quick_import\n"
    "LEFT = ('pandas', 'lance_namespace', 'lance_namespace_urllib3_client', 'overrides')\n"
    "there = lambda: [name for name in LEFT if name in sys.modules]\n"
)
USED = (
    "import polars as pl; from undertow.search import Index\n"
    "index = Index.open({path!r}); before = len(index)\n"
    "index.add(pl.DataFrame({{'id': ['d1', 'new'], 'text': ['ripe apple', 'ripe melon'], 'label': "
    "['x', 'y'],"
    " 'split': ['train'] * 2}}), replace=True)\n"
    "assert len(index) == before + 1 and index.document('d1').text == 'ripe apple'\n"
    "for mode in ('semantic', 'code', 'text', 'hybrid'): assert index.search('ripe apple', 3, "
    "mode=mode)\n"
    "assert index.delete('new').documents == 1\n"
    "index.optimize(); assert len(index) == before\n"
    "made = Index.create({path!r} + '2', index.model, pl.DataFrame({{'id': ['a'], 'text': ['apple "
    "pear']}}))\n"
    "assert made.search('apple')[0].id == 'a'\n"
)


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_all_works_and_what_was_left_out_can_be_had(index: Index) -> None:
    code = (
        f"{BEGIN}quick_import.load_quickly(); assert 'lancedb' in sys.modules; print(there())\n"
        f"{USED.format(path=str(index.path))}"
        "import lancedb.db; error = lancedb.db.TableNotFoundError('gone')\n"
        "import lance_namespace.errors as true; assert type(error) is true.TableNotFoundError\n"
        "assert isinstance(error, lancedb.db.TableNotFoundError)\n"
    )
    assert _run(code).splitlines()[0] == "[]"


@pytest.mark.parametrize(
    "trouble",
    [
        "_StandIns.create_module",
        pytest.param("_Nowhere.find_spec", marks=pytest.mark.torture),  # another process
    ],
)
def test_it_is_loaded_as_always_where_that_goes_wrong(trouble: str, index: Index) -> None:
    code = (
        f"{BEGIN}\ndef fail(*given): raise RuntimeError('a stand-in that does not "
        f"fit')\nquick_import.{trouble} = fail\n"
        f"quick_import.load_quickly(); import lancedb.db\n"
        f"assert type(lancedb.db.TableNotFoundError) is type\n"
        f"from undertow.search import Index; assert "
        f"Index.open({str(index.path)!r}).search('apple', mode='text')\n"
        "print('lance_namespace' in sys.modules)"
    )
    assert _run(code).strip() == "True"
