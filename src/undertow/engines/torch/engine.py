"""The engine of one device of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.counts import CountBatch, CountSource
from undertow.engines.devices import has_fused_kernels
from undertow.engines.protocol import Array, Place, Session, Start, WordLists
from undertow.engines.torch import divergence, encoding
from undertow.engines.torch.documents import Documents, documents_of, to_device, to_host
from undertow.engines.torch.gibbs import model_of
from undertow.engines.torch.session import TorchSession
from undertow.engines.torch.troubles import in_words
from undertow.model.parameters import Parameters


@in_words
class TorchEngine:
    """Computes on a device: "cpu", "cuda" for the present card, or "cuda:1" for one of several."""

    name = "torch"

    def __init__(self, device: str = "cpu") -> None:
        self.device = _found(device)
        self._held: dict[int, _Held] = {}

    def begin(self, parameters: Parameters, start: Start) -> TorchSession:
        return TorchSession(parameters, start, self.device)

    def source(self, source: CountSource) -> CountSource:
        if not has_fused_kernels(self.device):
            return source
        from undertow.engines.torch.device_source import on_device  # needs Triton

        return on_device(source, self.device)

    def replica(self, number: int, replicas: int) -> TorchEngine:
        """On cards, one after the other in turn."""
        if self.device.type != "cuda":
            return self
        return TorchEngine(f"cuda:{number % torch.cuda.device_count()}")

    def together(self, works: Sequence[Callable[[], None]]) -> None:
        """What they ask of a card is done while the next ones ask theirs."""
        for work in works:
            work()

    def meet(self, sessions: Sequence[Session], names: Sequence[str], words: WordLists) -> bool:
        return False

    @contextmanager
    def holding(self, arrays: Sequence[Array]) -> Iterator[None]:
        """Each is taken to the device once, when it is first asked for."""
        self._held = {id(array): _Held(array) for array in arrays}
        try:
            yield
        finally:
            self._held = {}

    def inputs(
        self, rows: Array, word_weights: Array, batch: CountBatch
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        lying = self._lying(batch, rows, word_weights)
        sums, lengths = encoding.inputs(*lying)
        return to_host(sums), to_host(lengths)

    def posteriors(
        self, parameters: Parameters, batch: CountBatch
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        own = (parameters.weights, parameters.word_weights)
        weights, word_weights, documents = self._lying(batch, *own)
        bias = to_device(parameters.hidden_bias, self.device)
        on, _, scores = encoding.posteriors(weights, word_weights, bias, documents)
        return to_host(on), to_host(scores)

    def sample(
        self,
        parameters: Parameters,
        chances: NDArray[np.float32],
        batch: CountBatch,
        place: Place,
        seed: int,
    ) -> CountBatch:
        arrays = parameters.arrays()
        model = model_of({name: to_device(arrays[name], self.device) for name in arrays})
        return divergence.sampled(batch, to_device(chances, self.device), model, place, seed)

    def _lying(
        self, batch: CountBatch, rows: Array, word_weights: Array
    ) -> tuple[Any, Any, Documents]:
        """Rows, weights and documents on the device: for a few documents only the rows of their
        words, which are then counted from 0 on; but all rows where these are held.
        """
        if len(batch.words) < len(rows) and id(rows) not in self._held:
            found, words = np.unique(batch.words, return_inverse=True)
            own = words.astype(np.int32)
            batch = CountBatch(batch.document_ids, batch.starts, own, batch.counts)
            rows, word_weights = rows[found], word_weights[found]
        tensors = (self._single(array) for array in (rows, word_weights))
        return *tensors, documents_of(batch, self.device)

    def _single(self, array: Array) -> Any:
        """On the device, in single precision."""
        held = self._held.get(id(array))
        if held is None:
            return to_device(array, self.device, torch.float32)
        if held.tensor is None:
            held.tensor = to_device(held.array, self.device, torch.float32)
        return held.tensor


@dataclass
class _Held:
    """An array that stays as it is for a while."""

    array: Array  # so that no other array gets its number
    tensor: Any = None


def _found(device: str) -> Any:
    """The device, or what to do where there is none."""
    try:
        found = torch.device(device)
    except RuntimeError:
        found = None
    if found is None or found.type not in ("cpu", "cuda"):
        raise InvalidInput(f"device must be 'cpu', 'cuda' or 'cuda:N', got {device!r}")
    if found.type == "cuda":
        cards = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if not cards:
            raise InvalidInput(
                f"device={device!r} needs a card of NVIDIA and a torch that was built for it, "
                f"found none (torch {torch.__version__}): use device='cpu' or device='auto'"
            )
        if found.index is not None and found.index >= cards:
            raise InvalidInput(
                f"device must be one of {cards} cards, from 'cuda:0' on, got {device!r}"
            )
    return found
