"""Where the algorithm ends and the machine begins.

Above this line a step of training reads as in the paper: keep words, draw noise, contrast, update.
Below it an engine may do as it likes: threads, fused kernels, a device of its own. One contract
suite (tests/engines) holds for every engine.

`Handle` stands for what only the engine looks into: a minibatch laid out, noise that is drawn or is
yet to be drawn. Draws are functions of (seed, epoch, document, draw), so it does not matter when an
engine makes them: every engine draws the same. Arrays that survive from step to step are held under
names, which verbs are told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch, CountSource
from undertow.model.parameters import Parameters

Array = NDArray[np.floating[Any]]
Handle = Any
WordLists = Sequence[NDArray[np.int32]]


class Place(NamedTuple):
    """Where in a run a minibatch stands; with the run's seed it keys every draw."""

    epoch: int
    number: int  # of the minibatch in its epoch


@dataclass(frozen=True)
class Start:
    """What a session begins with, beside parameters."""

    noise_distribution: NDArray[np.float64]  # p (K,)
    seed: int


@dataclass(frozen=True)
class Noise:
    """How the words are drawn that replace a document's own."""

    documents: int  # k, noise documents for each document
    independent: bool = False  # words of their own, instead of windows of a shared stream
    stream_length: int = 1024  # words that 32 documents share, at least


@dataclass(frozen=True)
class Pressure:
    """Adds cost * sum_j (mean activity of unit j - target)^2 to the loss."""

    target: float
    cost: float


@dataclass(frozen=True)
class Objective:
    """How documents are contrasted with their noise (see `learn.alpha_nce`)."""

    uniform: bool  # divide the log-ratio by the document's length
    sharpness: float
    learns_visible_bias: bool = False
    corrections: str | None = None  # the name that c_D is held under, where log Z is learned


@dataclass(frozen=True)
class Neighbours:
    """Documents that differ from another in one token (see `learn.ratio_matching`)."""

    replacements: int  # m, drawn for each document
    uniform: bool  # by words that are all as likely, instead of words from p
    learns_visible_bias: bool = False


@dataclass(frozen=True)
class AdamRule:
    """One step of Adam (see `learn.optimizer`)."""

    rate: float
    hidden_bias_rate: float  # of the hidden bias, as a multiple of `rate`
    decay: float
    momentum: float
    l2: float
    step: int  # its number, from 1 on


@dataclass(frozen=True)
class MomentumRule:
    """One step of gradient descent with momentum."""

    rate: float
    hidden_bias_rate: float
    momentum: float
    next_momentum: float  # that of the step to come
    l2: float


@dataclass(frozen=True)
class Steps:
    """Steps of alpha-NCE with Adam, said in advance (see `Session.stretch`)."""

    level: float | tuple[float, float]
    noise: Noise
    objective: Objective
    pressure: Pressure
    rules: tuple[AdamRule, ...]  # one for each step; `AdamRule.step` is its number
    averaging: float  # the decay of running averages; 0 where there are none
    batch_size: int = 0  # documents of the run's minibatches, the last of which may have fewer


class Counted(Protocol):
    """What a stretch of steps saw. To read it is to wait for the device."""

    @property
    def loss(self) -> float:
        """The sum over minibatches of loss x documents."""
        ...

    @property
    def activity(self) -> NDArray[np.float64]:
        """(H,) The sum over minibatches of mean activity x documents."""
        ...

    @property
    def finite(self) -> bool:
        """False where training has diverged."""
        ...


class Gradient(Protocol):
    """The gradient of the loss of one minibatch, and what was seen on the way.

    Loops and optimizers hand it on to the session that made it. For a look inside, and for
    optimizers of your own, `rows` and `dense` write it out. It holds until the session makes the
    next one.
    """

    @property
    def loss(self) -> float:
        """Of the minibatch, a mean over its documents."""
        ...

    @property
    def activity(self) -> Array:
        """(H,) mean P(h_j | document)."""
        ...

    @property
    def finite(self) -> bool:
        """False where training has diverged."""
        ...

    def rows(self) -> tuple[NDArray[np.int32], Array]:
        """The words whose rows of W have a gradient, each once, and those rows, (n, H)."""
        ...

    def dense(self) -> dict[str, Array]:
        """The gradients of all other arrays that are learned, by name."""
        ...


class Session(Protocol):
    """A training run on an engine: parameters, and all that survives from step to step."""

    @property
    def parameters(self) -> Parameters:
        """As they are now."""
        ...

    # What survives

    def hold(self, name: str, array: NDArray[Any], *, learned: bool = False) -> None:
        """Takes an array into the session under a name; checkpoints keep it. What is learned has
        gradients, and optimizers move it. The rest is its holder's, to be changed in place where
        `arrays` shows it, until a verb is told its name: from then on it is the engine's.
        """
        ...

    def learned(self) -> dict[str, NDArray[Any]]:
        """All arrays that are learned, by name: those of the parameters and those held."""
        ...

    def not_finite(self) -> list[str]:
        """The names of what is learned and holds a number that is not finite, or larger than
        `undertow.model.parameters.LARGEST`: products with it would not be.
        """
        ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that survives, by name; parameters as "parameters.weights" and so on.

        What is its holder's is shown itself. What is the engine's may lie on a device: then it is a
        copy, as it is at the moment, and `restore` is what changes it.
        """
        ...

    def restore(
        self, arrays: Mapping[str, NDArray[Any]], words: NDArray[np.int32] | None = None
    ) -> None:
        """Overwrites what is held under these names: all of it, or the rows of these words."""
        ...

    def take(
        self, names: Sequence[str], words: NDArray[np.int32] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Copies of what is held under these names: all of it, or the rows of these words."""
        ...

    def moved(self) -> NDArray[np.int32]:
        """The words whose rows of W an optimizer moved (or may have moved) since this was asked
        last, ascending. All words where it is asked first: only from then on is it noted.
        """
        ...

    # alpha-NCE and NCE

    def keep_words(
        self, batch: CountBatch, place: Place, level: float | tuple[float, float]
    ) -> Handle:
        """Of every document a subset of its tokens, this share of them (or a share of its own)."""
        ...

    def draw_noise(self, kept: Handle, noise: Noise) -> Handle:
        """For every document k times as many words as were not kept, from p. What is drawn holds
        until the next draw.
        """
        ...

    def contrast(self, drawn: Handle, objective: Objective, pressure: Pressure) -> Gradient:
        """The gradient of telling documents from their noise."""
        ...

    def documents_at_once(self, steps: Steps) -> int:
        """How many documents `stretch` is best given in one call; 0 where it does not take such
        steps, as in engines that gain nothing by it.
        """
        ...

    def stretch(
        self, batches: Sequence[CountBatch], places: Sequence[Place], steps: Steps
    ) -> Counted | None:
        """Takes all these steps as the verbs would one by one, with moments per row and averages:
        for engines that are quicker when they need not come back between steps. None, and nothing
        done, where `documents_at_once` is 0.
        """
        ...

    # CD, PCD and CD by Metropolis-Hastings

    def see(self, batch: CountBatch) -> Handle:
        """What the hidden units see of documents: the positive phase."""
        ...

    def gibbs(
        self,
        seen: Handle,
        place: Place,
        *,
        steps: int,
        weighted: bool,
        chains: str | None = None,
    ) -> Handle:
        """What they see of samples after some Gibbs steps: the negative phase.

        `weighted`: words are drawn as the word weights say. `chains`: where hidden units are held,
        packed to bits, a row for each document, and before them whether there are any yet. Chains
        go on from these, and are left there.
        """
        ...

    def walk(
        self, seen: Handle, place: Place, *, steps: int, proposals: int, weighted: bool
    ) -> Handle:
        """What they see of samples after some Gibbs steps whose words move by Metropolis-Hastings:
        from the documents' own words on, every token is offered so many words from p in each step.
        `weighted` as of `gibbs`.
        """
        ...

    def difference(self, seen: Handle, sample: Handle, pressure: Pressure) -> Gradient:
        """The gradient that makes documents likelier and samples less so."""
        ...

    # Ratio matching

    def match_ratios(
        self, batch: CountBatch, place: Place, neighbours: Neighbours, pressure: Pressure
    ) -> Gradient:
        """The gradient that makes documents likelier than neighbours that are drawn for them."""
        ...

    # Learners of your own

    def gather(
        self,
        words: NDArray[np.int32],
        slopes: Array,
        dense: Mapping[str, Array],
        *,
        loss: float,
        activity: Array,
    ) -> Gradient:
        """A gradient computed elsewhere: a row of slopes for each of these words (words may
        repeat), and the gradients of other learned arrays.
        """
        ...

    # Optimizers

    def adam(self, gradient: Handle, rule: AdamRule) -> None:
        """A step of Adam over touched rows, with the moments that `learn.optimizer` holds."""
        ...

    def momentum(self, gradient: Handle, rule: MomentumRule) -> None:
        """A step with momentum over all rows, with the velocities that `learn.optimizer` holds."""
        ...

    def move(self, words: NDArray[np.int32], steps: Array, dense: Mapping[str, Array]) -> None:
        """Adds steps to the rows of these words, each named once, and to other learned arrays:
        what an optimizer of your own ends with.
        """
        ...

    # Averages

    def average_rows(
        self,
        gradient: Handle | None,
        *,
        step: int,
        decay: float,
        words: NDArray[np.int32] | None = None,
    ) -> None:
        """Brings the average of W up to a step in the rows that a gradient is about to move; None
        for the rows of these words, each named once, or for all. `learn.averaging` holds it.
        """
        ...

    def average_others(
        self, gradient: Handle | None, *, step: int, decay: float, since: int | None = None
    ) -> None:
        """Brings the averages of the other parameters that a gradient moved from the step before
        to this one; or, for None, those of all others, which stood still since step `since`.
        """
        ...


class Engine(Protocol):
    """Computes with models: what a session needs, and what encodes documents."""

    @property
    def name(self) -> str:
        """As `undertow.engines.find_engine` knows it."""
        ...

    def begin(self, parameters: Parameters, start: Start) -> Session:
        """A session, which changes these parameters or a copy of them."""
        ...

    def source(self, source: CountSource) -> CountSource:
        """The same documents, where this engine reads them best: on its device, say."""
        ...

    # Replicas (see `learn.replicas`)

    def replica(self, number: int, replicas: int) -> Engine:
        """What carries out one of so many replicas: a part of the machine, such as some threads or
        one device. It may be shared with others.
        """
        ...

    def together(self, works: Sequence[Callable[[], None]]) -> None:
        """Does these, each of which belongs to another replica, as many at a time as the machine
        has parts, and returns when all have ended. The first error is raised here.
        """
        ...

    def meet(self, sessions: Sequence[Session], names: Sequence[str], words: WordLists) -> bool:
        """Brings rows of arrays that these sessions hold alike to one value, in place: words[i] are
        the words whose rows session i moved, ascending, and a row becomes the mean of the sessions
        that moved it, in all sessions. False, and nothing done, from an engine that leaves this to
        `take` and `restore`. The bits are the same either way: sums in the arrays' precision and in
        the order of the sessions, times the quotient 1 / number.
        """
        ...

    def holding(self, arrays: Sequence[Array]) -> AbstractContextManager[None]:
        """Within it nobody changes these arrays: an engine may keep copies of them where it
        computes, for calls that are given the very arrays.
        """
        ...

    def inputs(
        self, rows: Array, word_weights: Array, batch: CountBatch
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Of every document the weighted sum of its words' rows (W.u), and the sum of its weighted
        counts (L).
        """
        ...

    def posteriors(
        self, parameters: Parameters, batch: CountBatch
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """P(h | document), and the scores S(u)."""
        ...

    def sample(
        self,
        parameters: Parameters,
        chances: NDArray[np.float32],
        batch: CountBatch,
        place: Place,
        seed: int,
    ) -> CountBatch:
        """One Gibbs step: hidden units that are on with these chances, then a new word for every
        token of the batch, from P(word | hidden units).
        """
        ...
