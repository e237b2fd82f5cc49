"""The table of targets: every path is one that a section can give, and both kinds of bound are
judged right.
"""

from __future__ import annotations

import pytest

from benchmarks import bench, targets
from benchmarks.figures import look_up
from benchmarks.tables import markdown, printed
from tests.benchmarks import made_up


def test_targets_belong_to_sections_and_differ() -> None:
    paths = [target.path for target in targets.TARGETS]
    assert len(set(paths)) == len(paths)
    assert {path.split("/")[0] for path in paths} <= {*bench.SECTIONS, "floor"}


def test_met_not_met_and_not_measured() -> None:
    judged = {record["path"]: record for record in targets.judged(made_up.results())}
    assert judged["steps/loop_tokens_per_second"]["met"] is True
    assert judged["steps/growth/200000"]["met"] is True
    assert judged["divergence/cd1_over_alpha_nce/20000"]["met"] is False
    assert judged["start/import_seconds"] | {"name": ""} == {
        "name": "",
        "path": "start/import_seconds",
        "kind": "at most",
        "bound": 0.2,
        "measured": None,
        "met": None,
    }


def test_the_bound_itself_is_met() -> None:
    for kind in ("at least", "at most"):
        assert targets.Target("", "", kind, 2.0).met(2.0)
    assert not targets.Target("", "", "at least", 2.0).met(1.9)
    assert not targets.Target("", "", "at most", 2.0).met(2.1)


def test_the_table_says_so() -> None:
    sheet = targets.sheet(targets.judged(made_up.results()))
    text = markdown(sheet)
    assert "| alpha-NCE, tokens a second, K=2,000 | at least 5,000,000 | 6,000,000 | met |" in text
    assert "| CD-1 over alpha-NCE, K=20,000 | at least 8 | 7 | NOT MET |" in text
    assert "| import undertow, seconds | at most 0.2 |  | not measured |" in text
    assert printed(sheet).row_count == len(targets.TARGETS)


@pytest.mark.parametrize(
    "path", ["steps", "steps/ms/7", "no/such", "machine/processor", "steps/ms/2000/more"]
)
def test_a_path_to_nothing(path: str) -> None:
    assert look_up(made_up.results(), path) is None


def test_what_was_never_reached_is_not_a_number() -> None:
    assert look_up({"a": {"b": None}}, "a/b") is None
