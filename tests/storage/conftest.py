"""What several tests of storage start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage.helpers import write_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", 7)
