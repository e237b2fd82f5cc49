"""The examples run as they stand, on a part of their corpus."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

import undertow
from tests.at_hand import PythonDocs
from tools.site import gallery
from undertow import TopicModel, datasets

FOLDER = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def few(python_docs: PythonDocs) -> list[datasets.DocumentedObject]:
    """Few, whatever part of them an example takes."""
    return python_docs.documents[::5]


@pytest.fixture(autouse=True)
def small(
    few: list[datasets.DocumentedObject], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Few documents, in an empty folder."""
    monkeypatch.setattr(datasets, "load_python_docs", lambda: few)
    monkeypatch.chdir(tmp_path)


def run(name: str) -> dict[str, Any]:
    return runpy.run_path(str(FOLDER / name))


def test_all_of_them_are_run() -> None:
    assert {file.name for file in FOLDER.glob("*.py")} == {
        "topics.py",
        "name_topics.py",
        "curate.py",
        "spark_encode.py",  # by test_spark.py
    } | {one.path.name for one in gallery.examples()}  # here, and by `make docs`


def test_there_are_enough() -> None:
    assert len(gallery.examples()) >= 12


@pytest.mark.torture
@pytest.mark.parametrize("one", gallery.examples(), ids=lambda one: one.name)
def test_those_of_the_gallery_draw(one: gallery.Example) -> None:
    assert len(run(one.path.name)["figure"].data) > 0


def test_topics(capsys: pytest.CaptureFixture[str]) -> None:
    names = run("topics.py")
    model: TopicModel = names["model"]
    out = capsys.readouterr().out
    assert all(topic.name in out and topic.words[0].word in out for topic in names["topics"])
    assert "5 documents x 10 topics" in out
    assert model.topic(names["made"]).name == "The two largest"
    both = sum(topic.documents for topic in names["topics"][:2])
    assert f"Merged: The two largest, {both:,} documents" in out


def test_name_topics(capsys: pytest.CaptureFixture[str]) -> None:
    model: TopicModel = run("name_topics.py")["model"]
    named = model.topic_names(n=8).values()
    assert all(" and " in name and name.endswith("typical texts)") for name in named)
    out = capsys.readouterr().out
    assert all(f"->  {name}\n" in out for name in named)
    assert isinstance(loaded := undertow.load("named_model"), TopicModel)
    assert list(loaded.topic_names(n=8).values()) == list(named)


def test_curate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = run("curate.py")
    kinds = [
        action["kind"] for action in json.loads((tmp_path / "curation.json").read_text())["actions"]
    ]
    assert kinds == ["seed", "merge", "drop"]
    listed = names["model"].topic_names(n=8)
    assert listed[names["made"]] == "The two largest"
    assert names["junk"].id not in listed
    assert "Dates and times" in listed.values()
    out = capsys.readouterr().out
    assert "\nseed: topics [" in out
    assert out.count("\nmerge: ") == out.count("\ndrop: ") == 1
