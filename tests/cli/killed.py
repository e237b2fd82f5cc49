"""A command in a process of its own that kills itself by SIGKILL, at a moment that is given.

As a script: WHEN NUMBER COMMAND... WHEN is a call into the system or "steps", of which the one
of this number is not reached; or "clock", which kills after so many milliseconds from the first
save on, whatever is being done. WHEN "never" kills nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any


def run_killed(when: str, number: int, *command: str, cwd: Path) -> int:
    """Runs a command that may be killed; its exit code, -9 where it was."""
    arguments = [sys.executable, __file__, when, str(number), *command]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        arguments, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def counted(call: Callable[..., Any], number: int) -> Callable[..., Any]:
    """The call, the one of this number of which is the end."""
    left = [number]

    def counting(*given: Any, **options: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            die()
        return call(*given, **options)

    return counting


def prepare(when: str, number: int) -> None:
    from undertow.estimators._saving import Saving
    from undertow.learn import Run

    if when == "steps":
        Run.advance = counted(Run.advance, number)  # type: ignore[method-assign]
    elif when == "clock":
        save, begun = Saving._save, threading.Event()

        def first(*given: Any, **options: Any) -> Any:
            if not begun.is_set():
                begun.set()
                threading.Timer(number / 1000, die).start()
            return save(*given, **options)

        Saving._save = first  # type: ignore[method-assign]
    elif when != "never":
        setattr(os, when, counted(getattr(os, when), number))


if __name__ == "__main__":
    prepare(sys.argv[1], int(sys.argv[2]))
    sys.argv[1:] = sys.argv[3:]
    from undertow.cli import main

    main()
