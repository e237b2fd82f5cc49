"""What a session holds under names, beside parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from undertow.engines.torch.documents import to_device, to_host


class Held:
    """Arrays lie on the host, where their holder changes them in place, until a verb asks for one
    by its name. From then on it lies on the device, and `arrays` shows it as it is at the moment.
    """

    def __init__(self, device: Any) -> None:
        self._device = device
        self._on_host: dict[str, NDArray[Any]] = {}
        self._on_device: dict[str, Any] = {}

    def hold(self, name: str, array: NDArray[Any]) -> None:
        """Takes a copy of an array."""
        self._on_device.pop(name, None)
        self._on_host[name] = np.array(array, order="C")

    def names(self) -> list[str]:
        """Of everything that is held."""
        return [*self._on_host, *self._on_device]

    def __contains__(self, name: object) -> bool:
        return name in self._on_host or name in self._on_device

    def __getitem__(self, name: str) -> Any:
        """The tensor, taken to the device where it is not there yet."""
        if name in self._on_host:
            self._on_device[name] = to_device(self._on_host.pop(name), self._device)
        return self._on_device[name]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name: those on the host themselves, copies of those on a card."""
        shown = {name: to_host(tensor) for name, tensor in self._on_device.items()}
        return self._on_host | shown

    def restore(
        self, arrays: Mapping[str, NDArray[Any]], words: NDArray[np.int32] | None = None
    ) -> None:
        """Overwrites what is held under these names: all of it, or the rows of these words."""
        for name, array in arrays.items():
            if name in self._on_host:
                self._on_host[name][... if words is None else words] = array
            else:
                overwrite(self._on_device[name], array, words)


def overwrite(tensor: Any, array: NDArray[Any], words: NDArray[np.int32] | None = None) -> None:
    """Takes the numbers of an array over, in place: of all rows, or of these."""
    numbers = to_device(np.asarray(array), tensor.device, tensor.dtype)
    if words is None:
        tensor.copy_(numbers)
    else:
        tensor[to_device(words, tensor.device, torch.int64)] = numbers
