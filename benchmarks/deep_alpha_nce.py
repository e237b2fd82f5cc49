"""alpha-NCE for two layers, which lost to alpha-NCE of one: kept so that it can be tried again.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.deep_alpha_nce --latent 20 [--idf]

For given latent words U the bound of mean field is that of one layer on V + U, whatever U was found
by. The U that is best for the kept part V_r of a document can stand beside the document and each of
its noises, all of which hold V_r: what does not hold units cancels, and

    X(V) = (1/L) [S(V + U) - S(V_r + U)].

U is drawn once a document, by mean field among words that are drawn from p, so that nothing grows
with the number of words. `--latent 0` is alpha-NCE of one layer by the same program. Judged on the
validation part of `benchmarks.defaults`; docs/design_notes.md has what was found.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from scipy import sparse

from benchmarks.defaults import newsgroups
from undertow import CountBatch, DeepReplicatedSoftmax
from undertow.engines import Gradient, Place, Pressure, Session
from undertow.kernels import randomness
from undertow.kernels.randomness import Purpose
from undertow.learn import Corpus, Options
from undertow.learn.completing import systematic
from undertow.model import Parameters, latent_words_of
from undertow.model.mean_field import mean_field
from undertow.model.token_factor import TokenFactor, logistic
from undertow.tasks import mean_average_precision, probe_accuracy

KEEP, WINDOW, STREAM, LATENT = range(6, 10)  # stages of draws, after those of the library
Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class DeepAlphaNCE(Options):
    """Options of alpha-NCE for two layers; with 0 passes there are no latent words."""

    n_noise: int = 25
    level: float = 0.7
    sharp: float = 10.0
    stream_length: int = 2048
    passes: int = 3

    layers = 2

    def begin(self, session: Session, corpus: Corpus, pressure: Pressure) -> DeepAlphaNCEStep:
        """The step of a run."""
        return DeepAlphaNCEStep(self, session, pressure, corpus.seed)


class DrawnWords(TokenFactor):
    """g by importance sampling: of words drawn from p, up to a constant."""

    def __init__(self, parameters: Parameters, words: Numbers, log_p: Array) -> None:
        some = Parameters(
            parameters.weights[words],
            parameters.hidden_bias,
            parameters.visible_bias[words],
            parameters.word_weights[words],
        )
        super().__init__(some)
        self._base -= log_p[words]


@dataclass(frozen=True)
class Split:
    """The tokens of a minibatch, and which are kept."""

    words: Numbers
    owners: Numbers
    kept: NDArray[np.bool_]
    sizes: Numbers  # kept tokens of each document
    gaps: Numbers  # the others


class DeepAlphaNCEStep:
    """Turns minibatches into gradients, in NumPy; b stays log p."""

    stands_still = ("visible_bias",)

    def __init__(
        self, options: DeepAlphaNCE, session: Session, pressure: Pressure, seed: int
    ) -> None:
        self._options, self._session, self._pressure = options, session, pressure
        self._seed = seed
        p = np.exp(session.parameters.visible_bias.astype(np.float64))
        self._log_p, self._ends = np.log(p / p.sum()), np.cumsum(p / p.sum())

    def gradient(self, batch: CountBatch, place: Place) -> Gradient:
        """Keep words, find latent ones, draw noise, contrast."""
        parameters, split = self._session.parameters, self._kept(batch, place.epoch)
        stream = self._stream(place, int(split.gaps.max()))
        words, at = np.unique(np.concatenate([split.words, stream]), return_inverse=True)
        own, drawn = at[: len(split.words)], at[len(split.words) :]
        shape = (batch.size, len(words))
        kept, rest = (
            _matrix(split.owners[some], own[some], shape) for some in (split.kept, ~split.kept)
        )
        w = parameters.word_weights[words].astype(np.float64)
        pull = w[:, None] * (parameters.weights[words].astype(np.float64) + parameters.hidden_bias)
        said = kept @ pull
        if self._options.passes:
            found = self._latent(said, split.sizes, stream, batch, place.epoch)
            kept = kept + _matrix(found.row, drawn[found.col], shape)
        begin = self._windows(batch, place.epoch, split.gaps, len(stream))
        ends = np.stack([begin, begin + split.gaps[:, None]])
        lengths = kept_and_all(split, parameters.word_weights.astype(np.float64))
        loss, activity, parts = self._contrast(kept, rest, pull, w, drawn, ends, lengths)
        rows = w[:, None] * (kept.T @ parts[0] + rest.T @ parts[1] + parts[2])
        dense = {"hidden_bias": rows.sum(axis=0)}
        slopes = rows.astype(np.float32)
        return self._session.gather(
            words.astype(np.int32), slopes, dense, loss=loss, activity=activity
        )

    def _contrast(
        self,
        kept: Any,
        rest: Any,
        pull: Array,
        w: Array,
        drawn: Numbers,
        ends: Numbers,
        lengths: tuple[Array, Array],
    ) -> tuple[float, Array, tuple[Array, Array, Array]]:
        """The loss, the activity, and slopes: of what kept tokens say, of what the others do, and
        of the rows of noise words.
        """
        options, (size, k) = self._options, ends.shape[1:]
        x_kept = np.asarray(kept @ pull)
        x = x_kept + np.asarray(rest @ pull)
        sums = np.vstack([np.zeros((1, pull.shape[1])), np.cumsum(pull[drawn], axis=0)])
        weights = np.concatenate([[0.0], np.cumsum(w[drawn])])
        x_noise = x_kept[:, None] + sums[ends[1]] - sums[ends[0]]
        noise_lengths = lengths[0][:, None] + weights[ends[1]] - weights[ends[0]]
        per, per_noise = (_inverse(each) for each in (lengths[1], noise_lengths))
        base = _score(x_kept)
        ratio = options.sharp * (_score(x) - base) * per - np.log(k)
        ratios = options.sharp * (_score(x_noise) - base[:, None]) * per_noise - np.log(k)
        loss = np.logaddexp(0.0, -ratio).mean() + np.logaddexp(0.0, ratios).sum() / size
        slope = -options.sharp * logistic(-ratio) * per / size
        slopes = options.sharp * logistic(ratios) * per_noise / size
        on = logistic(x).astype(np.float64)
        activity, pressure = on.mean(axis=0), self._pressure
        excess = activity - pressure.target
        loss += pressure.cost * np.square(excess).sum()
        of_rest = slope[:, None] * on + 2.0 * pressure.cost * excess * on * (1.0 - on) / size
        of_noise = slopes[:, :, None] * logistic(x_noise)
        of_base = (slope + slopes.sum(axis=1))[:, None] * logistic(x_kept)
        of_kept = of_rest + of_noise.sum(axis=1) - of_base
        flat = of_noise.reshape(size * k, -1)
        marks = np.concatenate([np.ones(size * k), -np.ones(size * k)])
        places = (ends.ravel(), np.tile(np.arange(size * k), 2))
        steps = sparse.csr_array(sparse.coo_array((marks, places), (len(drawn) + 1, size * k)))
        positions = np.cumsum(steps @ flat, axis=0)[:-1]
        back = _matrix(drawn, np.arange(len(drawn)), (len(w), len(drawn)))
        return float(loss), activity, (of_kept, of_rest, np.asarray(back @ positions))

    def _kept(self, batch: CountBatch, epoch: int) -> Split:
        words = np.repeat(batch.words, batch.counts).astype(np.int64)
        rows = np.repeat(np.arange(batch.size), np.diff(batch.starts))
        owners = np.repeat(rows, batch.counts)
        tokens = np.bincount(owners, minlength=batch.size)
        numbers = np.arange(len(words)) - (np.cumsum(tokens) - tokens)[owners]
        keys = self._uniforms(KEEP, epoch, batch.document_ids[owners], numbers)
        ranks = np.empty(len(words), dtype=np.int64)
        ranks[np.lexsort((keys, owners))] = numbers
        sizes = np.minimum(np.ceil(self._options.level * tokens - 1e-9), tokens - 1)
        sizes = sizes.astype(np.int64)
        return Split(words, owners, ranks < sizes[owners], sizes, tokens - sizes)

    def _stream(self, place: Place, least: int) -> Numbers:
        numbers = np.arange(max(self._options.stream_length, least))
        drawn = self._uniforms(STREAM, place.epoch, place.number, numbers)
        found = np.searchsorted(self._ends, drawn, side="right")
        return np.minimum(found, len(self._ends) - 1)

    def _latent(
        self, said: Array, sizes: Numbers, stream: Numbers, batch: CountBatch, epoch: int
    ) -> sparse.coo_array:
        parameters = self._session.parameters
        number, factor = latent_words_of(parameters), DrawnWords(parameters, stream, self._log_p)
        found = mean_field(factor, said, sizes, number, passes=self._options.passes)
        offsets = self._uniforms(LATENT, epoch, batch.document_ids, 0)
        drawn = systematic(found.shares, number, offsets).tocoo()
        times = np.repeat(np.arange(drawn.nnz), drawn.data)
        places = (drawn.row[times], drawn.col[times])
        return sparse.coo_array((np.ones(len(times)), places), shape=drawn.shape)

    def _windows(self, batch: CountBatch, epoch: int, gaps: Numbers, length: int) -> Numbers:
        noise = np.arange(self._options.n_noise)
        drawn = self._uniforms(WINDOW, epoch, batch.document_ids[:, None], noise)
        return np.floor(drawn * (length - gaps + 1)[:, None]).astype(np.int64)

    def _uniforms(self, stage: int, epoch: int, document: Any, draw: Any) -> Array:
        return randomness.uniforms(self._seed, Purpose.LATENT, stage, epoch, document, draw)


def kept_and_all(split: Split, w: Array) -> tuple[Array, Array]:
    """Weighted lengths of kept tokens and of all; latent words do not count."""
    each, size = w[split.words], len(split.sizes)
    kept = np.bincount(split.owners, weights=each * split.kept, minlength=size)
    whole = np.bincount(split.owners, weights=each, minlength=size)
    return np.asarray(kept, dtype=np.float64), np.asarray(whole, dtype=np.float64)


def _matrix(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    return sparse.csr_array(sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=shape))


def _score(x: Array) -> Array:
    result: Array = np.logaddexp(0.0, x).sum(axis=-1)
    return result


def _inverse(lengths: Array) -> Array:
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)


def main(arguments: list[str] | None = None) -> None:
    """Prints a line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--latent", type=int, default=20)
    parser.add_argument("--idf", action="store_true")
    parser.add_argument("--units", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--level", type=float, default=0.7)
    options = parser.parse_args(arguments)
    split = newsgroups()
    learner = DeepAlphaNCE(level=options.level, passes=3 if options.latent else 0)
    model = DeepReplicatedSoftmax(
        options.units,
        n_latent_words=max(options.latent, 1),
        learner=learner,
        weighting="idf" if options.idf else None,
        sparsity_cost="auto",
        max_epochs=options.epochs,
        random_state=0,
    ).fit(split.learn)
    known, asked = (model.encode(one, "posterior") for one in (split.known, split.held_out))
    labels = split.held_out_labels, split.known_labels
    found = mean_average_precision(asked, labels[0], known, labels[1])
    probe = probe_accuracy(known, labels[1], asked, labels[0])
    Console().print(f"{vars(options)}: MAP {found:.3f}, accuracy {probe.accuracy:.3f}")


if __name__ == "__main__":
    main()
