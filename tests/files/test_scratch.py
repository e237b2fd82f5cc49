"""The folder for what does not fit: there when needed, gone afterwards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from undertow._errors import InvalidInput
from undertow.files.scratch import Scratch


def test_it_is_made_when_needed_and_removed(tmp_path: Path) -> None:
    with Scratch(tmp_path) as scratch:
        assert (list(tmp_path.iterdir()), scratch.used) == ([], False)
        (scratch.folder / "file").write_text("x")
        assert scratch.folder.parent == tmp_path
        assert scratch.used
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_errors_and_interrupts_leave_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    def stop() -> None:
        with Scratch(tmp_path) as scratch:
            (scratch.folder / "file").write_text("x")
            raise error

    with pytest.raises(error):
        stop()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    with pytest.raises(
        InvalidInput,
        match=re.escape(f"--scratch-folder must be a folder, got {str(absent)!r}, which is"),
    ):
        Scratch(absent, name="--scratch-folder")
