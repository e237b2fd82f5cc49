"""A training run on a device: every verb, handed to the module that does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.engines.devices import has_fused_kernels
from undertow.engines.names import PARAMETERS, STARTED
from undertow.engines.protocol import (
    AdamRule,
    Array,
    Counted,
    MomentumRule,
    Neighbours,
    Noise,
    Objective,
    Place,
    Pressure,
    Start,
    Steps,
)
from undertow.engines.torch import divergence, noise_contrast, ratios
from undertow.engines.torch.documents import Seen, to_device, to_host
from undertow.engines.torch.draws import alias_table
from undertow.engines.torch.gathered import gathered
from undertow.engines.torch.gibbs import Model, model_of
from undertow.engines.torch.gradient import TorchGradient
from undertow.engines.torch.held import Held, overwrite
from undertow.engines.torch.metropolis import Offers
from undertow.engines.torch.troubles import in_words
from undertow.engines.torch.updates import Updates
from undertow.model.parameters import LARGEST, Parameters

DOCUMENTS_AT_ONCE = 65_536
OF_GAINS = {PARAMETERS + "visible_bias", PARAMETERS + "word_weights"}
NO_GAIN = 1e-5  # b = log p up to the rounding of single precision


@in_words
class TorchSession:
    """Holds tensors on its device; the parameters given stay as they are."""

    def __init__(self, parameters: Parameters, start: Start, device: Any) -> None:
        self.device, self.start = device, start
        self.values = {
            name: to_device(array.copy(), device) for name, array in parameters.arrays().items()
        }
        self.held = Held(device)
        self._kind, self._learned = type(parameters), list(parameters.learned())
        # the words whose rows moved: all, until somebody asks
        self.flags = torch.ones(parameters.words, dtype=torch.bool, device=device)
        self._updates = Updates(self.values, self.held)
        self.stretches: Any = None  # what `stretch` keeps from one to the next
        self._frozen: Any = None  # gains of visible biases that are not learned, once known

    @property
    def parameters(self) -> Parameters:
        return self._kind(**{name: to_host(tensor) for name, tensor in self.values.items()})

    @cached_property
    def table(self) -> Any:
        """(K, 2) What words are drawn with: thresholds and aliases."""
        return alias_table(self.start.noise_distribution, self.device)

    # What survives

    def hold(self, name: str, array: NDArray[Any], *, learned: bool = False) -> None:
        self.held.hold(name, array)
        if learned:
            self._learned.append(name)

    def learned(self) -> dict[str, NDArray[Any]]:
        return {name: to_host(self._tensor(name)) for name in self._learned}

    def not_finite(self) -> list[str]:
        sound = [(self._tensor(name).abs() <= LARGEST).all() for name in self._learned]
        told = torch.stack(sound).tolist()
        return [name for name, is_sound in zip(self._learned, told, strict=True) if not is_sound]

    def _tensor(self, name: str) -> Any:
        return self.values[name] if name in self.values else self.held[name]

    def arrays(self) -> dict[str, NDArray[Any]]:
        own = {PARAMETERS + name: to_host(tensor) for name, tensor in self.values.items()}
        return own | self.held.arrays()

    def restore(
        self, arrays: Mapping[str, NDArray[Any]], words: NDArray[np.int32] | None = None
    ) -> None:
        own = {PARAMETERS + name: tensor for name, tensor in self.values.items()}
        for name in arrays.keys() & own.keys():
            overwrite(own[name], arrays[name], words)
        if arrays.keys() & OF_GAINS:  # else they are as they were, after every meeting of replicas
            self._frozen = None
        self.held.restore({name: arrays[name] for name in arrays if name not in own}, words)

    def take(
        self, names: Sequence[str], words: NDArray[np.int32] | None = None
    ) -> dict[str, NDArray[Any]]:
        own = {PARAMETERS + name: tensor for name, tensor in self.values.items()}
        found = {}
        for name in names:
            tensor = own[name] if name in own else self.held[name]
            rows = tensor if words is None else tensor[to_device(words, self.device, torch.int64)]
            found[name] = to_host(rows).copy()
        return found

    def moved(self) -> NDArray[np.int32]:
        found = to_host(torch.nonzero(self.flags)[:, 0]).astype(np.int32)
        self.flags.zero_()
        return found

    # alpha-NCE and NCE

    def keep_words(
        self, batch: CountBatch, place: Place, level: float | tuple[float, float]
    ) -> noise_contrast.Kept:
        return noise_contrast.keep_words(batch, place, level, self.start.seed, self.device)

    def draw_noise(self, kept: noise_contrast.Kept, noise: Noise) -> noise_contrast.Drawn:
        return noise_contrast.draw_noise(kept, noise, self.table, self.start.seed)

    def contrast(
        self, drawn: noise_contrast.Drawn, objective: Objective, pressure: Pressure
    ) -> TorchGradient:
        name, values = objective.corrections, self.values
        gains, softmax = self._gains(objective.learns_visible_bias)
        model = noise_contrast.Model(
            values["weights"],
            values["hidden_bias"],
            values["word_weights"],
            gains,
            softmax,
            None if name is None else self.held[name],
        )
        return noise_contrast.contrast(drawn, model, objective, pressure)

    @cached_property
    def _log_noise(self) -> Any:
        return to_device(np.log(self.start.noise_distribution), self.device)

    def _gains(self, learned: bool) -> tuple[Any, Any]:
        """What visible biases add to log-ratios; a pass over the vocabulary where they are
        learned.
        """
        if learned or self._frozen is None:
            biases = (self.values["visible_bias"], self.values["word_weights"])
            gains, softmax = noise_contrast.gains_of(*biases, self._log_noise)
            if learned:
                return gains, softmax
            self._frozen = (gains if float(gains.abs().max()) > NO_GAIN else None, None)
        return self._frozen[0], None

    @property
    def biases_are_noise(self) -> bool:
        """Whether visible biases that are not learned stand at log p, where nothing is gained."""
        return self._gains(False)[0] is None

    def documents_at_once(self, steps: Steps) -> int:
        if not has_fused_kernels(self.device):
            return 0
        from undertow.engines.torch import stretch  # needs Triton

        return DOCUMENTS_AT_ONCE if stretch.is_known(self, steps) else 0

    def stretch(
        self, batches: Sequence[CountBatch], places: Sequence[Place], steps: Steps
    ) -> Counted | None:
        if not has_fused_kernels(self.device):
            return None
        from undertow.engines.torch import stretch  # needs Triton

        with torch.cuda.device(self.device):
            return stretch.take(self, batches, places, steps)

    # CD, PCD and CD by Metropolis-Hastings

    def see(self, batch: CountBatch) -> Seen:
        return divergence.seen_of(batch, self._model)

    def gibbs(
        self, seen: Seen, place: Place, *, steps: int, weighted: bool, chains: str | None = None
    ) -> Seen:
        left = (
            None
            if chains is None
            else divergence.Chains(self.held[chains + STARTED], self.held[chains])
        )
        seed = self.start.seed
        return divergence.gibbs(
            seen, place, self._model, seed=seed, steps=steps, weighted=weighted, chains=left
        )

    def walk(self, seen: Seen, place: Place, *, steps: int, proposals: int, weighted: bool) -> Seen:
        numbers = {"seed": self.start.seed, "steps": steps, "proposals": proposals}
        return divergence.walk(seen, place, self._model, self._offers, weighted=weighted, **numbers)

    def difference(self, seen: Seen, sample: Seen, pressure: Pressure) -> TorchGradient:
        return divergence.difference(seen, sample, self._model, pressure)

    @property
    def _model(self) -> Model:
        return model_of(self.values)

    @property
    def _offers(self) -> Offers:
        return Offers(self.table, self._log_noise)

    # Ratio matching

    def match_ratios(
        self, batch: CountBatch, place: Place, neighbours: Neighbours, pressure: Pressure
    ) -> TorchGradient:
        model, offers, seed = self._model, self._offers, self.start.seed
        return ratios.match(
            batch, place, neighbours, pressure, model=model, offers=offers, seed=seed
        )

    # Learners of your own

    def gather(
        self,
        words: NDArray[np.int32],
        slopes: Array,
        dense: Mapping[str, Array],
        *,
        loss: float,
        activity: Array,
    ) -> TorchGradient:
        return gathered(
            words,
            slopes,
            dense,
            loss=loss,
            activity=activity,
            vocabulary=len(self.values["weights"]),
            device=self.device,
        )

    # Optimizers

    def adam(self, gradient: TorchGradient, rule: AdamRule) -> None:
        self.flags.index_fill_(0, gradient.words, True)
        self._updates.adam(gradient, rule)

    def momentum(self, gradient: TorchGradient, rule: MomentumRule) -> None:
        self.flags.fill_(True)
        self._updates.momentum(gradient, rule)

    def move(self, words: NDArray[np.int32], steps: Array, dense: Mapping[str, Array]) -> None:
        rows = to_device(np.asarray(steps), self.device, torch.float32)
        others = {name: to_device(np.asarray(step), self.device) for name, step in dense.items()}
        own = to_device(np.asarray(words), self.device, torch.int64)
        self.flags.index_fill_(0, own, True)
        self._updates.move(own, rows, others)

    # Averages

    def average_rows(
        self,
        gradient: TorchGradient | None,
        *,
        step: int,
        decay: float,
        words: NDArray[np.int32] | None = None,
    ) -> None:
        own = None if gradient is None else gradient.words
        if words is not None:
            own = to_device(words, self.device, torch.int64)
        self._updates.average_rows(own, step=step, decay=decay)

    def average_others(
        self, gradient: TorchGradient | None, *, step: int, decay: float, since: int | None = None
    ) -> None:
        self._updates.average_others(gradient, step=step, decay=decay, since=since)
