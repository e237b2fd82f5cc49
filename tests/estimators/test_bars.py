"""Progress bars of notebooks, which need no widgets."""

from __future__ import annotations

import io
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from rich.progress import BarColumn, TextColumn

from undertow import TopicModel, _bars


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the output of a cell shows, one after the other; IPython is made up."""
    seen: list[str] = []

    def display(html: str, *, display_id: bool) -> Any:
        assert display_id
        seen.append(html)
        return SimpleNamespace(update=seen.append)

    made = ModuleType("IPython.display")
    vars(made).update(HTML=lambda text: text, display=display)
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", made)
    return seen


def console(**options: Any) -> Console:
    return Console(file=io.StringIO(), force_jupyter=True, **options)


def test_a_bar_is_drawn_and_ends_full(pictures: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_bars, "EVERY", 0.0)
    with _bars.progress(TextColumn("{task.description}"), BarColumn(), console=console()) as bar:
        task = bar.add_task("half", total=2)
        bar.update(task, completed=1)
        bar.update(task, completed=2, description="<b>all</b>")
    assert pictures[0] == ""
    assert "half" in pictures[1]
    assert "&lt;b&gt;all&lt;/b&gt;" in pictures[-1]
    assert "━" in pictures[-1]
    assert len(set(pictures[1:])) > 2  # it moves


def test_pictures_come_a_few_times_a_second_and_at_the_end(
    pictures: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_bars, "EVERY", 3600.0)
    with _bars.progress(TextColumn("{task.completed}"), console=console()) as bar:
        task = bar.add_task("", total=1000)
        for _ in range(1000):
            bar.update(task, advance=1)
    assert len(pictures) <= 3
    assert "1000" in pictures[-1]


def test_a_quiet_console_and_a_terminal_are_as_they_were(pictures: list[str]) -> None:
    for place in (console(quiet=True), Console(file=io.StringIO(), force_jupyter=False)):
        with _bars.progress(TextColumn("x"), console=place) as bar:
            bar.add_task("")
    assert pictures == []


def test_a_fit_shows_reading_training_and_growing(
    pictures: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import rich

    monkeypatch.setattr(rich, "_console", console())
    texts = ["a rocket flew to the moon", "ripe apples and pears"] * 10
    TopicModel(2, max_epochs=2, random_state=0, verbose=1).fit(texts)
    whole = "\n".join(pictures)
    for said in ("counted 20 documents", "epoch 2/2", "grew the tree of topics"):
        assert said in whole
