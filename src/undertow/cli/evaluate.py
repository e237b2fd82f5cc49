"""`undertow evaluate`: how good a model's vectors and topics are on a corpus."""

from __future__ import annotations

from typing import Annotated

import typer

from undertow.cli import common
from undertow.cli._shown import say

WHOLE = ("topics", "documents_per_second", "perplexity_documents")
NOT_CALIBRATED = (
    "The model is not calibrated: its learner or its word weights do not lead to the probabilities "
    "of documents, so its perplexity is high or not to be found, and says nothing of vectors and "
    "topics. For likelihood: undertow fit --learner pcd --weighting none."
)


def evaluate(
    model: common.ModelArgument,
    corpus: common.CorpusArgument,
    n: Annotated[
        int | None, typer.Option("-n", help="Topics to judge.  \\[default: the model's own number]")
    ] = None,
    perplexity: Annotated[
        bool,
        typer.Option(
            "--perplexity",
            help="Also how well words are guessed, with an interval; this takes a minute or more.",
        ),
    ] = False,
    id_column: common.IdColumn = None,
    text_column: common.TextColumn = None,
    title_column: common.TitleColumn = None,
    label_column: common.LabelColumn = None,
    split_column: common.SplitColumn = None,
    json: common.Json = False,
    quiet: common.Quiet = False,
    seed: common.Seed = 0,
    debug: common.Debug = False,
) -> None:
    """Judge a model: split-half retrieval, and how coherent, diverse and close to the labels its
    topics are.

    With labels and a split column also softmax regression and retrieval of test documents.
    Coherence is the mean of the first ten words of each topic: npmi over whole documents, c_npmi
    and c_v over sliding windows.

    Examples:

        undertow evaluate model 20newsgroups

        undertow evaluate model 20newsgroups -n 50

        undertow evaluate model reviews.parquet --label-column stars --json

        undertow evaluate model 20newsgroups --perplexity
    """
    from undertow.estimators import evaluation

    trained = common.load_topic_model(model)
    if hasattr(trained, "atlas_"):
        common.check_cut(trained, n)
    columns = {"id": id_column, "text": text_column, "title": title_column, "label": label_column}
    columns |= {"split": split_column}
    silent = quiet or json
    with common.status("counting and encoding", silent=silent):
        documents = common.open_any(corpus, columns, remembered=trained.columns_, quiet=silent)
        read = evaluation.read_corpus(trained, documents)
    with common.status("classifying and retrieving", silent=silent):
        figures = evaluation.label_figures(trained.softmax_, read, seed)
    with common.status("judging topics", silent=silent):
        figures |= evaluation.label_free_figures(trained, read, n)
    if perplexity:
        with common.status("annealing", silent=silent):
            figures |= evaluation.perplexity_figures(trained, read, seed)
    if json:
        common.print_json(figures)
        return
    for name, value in figures.items():
        if name != "precision_at_recall":
            say(f"{name:22s} {_shown(name, value)}")
    if figures.get("calibrated") is False:
        say(NOT_CALIBRATED)


def _shown(name: str, value: float | None) -> str:
    """A figure for people."""
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.0f}" if name in WHOLE else f"{value:.4f}"
