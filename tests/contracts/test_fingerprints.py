"""The same numbers as were last recorded, bit by bit, on the kinds of machines that have a
record: a change of numbers is seen, and goes under "Numerical changes" of the CHANGELOG.
"""

from __future__ import annotations

import pytest

from benchmarks.fingerprints import corpus, fingerprints, kept, kind_of_machine, of_run

QUICK = ("windows, averaged", "cd", "mh-cd", "ratio matching")
DIFFERS = (
    "{names}: other numbers than were recorded. If that is meant, say so in the CHANGELOG and run "
    "python -m benchmarks.fingerprints --record"
)


@pytest.fixture
def recorded() -> dict[str, str]:
    kind = kind_of_machine()
    if kind not in kept():
        pytest.skip(f"no fingerprints of {kind}: python -m benchmarks.fingerprints --record")
    return kept()[kind]


def test_four_runs_end_as_they_did(recorded: dict[str, str]) -> None:
    counts = corpus()
    other = [name for name in QUICK if of_run(name, counts) != recorded[name]]
    assert not other, DIFFERS.format(names=", ".join(other))


@pytest.mark.torture
@pytest.mark.filterwarnings("ignore")
def test_all_runs_end_as_they_did(recorded: dict[str, str]) -> None:
    found = fingerprints(lambda _line: None)
    other = [name for name in found if found[name] != recorded.get(name)]
    assert not other, DIFFERS.format(names=", ".join(other))
