"""What a run hands on to a later run on other documents."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.engine import make_case
from undertow.learn import Adam, AlphaNCE, ContrastiveDivergence, Learner, Run, Settings

LEARNED = AlphaNCE(visible_bias="learned", normaliser="learned")


def begun(learner: Learner, averaging: float) -> Run:
    case = make_case()
    settings = Settings(learner=learner, optimizer=Adam(), averaging=averaging)
    return Run(case.parameters, case.p, settings, documents=6, longest=case.corpus.longest)


def test_what_a_learner_learns_is_carried_and_chains_are_not() -> None:
    assert "learner.corrections" in begun(LEARNED, 0.0).carried_state()
    chains = begun(ContrastiveDivergence(persistent=True), 0.0)
    assert not [name for name in chains.carried_state() if name.startswith("learner.")]


@pytest.mark.parametrize("averaging", [0.0, 0.9])
def test_parameters_are_carried_where_averages_stand_before_them(averaging: float) -> None:
    carried = begun(LEARNED, averaging).carried_state()
    assert ("parameters.weights" in carried) == ("average.weights" in carried) == bool(averaging)
    assert "optimizer.row_moments" in carried


def test_longer_documents_take_over_what_both_have() -> None:
    first, later = begun(LEARNED, 0.0), begun(LEARNED, 0.0)
    carried = first.carried_state()
    carried["learner.corrections"] = np.arange(3.0)
    later.adopt(carried, epoch=1)
    found = later.session.arrays()["learner.corrections"]
    assert found[:3].tolist() == [0.0, 1.0, 2.0]
    assert not found[3:].any()
