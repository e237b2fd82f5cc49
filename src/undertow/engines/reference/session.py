"""A training run in plain NumPy and float64: slow, obvious, and what engines are held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.engines.names import AVERAGE, AVERAGED_UNTIL, OPTIMIZER, PARAMETERS, STARTED
from undertow.engines.protocol import (
    AdamRule,
    Array,
    MomentumRule,
    Neighbours,
    Noise,
    Objective,
    Place,
    Pressure,
    Start,
    Steps,
)
from undertow.engines.reference import noise_contrast
from undertow.engines.reference.documents import Seen, dense_counts
from undertow.engines.reference.gradient import ReferenceGradient
from undertow.kernels.reference import (
    draws,
    energies,
    gibbs,
    metropolis,
    objectives,
    ratio_matching,
)
from undertow.kernels.reference import steps as step_by_step
from undertow.model.parameters import LARGEST, Parameters


class ReferenceSession:
    """Holds float64 copies; the parameters given stay as they are."""

    def __init__(self, parameters: Parameters, start: Start) -> None:
        self._kind, self._start = type(parameters), start
        self._values = {
            name: array.astype(np.float64) for name, array in parameters.arrays().items()
        }
        self._learned = list(parameters.learned())
        self._held: dict[str, NDArray[Any]] = {}
        self._moved = np.ones(parameters.words, dtype=bool)

    @property
    def parameters(self) -> Parameters:
        arrays = {name: array.astype(np.float32) for name, array in self._values.items()}
        return self._kind(**arrays)

    # What survives

    def hold(self, name: str, array: NDArray[Any], *, learned: bool = False) -> None:
        wide = np.float64 if array.dtype.kind == "f" else array.dtype
        self._held[name] = array.astype(wide)
        if learned:
            self._learned.append(name)

    def learned(self) -> dict[str, NDArray[Any]]:
        return {name: self._array(name) for name in self._learned}

    def not_finite(self) -> list[str]:
        return [
            name
            for name, array in self.learned().items()
            if not (array.min() >= -LARGEST and array.max() <= LARGEST)  # no NaN is
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        own = {PARAMETERS + name: array for name, array in self._values.items()}
        return own | self._held

    def restore(
        self, arrays: Mapping[str, NDArray[Any]], words: NDArray[np.int32] | None = None
    ) -> None:
        own = self.arrays()
        for name, array in arrays.items():
            own[name][... if words is None else words] = array

    def take(
        self, names: Sequence[str], words: NDArray[np.int32] | None = None
    ) -> dict[str, NDArray[Any]]:
        own = self.arrays()
        return {name: own[name].copy() if words is None else own[name][words] for name in names}

    def moved(self) -> NDArray[np.int32]:
        found = np.flatnonzero(self._moved).astype(np.int32)
        self._moved[:] = False
        return found

    def _array(self, name: str) -> NDArray[Any]:
        return self._values[name] if name in self._values else self._held[name]

    # alpha-NCE and NCE

    def keep_words(
        self, batch: CountBatch, place: Place, level: float | tuple[float, float]
    ) -> noise_contrast.Kept:
        words = len(self._values["weights"])
        return noise_contrast.keep_words(batch, place, level, words, self._start.seed)

    def draw_noise(self, kept: noise_contrast.Kept, noise: Noise) -> noise_contrast.Drawn:
        return noise_contrast.draw_noise(kept, noise, self._table, self._start.seed)

    @cached_property
    def _table(self) -> NDArray[np.uint32]:
        return draws.alias_table(self._start.noise_distribution)

    def contrast(
        self, drawn: noise_contrast.Drawn, objective: Objective, pressure: Pressure
    ) -> ReferenceGradient:
        longest = int(drawn.kept.counts.sum(axis=1).max())
        name = objective.corrections
        corrections = np.zeros(longest + 1) if name is None else self._held[name]
        model = self._model(corrections)
        return noise_contrast.contrast(drawn, model, objective, pressure)

    def _model(self, corrections: NDArray[np.float64]) -> objectives.Model:
        W, a, b, w = (
            self._values[name]
            for name in ("weights", "hidden_bias", "visible_bias", "word_weights")
        )
        return objectives.Model(W, a, b, w, self._start.noise_distribution, corrections)

    def documents_at_once(self, steps: Steps) -> int:
        return 0

    def stretch(self, batches: Sequence[CountBatch], places: Sequence[Place], steps: Steps) -> None:
        return None

    # CD, PCD and CD by Metropolis-Hastings

    def see(self, batch: CountBatch) -> Seen:
        return self._see(batch.document_ids, dense_counts(batch, len(self._values["weights"])))

    def _see(self, ids: NDArray[np.int64], counts: draws.Counts) -> Seen:
        values = self._values
        u, W, a = values["word_weights"] * counts, values["weights"], values["hidden_bias"]
        on, score = energies.posterior(u, W, a), energies.score(u, W, a)
        return Seen(ids, counts, on, energies.lengths(u), score)

    def gibbs(
        self, seen: Seen, place: Place, *, steps: int, weighted: bool, chains: str | None = None
    ) -> Seen:
        seed, epoch = self._start.seed, place.epoch
        hidden = gibbs.hidden_units(seed, epoch, 0, seen.ids, seen.posteriors)
        if chains is not None:
            going = self._held[chains + STARTED][seen.ids] == 1
            left = self._held[chains][seen.ids[going]]
            hidden[going] = np.unpackbits(left, axis=1, count=hidden.shape[1])
        sample = seen
        for step in range(steps):
            if step:
                hidden = gibbs.hidden_units(seed, epoch, step, seen.ids, sample.posteriors)
            sample = self._see(seen.ids, self._words(seen, hidden, epoch, step, weighted=weighted))
        if chains is not None:
            hidden = gibbs.hidden_units(seed, epoch, steps, seen.ids, sample.posteriors)
            self._held[chains][seen.ids] = np.packbits(hidden.astype(bool), axis=1)
            self._held[chains + STARTED][seen.ids] = 1
        return sample

    def _words(
        self, seen: Seen, hidden: NDArray[np.float64], epoch: int, step: int, *, weighted: bool
    ) -> draws.Counts:
        """The counts of words drawn given hidden units, as many as each document has."""
        logits = self._word_logits(hidden, weighted=weighted)
        counts = np.zeros_like(seen.counts)
        for d, document in enumerate(seen.ids):
            tokens, seed = int(seen.counts[d].sum()), self._start.seed
            drawn = gibbs.words_of(seed, epoch, step, int(document), logits[d], tokens)
            np.add.at(counts[d], drawn, 1)
        return counts

    def _word_logits(self, hidden: NDArray[np.float64], *, weighted: bool) -> NDArray[np.float64]:
        W, a, b, w = (
            self._values[name]
            for name in ("weights", "hidden_bias", "visible_bias", "word_weights")
        )
        if not weighted:
            a, w = np.zeros_like(a), np.ones_like(w)
        return energies.word_logits(hidden, W, a, b, w)

    def walk(self, seen: Seen, place: Place, *, steps: int, proposals: int, weighted: bool) -> Seen:
        seed, epoch, vocabulary = self._start.seed, place.epoch, seen.counts.shape[1]
        words = [np.repeat(np.arange(vocabulary), counts) for counts in seen.counts]
        sample, log_p = seen, np.log(self._start.noise_distribution)
        for step in range(steps):
            hidden = gibbs.hidden_units(seed, epoch, step, seen.ids, sample.posteriors)
            pulls = self._word_logits(hidden, weighted=weighted) - log_p
            key = (seed, epoch, step)
            words = [
                metropolis.moved_words(key, document, own, pull, self._table, proposals)
                for document, own, pull in zip(seen.ids.tolist(), words, pulls, strict=True)
            ]
            counts = [np.bincount(own, minlength=vocabulary) for own in words]
            sample = self._see(seen.ids, np.array(counts))
        return sample

    def difference(self, seen: Seen, sample: Seen, pressure: Pressure) -> ReferenceGradient:
        model = self._model(np.zeros(1))
        W, a, b = objectives.divergence(model, seen.counts, sample.counts)
        penalty, pressed_W, pressed_a = objectives.sparsity(
            model, seen.counts, target=pressure.target, cost=pressure.cost
        )
        pull = self._values["word_weights"] * self._values["visible_bias"]
        gap = sample.counts @ pull + sample.scores - seen.counts @ pull - seen.scores
        touched = np.flatnonzero(seen.counts.any(axis=0) | sample.counts.any(axis=0))
        return ReferenceGradient(
            W + pressed_W,
            touched,
            {"hidden_bias": a + pressed_a, "visible_bias": b},
            float(np.mean(gap / seen.lengths)) + penalty,
            seen.posteriors.mean(axis=0),
            lazy_visible_bias=True,
        )

    # Ratio matching

    def match_ratios(
        self, batch: CountBatch, place: Place, neighbours: Neighbours, pressure: Pressure
    ) -> ReferenceGradient:
        counts, m = dense_counts(batch, len(self._values["weights"])), neighbours.replacements
        table = None if neighbours.uniform else self._table
        drawn = [
            ratio_matching.drawn(self._start.seed, place.epoch, document, own, table, m)
            for document, own in zip(batch.document_ids.tolist(), counts, strict=True)
        ]
        removed, added = np.array(drawn).reshape(-1, 2).T
        size = len(counts)
        replacements = ratio_matching.Replacements(
            np.repeat(np.arange(size), m), removed, added, np.full(size * m, 1.0 / (size * m))
        )
        model = self._model(np.zeros(1))
        loss, W, a, b = ratio_matching.ratio_matching(
            model, counts, replacements, uniform=neighbours.uniform
        )
        penalty, pressed_W, pressed_a = objectives.sparsity(
            model, counts, target=pressure.target, cost=pressure.cost
        )
        others = {"hidden_bias": a + pressed_a}
        return ReferenceGradient(
            W + pressed_W,
            np.union1d(np.flatnonzero(counts.any(axis=0)), added),
            others | ({"visible_bias": b} if neighbours.learns_visible_bias else {}),
            loss + penalty,
            energies.posterior(model.w * counts, model.W, model.a).mean(axis=0),
            lazy_visible_bias=True,
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
    ) -> ReferenceGradient:
        W = np.zeros_like(self._values["weights"])
        np.add.at(W, words, slopes)
        touched, seen = np.unique(words).astype(np.int64), activity.astype(np.float64)
        others = {name: slope.astype(np.float64) for name, slope in dense.items()}
        return ReferenceGradient(W, touched, others, loss, seen)

    # Optimizers

    def adam(self, gradient: ReferenceGradient, rule: AdamRule) -> None:
        self._moved[gradient.touched] = True
        for word in gradient.touched:
            self._adam_row(int(word), gradient.weights[word], rule)
        for name, slope in gradient.others.items():
            rate = rule.rate * (rule.hidden_bias_rate if name == "hidden_bias" else 1.0)
            moments, values = self._held[f"{OPTIMIZER}{name}_moments"], self._array(name)
            if name == "visible_bias" and gradient.lazy_visible_bias:
                for word in gradient.touched:
                    one, own = values[word : word + 1], slope[word : word + 1]
                    step_by_step.adam_row(
                        one, own, moments[word], rate=rate, decay=rule.decay, l2=0.0
                    )
            else:
                moments = moments[:, 0] if name == "visible_bias" else moments
                numbers = {"rate": rate, "decay": rule.decay}
                step_by_step.adam_vector(values, slope, moments, **numbers, step=rule.step)

    def _adam_row(self, word: int, slope: NDArray[np.float64], rule: AdamRule) -> None:
        row, numbers = self._values["weights"][word], {"rate": rule.rate, "l2": rule.l2}
        if OPTIMIZER + "row_moments" in self._held:
            moment = self._held[OPTIMIZER + "row_moments"][word]
            step_by_step.adam_row(row, slope, moment, decay=rule.decay, **numbers)
        else:
            names = ("first_moments", "second_moments", "masses")
            first, second, masses = (self._held[OPTIMIZER + name][word] for name in names)
            step_by_step.adam_elements(
                row,
                slope,
                first,
                second,
                masses,
                momentum=rule.momentum,
                decay=rule.decay,
                **numbers,
            )

    def momentum(self, gradient: ReferenceGradient, rule: MomentumRule) -> None:
        weights, velocity = self._values["weights"], self._velocity("weights")
        words = gradient.touched
        velocity[words] -= rule.rate * (gradient.weights[words] + rule.l2 * weights[words])
        weights += velocity
        self._moved[:] = True
        velocity *= rule.next_momentum  # it damps for the step to come
        for name, slope in gradient.others.items():
            rate = rule.rate * (rule.hidden_bias_rate if name == "hidden_bias" else 1.0)
            values, velocity = self._array(name), self._velocity(name)
            velocity *= rule.momentum
            velocity -= rate * slope
            values += velocity

    def _velocity(self, name: str) -> NDArray[Any]:
        return self._held[f"{OPTIMIZER}{name}_velocities"]

    def move(self, words: NDArray[np.int32], steps: Array, dense: Mapping[str, Array]) -> None:
        self._values["weights"][words] += steps
        self._moved[words] = True
        for name, step in dense.items():
            values = self._array(name)
            values += step

    # Averages

    def average_rows(
        self,
        gradient: ReferenceGradient | None,
        *,
        step: int,
        decay: float,
        words: NDArray[np.int32] | None = None,
    ) -> None:
        weights = self._values["weights"]
        rows = np.arange(len(weights)) if words is None else words.astype(np.int64)
        rows = rows if gradient is None else gradient.touched
        state = (self._held[AVERAGE + "weights"], self._held[AVERAGED_UNTIL])
        step_by_step.average_rows(rows, weights, *state, step=step, decay=decay)

    def average_others(
        self,
        gradient: ReferenceGradient | None,
        *,
        step: int,
        decay: float,
        since: int | None = None,
    ) -> None:
        stays = step_by_step.retained(step - 1 if since is None else since, step, decay)
        names = self._learned if gradient is None else list(gradient.others)
        for name in names:
            average = self._held.get(AVERAGE + name)
            if average is not None and name != "weights":
                average[:] = stays * average + (1.0 - stays) * self._values[name]
