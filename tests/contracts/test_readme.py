"""The code in README.md runs as printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def test_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 1
    names: dict[str, object] = {}
    exec(compile(blocks[0], str(README), "exec"), names)
    assert len(capsys.readouterr().out.splitlines()) == 8
    assert (tmp_path / "my_model" / "model.json").exists()
