"""Devices by name: which of them are there, without torch where none is asked for."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from undertow import _extras
from undertow._errors import InvalidInput
from undertow.engines.protocol import Engine

CPU, AUTO = "cpu", "auto"
_KNOWN = re.compile(r"cpu|auto|cuda(:\d+)?")


def check_device(device: object) -> None:
    """Refuses what is no device, and a card that is not there, before any work is done.

    Parameters
    ----------
    device : str
        "cpu", "cuda", "cuda:1" for one of several cards, or "auto".

    Raises
    ------
    InvalidInput
        Where nothing can compute on it.

    Examples
    --------
    >>> from undertow.engines import check_device
    >>> check_device("auto")
    """
    name = device_name(device)
    if name not in (CPU, AUTO):
        engine_on(name)


def device_name(device: object) -> str:
    """The name of a device, which need not be there."""
    if not isinstance(device, str) or _KNOWN.fullmatch(device) is None:
        raise InvalidInput(f"device must be 'cpu', 'cuda', 'cuda:N' or 'auto', got {device!r}")
    return device


def engine_on(device: str) -> Engine:
    """PyTorch's engine on a device."""
    what = "engine='torch'" if device == CPU else f"device={device!r}"
    _extras.require(what, "gpu", "torch")
    from undertow.engines.torch import TorchEngine

    return TorchEngine(device)


def has_card() -> bool:
    """Whether torch is installed and sees a card."""
    if _extras.missing("torch"):
        return False
    from torch import cuda

    return bool(cuda.is_available())


def has_fused_kernels(device: Any) -> bool:
    """Whether kernels in Triton run on a device of torch: on cards, for most of which torch brings
    it along. Elsewhere every verb is a few operations of torch.
    """
    return bool(device.type == "cuda") and _has_triton()


@cache
def _has_triton() -> bool:
    return not _extras.missing("triton")
