"""How a `ReplicatedSoftmax` learns: where it begins, the run, and what is kept of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch, CountSource
from undertow.engines import Engine
from undertow.engines.devices import CPU
from undertow.estimators import _fitting, _noise_level
from undertow.estimators._documents import Documents, HeldDocuments
from undertow.estimators._health import Seen, check_alive, warn_of_dead_units
from undertow.estimators._shared_documents import SharedSource
from undertow.estimators.model_inputs import seed_of, word_weights
from undertow.learn import Run, Settings, defaults, train
from undertow.learn.registry import find_learner
from undertow.model import initial_parameters
from undertow.vectors import posteriors
from undertow.vectors.balance import balance_of, plain_balance
from undertow.vectors.codes import ENOUGH, Codes, learned_codes
from undertow.vectors.directions import word_directions
from undertow.vectors.joining import unit
from undertow.vectors.word_start import checked_word_vectors, started_from

LONGEST = 2**25  # words of a document: learners take 40 to 300 bytes for each
MOST_AT_ONCE = 2**28  # words of a minibatch

if TYPE_CHECKING:
    from undertow.estimators._saving import Saving
    from undertow.estimators.replicated_softmax import ReplicatedSoftmax


def begin(
    model: ReplicatedSoftmax,
    documents: Documents,
    word_vectors: Any = None,
    seed: int | None = None,
) -> None:
    """Checks what was asked for, and gives the model all that training begins from. `seed` is that
    of a fit which is gone on with.
    """
    units = _check.whole_number("n_components", model.n_components, at_least=1)
    model._check_features()
    vectors = (
        None if word_vectors is None else checked_word_vectors(word_vectors, model.n_features_in_)
    )
    totals = documents.totals()
    weights = word_weights(model.weighting, totals)
    if not weights @ totals.tokens > 0:
        raise InvalidInput(
            "X must hold a document with a word of positive weight, "
            f"got none in n_samples={documents.size} (idf gives words that are in every "
            f"document the weight 0)"
        )
    drawn = seed_of(model.random_state)
    model._seed = drawn if seed is None else seed
    model.typical_length_ = _typical_length(documents, weights, totals.tokens, model._seed)
    model.noise_distribution_ = totals.word_distribution()
    model.parameters_ = initial_parameters(units, model.noise_distribution_, weights, model._seed)
    if vectors is not None:
        model.parameters_ = started_from(
            model.parameters_, vectors, model.noise_distribution_, model._seed
        )
    model.parameters_ = model._first(model.parameters_)
    model.noise_level_ = getattr(find_learner(model.learner), "noise_level", None)
    model.history_, model.n_iter_, model.unit_names_ = [], 0, {}
    model.activity_, model.dead_units_ = np.zeros(units), np.zeros(0, dtype=np.intp)
    directions = word_directions(
        documents.sample(model._seed), model.parameters_.word_weights, units, model._seed
    )
    model.balance_ = plain_balance(units, model.typical_length_, directions)
    model.codes_ = None
    model._run_state = {}


def _typical_length(
    documents: Documents,
    weights: NDArray[np.float64],
    tokens: NDArray[np.int64],
    seed: int,
) -> float:
    """The median weighted length; the mean where all of a sample are empty."""
    lengths = documents.sample(seed) @ weights
    known = lengths[lengths > 0]
    return float(np.median(known) if len(known) else weights @ tokens / documents.size)


def learn(model: ReplicatedSoftmax, documents: Documents, saving: Saving | None = None) -> None:
    """All epochs of `fit`."""
    stopping = None
    if model.early_stopping:
        fraction = _check.number(
            "validation_fraction", model.validation_fraction, above=0.0, below=1.0
        )
        patience = _check.whole_number("n_iter_no_change", model.n_iter_no_change, at_least=1)
        documents, held_out = documents.hold_out(fraction, model._seed)
        stopping = _fitting.EarlyStopping(held_out, patience)
    batch_size = _check.whole_number("batch_size", model.batch_size, at_least=1)
    epochs = defaults.epochs_for(model.max_epochs, documents.size, batch_size)
    if model.noise_level_ == "auto":
        if saving is not None and saving.level is not None:
            model.noise_level_, model.noise_level_scores_ = saving.level
        else:
            _choose_noise_level(model, documents, epochs)
    # with early stopping, the end is not known
    _train(model, documents, epochs, stopping, annealed=stopping is None, saving=saving)


def one_more_epoch(model: ReplicatedSoftmax, documents: Documents) -> None:
    """That of `partial_fit`."""
    if model.noise_level_ == "auto":
        _choose_noise_level(model, documents, 1)
    _train(model, documents, 1, None, goes_on=True)


def _choose_noise_level(model: ReplicatedSoftmax, documents: Documents, epochs: int) -> None:
    """Tries noise levels in short runs on a part of the documents; questions from the others
    decide.
    """
    sample = HeldDocuments(documents.sample(model._seed))
    known, held_out = sample.hold_out(0.1, model._seed)
    halves = _noise_level.questions(held_out, known.sample(model._seed))
    short = _noise_level.trial_epochs(epochs, documents.size, sample.size, model.batch_size)
    # of the run that the trials are for
    steps = epochs * math.ceil(documents.size / model.batch_size)

    def trial(level: float) -> float:
        run, source = _new_run(model, known, short, level, paced_as=steps)
        learned = train(run, source, epochs=short).result()
        return halves.lift(
            lambda half: posteriors(learned, CountBatch.from_csr(half), engine=model._engine())
        )

    model.noise_level_scores_ = _noise_level.figures(trial, verbose=model.verbose)
    model.noise_level_ = _noise_level.best(model.noise_level_scores_)


def _train(
    model: ReplicatedSoftmax,
    documents: Documents,
    epochs: int,
    stopping: _fitting.EarlyStopping | None,
    *,
    annealed: bool = False,
    goes_on: bool = False,
    saving: Saving | None = None,
) -> None:
    run, source = _new_run(model, documents, epochs if annealed else 0, model.noise_level_)
    watched = bool(model.verbose) if saving is None else saving.watches(bool(model.verbose))
    watch = stopping or (_fitting.SplitHalf(documents.sample(model._seed)) if watched else None)
    if saving is not None and saving.join(run, model, stopping, watched):
        _keep(model, run, documents, stopping, goes_on)
        return
    try:
        _fitting.run_epochs(
            run,
            source,
            epochs=model.n_iter_ + epochs,
            watch=watch,
            callbacks=model.callbacks or (),
            caller=model,
            verbose=model.verbose,
            saving=saving,
        )
    except KeyboardInterrupt:
        # what was learned so far is kept; after any other error, what was there before
        _keep(model, run, documents, stopping, goes_on)
        raise
    _keep(model, run, documents, stopping, goes_on, whole=not goes_on)


def _new_run(
    model: ReplicatedSoftmax,
    documents: Documents,
    epochs: int,
    level: Any,
    paced_as: int | None = None,
) -> tuple[Run, CountSource]:
    """A run from the present parameters on, annealed over so many epochs (0: not annealed), and
    its source.

    `paced_as` is for how many steps the optimizer is set up, where these are not the run's own.
    """
    source = documents.source(model.parameters_.word_weights.astype(np.float64))
    _check_lengths(model, documents, source.longest)
    most = max(source.parts) if isinstance(source, SharedSource) else source.documents
    steps_before = int(model._run_state.get("steps", 0))
    engine = model._engine()
    replicas = 1 if paced_as is not None else _replicas(model, engine, most if epochs else 0)
    minibatches = math.ceil(most / model.batch_size)  # of one machine
    steps = epochs * math.ceil(minibatches / replicas)
    # A part of a stream says nothing of how many documents there are.
    known = source.documents if epochs else defaults.FEW
    copies = replicas * (len(source.parts) if isinstance(source, SharedSource) else 1)
    paced = steps if paced_as is None else paced_as
    settings = settings_of(model, level, paced, known, copies)
    planned = steps_before + steps if epochs else 0
    settings = replace(settings, planned_steps=planned, replicas=replicas)
    if isinstance(source, SharedSource):
        # of the workers; this process takes no step
        interval = source.crew.settings.interval or settings.interval
        source.settings = replace(settings, interval=interval)
        settings = replace(settings, replicas=1)
    sizes = {"documents": documents.rows, "longest": source.longest}
    run = Run(
        model.parameters_.copy(),
        model.noise_distribution_,
        settings,
        **sizes,
        engine=engine,
    )
    run.adopt(model._run_state, epoch=model.n_iter_)
    return run, source


def _check_lengths(model: ReplicatedSoftmax, documents: Documents, longest: int) -> None:
    """Refuses what would take all memory there is: learners draw words for the words of a
    minibatch.
    """
    advice = "count_transform='log' damps large counts, or give documents in parts"
    if longest > LONGEST:
        raise InvalidInput(
            f"documents must have at most {LONGEST:,} words, got one with {longest:,}: {advice}"
        )
    if longest * model.batch_size > MOST_AT_ONCE:
        lengths = np.sort(np.asarray(documents.sample(model._seed).sum(axis=1)).ravel())
        words = int(lengths[-model.batch_size :].sum())
        if words > MOST_AT_ONCE:
            raise InvalidInput(
                f"batch_size must be so small that a minibatch has at most {MOST_AT_ONCE:,} words, "
                f"got {model.batch_size}, and documents with {words:,} in all: {advice}"
            )


def _replicas(model: ReplicatedSoftmax, engine: Engine, documents: int) -> int:
    """Trials of noise levels aside, how many there are; "auto" is one where another engine than
    that of cores computes.
    """
    if model.replicas == "auto" and engine.name != CPU:
        return 1
    given = model.replicas, find_learner(model.learner), model.optimizer
    return defaults.replicas_for(*given, documents, model.parameters_.weights.nbytes)


def settings_of(
    model: ReplicatedSoftmax, noise_level: Any, steps: int, documents: int, replicas: int = 1
) -> Settings:
    """What the options of the model come to, for so many steps of so many replicas, and documents.

    Whether the run has replicas is the caller's to say.
    """
    learner = defaults.suited(find_learner(model.learner), noise_level, model.typical_length_)
    length = model.typical_length_
    return Settings(
        learner=learner,
        optimizer=defaults.make_optimizer(model.optimizer, learner, steps, length, replicas),
        sparsity=defaults.make_sparsity(
            model.sparsity_target, model.sparsity_cost, length, documents
        ),
        averaging=model.averaging,
        batch_size=model.batch_size,
        seed=model._seed,
    )


def _keep(
    model: ReplicatedSoftmax,
    run: Run,
    documents: Documents,
    stopping: _fitting.EarlyStopping | None,
    goes_on: bool,
    *,
    whole: bool = False,
) -> None:
    """What the run came to. That of a whole one is refused where all units have died of it; of a
    stream, later documents may wake them.
    """
    best = stopping.parameters if stopping else None
    learned = run.result() if best is None else best
    sample = documents.sample(model._seed)
    seen = Seen.of(learned, model._blocks(sample), model._engine())
    if whole:
        check_alive(seen)
    model.parameters_ = learned
    model.history_ = [*model.history_, *run.history]
    model.n_iter_ = run.epoch
    model._run_state = run.carried_state()
    model.activity_, model.dead_units_ = seen.activity, seen.dead
    filled = int((sample @ model.parameters_.word_weights > 0).sum())
    shares = np.round(model.activity_ * sample.shape[0]) / max(filled, 1)
    warn_of_dead_units(shares, run.steps, model.dead_units_)
    model.balance_ = balance_of(
        model.parameters_,
        model._blocks(sample),
        model.typical_length_,
        model.balance_.directions,
        engine=model._engine(),
    )
    model.codes_ = _codes(model, sample, model.codes_ if goes_on else None)


def revive(model: ReplicatedSoftmax, units: Any) -> None:
    """Gives these units the parameters that a new model begins with, drawn anew each time."""
    known = model.parameters_.units
    given = [] if units is None else units
    chosen = [_check.whole_number("units", one, at_least=0) for one in given]
    if any(unit >= known for unit in chosen):
        raise InvalidInput(f"units must be below {known}, got {max(chosen)}")
    parameters, fresh = model.parameters_.copy(), model._seed + 1 + model.n_iter_
    weights = parameters.word_weights.astype(np.float64)
    new = initial_parameters(known, model.noise_distribution_, weights, fresh)
    parameters.weights[:, chosen] = new.weights[:, chosen]
    parameters.hidden_bias[chosen] = new.hidden_bias[chosen]
    model.parameters_, model._run_state = parameters, {}
    dead = [] if model.dead_units_ is None else model.dead_units_.tolist()
    left = [unit for unit in dead if unit not in set(chosen)]
    model.dead_units_ = np.array(left, dtype=np.intp)
    model.unit_names_ = {
        unit: name for unit, name in model.unit_names_.items() if unit not in set(chosen)
    }


def _codes(
    model: ReplicatedSoftmax, sample: sparse.csr_array, before: Codes | None
) -> Codes | None:
    """Codes learned from some of the documents. A stream keeps the turns of its first part, so that
    codes of before and after are comparable, about a centre that goes with it.
    """
    some = sample[:: -(-sample.shape[0] // ENOUGH)] if sample.shape[0] else sample
    vectors = unit(model._encoded(some, "strength"))[some @ model.parameters_.word_weights > 0]
    return learned_codes(vectors) if before is None else before.recentred(vectors)
