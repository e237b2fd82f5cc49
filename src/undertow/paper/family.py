"""The family of learners beyond the paper's two: their recipes, by the names they have in tables.

All are of the same model, 128 units on 2,000 words of 20 Newsgroups, and in the tuned setting.
Settings were chosen on a part of the training documents (docs/family.md, docs/likelihood.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from undertow.paper import settings
from undertow.paper.kinds import Timed
from undertow.paper.recipe import Recipe
from undertow.paper.texts import NEWSGROUPS

CD_1, ALPHA_NCE = (settings.tuned(NEWSGROUPS, name) for name in ("CD-1", "α-NCE 25"))
METROPOLIS = replace(
    CD_1, learner="mh-cd", learner_options=(("proposals", 5), ("words", "unweighted"))
)
PCD_5 = Recipe(  # chosen for likelihood: benchmarks/perplexity.py
    learner="cd",
    n_steps=5,
    learner_options=(("persistent", True),),
    learning_rate=0.002,
    annealing=2.0,
    l2=1e-3,
    hidden_bias_rate=1.0,
    sparsity_cost=0.0,
    averaging=0.999,
    epochs=52,
)
NCE = Recipe(  # the defaults of learner="nce"; nobody tuned it
    learner="nce",
    learner_options=(("normaliser", "learned"), ("visible_bias", "learned")),
    annealing=3.0,
    hidden_bias_rate=0.01,
    sparsity_cost=0.3,
    averaging=0.999,
    epochs=60,
)
RATIO_MATCHING = Recipe(
    learner="ratio-matching",
    learner_options=(
        ("n_neighbours", 25),
        ("neighbours", "proposal"),
        ("visible_bias", "learned"),
    ),
    learning_rate=0.03,
    annealing=3.0,
    hidden_bias_rate=0.01,
    sparsity_cost=0.3,
    averaging=0.999,
    epochs=60,
)


@dataclass(frozen=True)
class Stopwatch:
    """A learner as `TimingCell` knows it: its name, and how many draws it makes."""

    learner: Timed
    draws: int


@dataclass(frozen=True)
class Member:
    """A row of the family's table; `times` are those of its steps, from the quickest to the slowest
    where they differ.
    """

    name: str
    recipe: Recipe
    times: tuple[Stopwatch, ...]

    @property
    def is_density(self) -> bool:
        """Whether it is asked for a perplexity: with word weights nothing here is calibrated."""
        return self.recipe.weighting is None


def with_idf(member: Member) -> Member:
    """The same with word weights, for which a step takes as long."""
    return replace(
        member, name=f"{member.name}, idf", recipe=replace(member.recipe, weighting="idf")
    )


_CD = Member("CD-1", CD_1, (Stopwatch("cd", 1),))
_MH_CD = Member("MH-CD", METROPOLIS, (Stopwatch("mh-cd", 5),))
_ALPHA_NCE = Member("α-NCE 25", ALPHA_NCE, (Stopwatch("alpha-nce", 25),))
_RATIOS = Member("ratio matching", RATIO_MATCHING, (Stopwatch("ratio-matching", 25),))
_PCD = Member("PCD-5", PCD_5, (Stopwatch("pcd", 5),))

MEMBERS = (
    _CD,
    Member(
        "CD, 1 to 5 steps", replace(CD_1, n_steps=(1, 5)), (Stopwatch("cd", 1), Stopwatch("cd", 5))
    ),
    _PCD,
    replace(_PCD, name="PCD-5, sparsity 10", recipe=replace(PCD_5, sparsity_cost=10.0)),
    _MH_CD,
    Member("NCE, log Z learned", NCE, (Stopwatch("nce", 25),)),
    _ALPHA_NCE,
    _RATIOS,
    *(with_idf(member) for member in (_CD, _MH_CD, _ALPHA_NCE, _RATIOS)),
)
# rows of Table 1 that the paper does not have; they have no faithful settings
BEYOND_THE_PAPER = tuple(
    member for member in MEMBERS if member.recipe.learner in ("mh-cd", "ratio-matching")
)
