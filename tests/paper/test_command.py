"""`undertow paper` as from a shell: every experiment at the tiniest scale, and what is said when
something is wrong.
"""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.paper.tiny import TINY, run_tiny
from tests.shell import Run, shell
from undertow import InvalidInput
from undertow.engines.cpu.divergence import Divergence
from undertow.paper import runner, scale, settings
from undertow.paper.experiments import EXPERIMENTS
from undertow.paper.kinds import ModelCell
from undertow.paper.recipe import Recipe
from undertow.paper.runner import Workshop


def can_choose_alpha() -> bool:
    """Whether noise_level="auto" can be fitted."""
    from undertow.paper.corpora import count
    from undertow.paper.recipe import estimator

    corpus = TINY.corpus(settings.POSTS)
    try:
        estimator(Recipe(noise_level="auto", epochs=1), hidden=4, seed=0).fit(count(corpus).learn)
    except InvalidInput:
        return False
    return True


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command as from a shell, its quick scale made tiny: exit code, standard output,
    standard error.
    """
    monkeypatch.setattr(scale, "QUICK", TINY)
    return shell(monkeypatch, capsys)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all experiments write to, as after `undertow paper all`."""
    return tmp_path_factory.mktemp("paper")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_runs_and_is_found_again(name: str, run: Run, shared: Path) -> None:
    if name == "alpha" and not can_choose_alpha():
        pytest.skip('noise_level="auto" cannot be fitted yet')
    command = ("paper", name, "--quick", "--out", shared, "--jobs", 1)
    code, out, _ = run(*command)
    assert code == 0
    assert f"Wrote {shared / 'page.md'}" in out
    page = (shared / "page.md").read_text()
    assert f"undertow paper {name} --quick --seeds 1 --out {shared}" in page
    written = {file: file.read_bytes() for file in shared.rglob("*") if file.is_file()}
    code, out, _ = run(*command)
    assert code == 0
    assert "0 cells computed" in out
    assert {file: file.read_bytes() for file in shared.rglob("*") if file.is_file()} == written
    check_files(name, shared)


def test_all_is_every_experiment(run: Run, shared: Path) -> None:
    if not can_choose_alpha():
        pytest.skip('noise_level="auto" cannot be fitted yet')
    assert run("paper", "all", "--quick", "--out", shared, "--jobs", 1, "--quiet") == (0, "", "")
    page = (shared / "page.md").read_text()
    for name, experiment in EXPERIMENTS.items():
        assert page.count(f"## {experiment.heading}\n\n<!-- {name} -->") == 1
        check_files(name, shared)


def check_files(name: str, folder: Path) -> None:
    results = json.loads((folder / "results" / f"{name}.json").read_text())
    assert results["experiment"] == name
    assert results["cells"]
    assert results["preprocessing"]
    with open(folder / "results" / f"{name}.csv", encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == len(results["cells"])
    assert all(row["model"] for row in rows)
    for picture in results["captions"]:
        for kind in ("svg", "png"):
            assert (folder / "figures" / f"{picture}.{kind}").stat().st_size > 1000
    assert not list(folder.rglob("*.part"))


def test_figure_2_shares_the_cells_of_table_1(shared: Path) -> None:
    workshop = Workshop(shared)
    cells = set(EXPERIMENTS["table1"].cells(TINY))
    assert set(EXPERIMENTS["fig2"].cells(TINY)) <= cells
    if (shared / "results" / "table1.json").exists():  # left by the test above
        assert workshop.missing(EXPERIMENTS["fig2"].cells(TINY)) == []


def test_page_of_ones_own(run: Run, shared: Path, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "paper.md"
    page.parent.mkdir()
    page.write_text("Before.\n<!-- fig2 -->\n<!-- end fig2 -->\nAfter.\n")
    assert run(
        "paper", "fig2", "--quick", "--out", shared, "--page", page, "--jobs", 1, "--quiet"
    ) == (0, "", "")
    text = page.read_text()
    assert text.startswith("Before.\n<!-- fig2 -->\n")
    assert text.endswith("<!-- end fig2 -->\nAfter.\n")
    (link,) = [line for line in text.splitlines() if line.startswith("![fig2]")]
    target = link.partition("(")[2].rstrip(")")
    assert (page.parent / target).resolve() == (shared / "figures" / "fig2.svg").resolve()


def test_processes_find_what_one_process_finds(tmp_path: Path, shared: Path) -> None:
    first = run_tiny("table2", tmp_path / "two", jobs=2)
    assert first.computed > 0
    cells = EXPERIMENTS["table2"].cells(TINY)
    run_tiny("table2", shared)
    one, two = (Workshop(folder).results(cells) for folder in (shared, tmp_path / "two"))
    for cell in cells:
        ours, theirs = ({**found[cell].figures, "training_seconds": None} for found in (one, two))
        assert ours == theirs


@pytest.mark.torture  # two processes of its own
def test_error_in_a_process_ends_the_run(tmp_path: Path) -> None:
    from undertow.paper.runner import run as run_cells

    workshop = Workshop(tmp_path)
    good = ModelCell(TINY.corpus(settings.POSTS), Recipe(epochs=1), hidden=4, seed=0)
    bad = replace(good, recipe=Recipe(epochs=1, learner_options=(("nonsense", 1),)))
    workshop.prepare([good], lambda corpus: None)
    with pytest.raises(TypeError, match="nonsense"):
        run_cells(workshop, [bad, good], jobs=2, done=lambda cell: None)


def test_diverged_models_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Divergence, "_free_energy_gap", lambda *_: float("nan"))
    run_tiny("fig2", tmp_path, scale=replace(TINY, most_epochs=5))
    page = (tmp_path / "page.md").read_text()
    (row,) = [line for line in page.splitlines() if line.startswith("| CD-1 |")]
    assert row.endswith("| diverged |")


@pytest.mark.parametrize(
    ("module", "package"), [("matplotlib", "matplotlib"), ("Stemmer", "PyStemmer")]
)
def test_missing_extra_is_said_before_any_work(
    module: str, package: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    code, _, err = run("paper", "table1", "--quick", "--out", tmp_path / "out")
    assert code == 2
    assert f"needs {package}, which is not installed: pip install 'undertow[paper]'" in err
    assert not (tmp_path / "out").exists()


def test_interruption_says_how_to_go_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run", interrupt)
    code, _, err = run("paper", "fig2", "--quick", "--out", tmp_path, "--jobs", 1)
    assert code == 130
    assert f"kept in {tmp_path}: the same command goes on" in " ".join(err.split())


def test_unknown_name_is_refused(run: Run) -> None:
    code, _, err = run("paper", "table3")
    assert code == 2
    assert "table3" in err


def test_names_agree() -> None:
    from undertow.cli.paper import What

    assert {*EXPERIMENTS, "all"} == {what.value for what in What}


@pytest.mark.data
@pytest.mark.torture
def test_slice_of_the_real_posts(tmp_path: Path) -> None:
    small = replace(TINY, name="slice", made_up=False, documents=300, most_words=500, most_epochs=3)
    run_tiny("fig2", tmp_path, scale=small)
    results = json.loads((tmp_path / "results" / "fig2.json").read_text())
    assert all(cell["settings"]["corpus"]["data"] == "20newsgroups" for cell in results["cells"])
