"""A recipe: every number that decides how a Replicated Softmax is trained, and the estimator it
stands for.

Nothing is left to the estimator's defaults: a cell is found again by its recipe, and a default that
changes later must not pass for the figures of an earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from undertow.estimators import ReplicatedSoftmax

Options = tuple[tuple[str, float | int | str | bool | None], ...]


@dataclass(frozen=True)
class Recipe:
    """How to train; the numbers of hidden units and of the seed come with the cell."""

    learner: Literal["cd", "mh-cd", "nce", "alpha-nce", "ratio-matching"] = "alpha-nce"
    weighting: Literal["idf"] | None = None
    count_transform: Literal["log"] | None = "log"  # ceil(log(1 + v))
    # CD, by Metropolis-Hastings, too
    n_steps: int | tuple[int, int] = 1  # of Gibbs sampling; rising from the first to the second
    # NCE and alpha-NCE
    n_noise: int = 25
    noise_level: float | tuple[float, float] | Literal["auto"] = 0.5  # alpha; NCE without UCE has 0
    sharpness: float = 1.0  # 1 is the paper's
    # all
    optimizer: Literal["adam", "sgd"] = "adam"
    learning_rate: float = 0.01
    # how many times that rate it begins with, to fall to nothing; 0 for a constant rate
    annealing: float = 0.0
    momentum: float = 0.0  # of SGD
    l2: float = 1e-4
    hidden_bias_rate: float = 1.0  # the hidden bias's learning rate, as a share of the weights'
    sparsity_target: float = 0.1
    sparsity_cost: float = 0.0
    averaging: float = 0.0
    batch_size: int = 128
    epochs: int | Literal["auto"] = "auto"
    early_stopping: bool = False
    patience: int = 5  # epochs without a rise, with early stopping
    # what has no field of its own: ((option, value), ...)
    learner_options: Options = ()
    optimizer_options: Options = ()
    estimator_options: Options = ()


UNUSED = {
    "cd": ("n_noise", "noise_level", "sharpness"),
    "mh-cd": ("n_noise", "noise_level", "sharpness"),
    "ratio-matching": ("n_steps", "n_noise", "noise_level", "sharpness"),
    "nce": ("n_steps", "noise_level", "sharpness"),
    "alpha-nce": ("n_steps",),
}


def normalised(recipe: Recipe) -> Recipe:
    """The recipe with defaults for what its learner does not use, so that a change of those
    computes nothing anew.
    """
    unused = list(UNUSED[recipe.learner])
    unused += ["momentum"] if recipe.optimizer == "adam" else []
    unused += ["patience"] if not recipe.early_stopping else []
    unused += ["sparsity_target"] if recipe.sparsity_cost == 0 else []
    return replace(recipe, **{name: getattr(Recipe, name) for name in unused})


def estimator(
    recipe: Recipe, *, hidden: int, seed: int, threads: int | None = 1
) -> ReplicatedSoftmax:
    """The estimator that a recipe stands for; the number of threads does not change what it
    learns.
    """
    from undertow.estimators import ReplicatedSoftmax

    return ReplicatedSoftmax(
        hidden,
        learner=learner(recipe),
        optimizer=_optimizer(recipe),
        weighting=recipe.weighting,
        count_transform=recipe.count_transform,
        sparsity_target=recipe.sparsity_target,
        sparsity_cost=recipe.sparsity_cost,
        averaging=recipe.averaging,
        batch_size=recipe.batch_size,
        replicas=1,
        max_epochs=recipe.epochs,
        early_stopping=recipe.early_stopping,
        validation_fraction=0.1,
        n_iter_no_change=recipe.patience,
        random_state=seed,
        n_jobs=threads,
        **_given(recipe.estimator_options),
    )


def learner(recipe: Recipe) -> Any:
    """The engine's learner; "nce" is plain NCE, full noise and no UCE, with the paper's frozen
    normaliser.
    """
    from undertow.learn import (
        AlphaNCE,
        ContrastiveDivergence,
        MetropolisDivergence,
        RatioMatching,
    )

    options = _given(recipe.learner_options)
    if recipe.learner == "cd":
        return ContrastiveDivergence(n_steps=recipe.n_steps, **options)
    if recipe.learner == "mh-cd":
        return MetropolisDivergence(**{"n_steps": recipe.n_steps, **options})
    if recipe.learner == "ratio-matching":
        return RatioMatching(**options)
    if recipe.learner == "nce":
        return AlphaNCE(
            n_noise=recipe.n_noise, noise_level=0.0, uniform=False, sharpness=1.0, **options
        )
    level: Any = recipe.noise_level
    return AlphaNCE(
        n_noise=recipe.n_noise, noise_level=level, sharpness=recipe.sharpness, **options
    )


def _optimizer(recipe: Recipe) -> Any:
    from undertow.learn import SGD, Adam

    options = _given(recipe.optimizer_options)
    common: dict[str, Any] = {
        "learning_rate": recipe.learning_rate,
        "annealing": recipe.annealing,
        "l2": recipe.l2,
        "hidden_bias_rate": recipe.hidden_bias_rate,
    }
    if recipe.optimizer == "sgd":
        return SGD(**common, momentum=recipe.momentum, **options)
    return Adam(**common, **options)


def _given(options: Options) -> dict[str, Any]:
    return dict(options)
