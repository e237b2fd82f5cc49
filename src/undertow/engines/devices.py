"""Devices by name: which of them are there, without torch where none is asked for."""

from __future__ import annotations

import re

from undertow import _extras
from undertow._errors import InvalidInput
from undertow.engines.protocol import Engine

CPU, AUTO = "cpu", "auto"
_KNOWN = re.compile(r"cpu|auto|cuda(:\d+)?")


def checked_device(device: object) -> str:
    """The name of a device, which need not be there.

    Parameters
    ----------
    device : str
        "cpu", "cuda", "cuda:1" for one of several cards, or "auto".

    Returns
    -------
    str
        The same.

    Raises
    ------
    InvalidInput
        For another name.

    Examples
    --------
    >>> from undertow.engines import checked_device
    >>> checked_device("cuda:1")
    'cuda:1'
    """
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
