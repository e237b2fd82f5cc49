"""The experiments, by name, in the order of the page."""

from undertow.paper.experiments import alpha, beat, claims, family, fig1, fig2, fig3, table1, table2
from undertow.paper.report import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        claims.EXPERIMENT,
        fig1.EXPERIMENT,
        fig2.EXPERIMENT,
        table1.EXPERIMENT,
        fig3.EXPERIMENT,
        table2.EXPERIMENT,
        alpha.EXPERIMENT,
        beat.EXPERIMENT,
        family.EXPERIMENT,
    )
}

__all__ = ["EXPERIMENTS"]
