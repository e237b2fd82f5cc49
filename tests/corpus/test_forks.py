"""A forked child is told where polars would hang, and goes on where nothing would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import undertow
from undertow import _forks

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

SCRIPT = """
import os, sys, faulthandler
import numpy as np
import undertow

TEXTS = ["a rocket flew to the moon", "ripe apples and pears"] * 50
COUNTS = np.random.default_rng(0).poisson(1.0, (50, 8))
def vectorizer():
    return undertow.Vectorizer().fit(TEXTS)
def counts():
    model = undertow.ReplicatedSoftmax(2, max_epochs=1, random_state=0, n_jobs=2).fit(COUNTS)
    return model.transform(COUNTS)
def told(ask):
    try:
        ask()
        return "went on"
    except undertow.ForkedProcess as error:
        return "spawn" if "'spawn'" in str(error) else "?"
{before}
child = os.fork()
if child == 0:
    faulthandler.dump_traceback_later(500, exit=True)  # a hang ends, one day
    {inside}
    sys.stdout.flush()
    os._exit(0)
_, status = os.waitpid(child, 0)
print("parent:", status, told(vectorizer))
"""


def run(before: str, inside: str, place: Path) -> list[str]:
    (place / "forks.py").write_text(SCRIPT.format(before=before, inside=inside))
    source = str(Path(undertow.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "forks.py"],
        cwd=place,
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_texts_in_a_child_of_one_that_read_texts_are_refused(tmp_path: Path) -> None:
    before = (
        "fitted, model = vectorizer(), counts()\n"
        "import polars\n"
        "polars.DataFrame({'text': TEXTS}).write_parquet('corpus.parquet')\n"
        "corpus = undertow.open_corpus('corpus.parquet')"
    )
    asked = (
        "vectorizer",
        "lambda: fitted.transform(TEXTS)",
        "lambda: next(corpus.chunks())",
        "lambda: undertow.open_corpus('corpus.parquet')",
        "lambda: undertow.corpus.as_corpus(TEXTS)",
        "counts",
    )
    inside = f"print(*map(told, ({', '.join(asked)})))"
    assert run(before, inside, tmp_path) == [
        "spawn spawn spawn spawn spawn went on",
        "parent: 0 went on",
    ]


def test_polars_of_the_user_counts_too(tmp_path: Path) -> None:
    before = "import polars\npolars.DataFrame({'a': [1, 2]}).lazy().group_by('a').len().collect()"
    found = run(before, "print(told(vectorizer))", tmp_path)
    assert found == ["spawn", "parent: 0 went on"]


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("", marks=pytest.mark.torture),
        pytest.param("import polars; polars.Series(TEXTS)", marks=pytest.mark.torture),
        "model = counts()",
    ],
)
def test_a_child_of_one_that_read_nothing_goes_on(before: str, tmp_path: Path) -> None:
    found = run(before, "print(told(vectorizer), told(counts))", tmp_path)
    assert found == ["went on went on", "parent: 0 went on"]


def test_where_the_system_does_not_tell_our_own_use_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(folder: str) -> list[str]:
        raise FileNotFoundError(folder)

    monkeypatch.setattr(os, "listdir", none)
    for used in (False, True):
        monkeypatch.setattr(_forks, "_in_use", used)
        assert _forks._has_threads() is used
