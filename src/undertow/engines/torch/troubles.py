"""What a user can do where a card, or the machine around it, cannot go on."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import Any, TypeVar

import torch

from undertow._errors import DeviceError

Kind = TypeVar("Kind", bound=type)
NO_COMPILER = "Failed to find C compiler"  # as Triton words it


def in_words(kind: Kind) -> Kind:
    """A class whose public methods say what to do where there is no room on a card, or where Triton
    cannot build what launches kernels.
    """
    for name, method in [*vars(kind).items()]:
        if isfunction(method) and not name.startswith("_"):
            setattr(kind, name, _in_words(method))
    return kind


def _in_words(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return method(*given, **named)
        except torch.cuda.OutOfMemoryError as error:
            raise DeviceError(
                f"device must have room for all that is computed at a time, got a card that is out "
                f"of memory: take a smaller batch_size or fewer units, end what else uses the "
                f"card, or use device='cpu' ({_first_line(error)})"
            ) from error
        except (RuntimeError, subprocess.CalledProcessError) as error:
            if not _is_of_compiler(error):
                raise
            raise DeviceError(
                f"kernels for cards must be built with a C compiler and the headers of Python, got "
                f"neither or only one: install gcc and, say, python3-dev, uninstall triton, which "
                f"is slower, or use device='cpu' ({_first_line(error)})"
            ) from error

    return call


def _is_of_compiler(error: Exception) -> bool:
    """Whether Triton found no compiler, or one that failed, which is told by a command alone."""
    if isinstance(error, subprocess.CalledProcessError):
        return True
    return not isinstance(error, DeviceError) and NO_COMPILER in str(error)


def _first_line(error: Exception) -> str:
    """Of long messages, some of which hold a whole command, the beginning."""
    return str(error).partition("\n")[0][:200]
