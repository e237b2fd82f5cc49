"""`undertow evaluate`: how good a model's vectors and topics are on a corpus."""

from __future__ import annotations

import typer

from undertow.cli import common


def evaluate(
    model: common.ModelArgument,
    corpus: common.CorpusArgument,
    id_column: common.IdColumn = None,
    text_column: common.TextColumn = None,
    label_column: common.LabelColumn = None,
    split_column: common.SplitColumn = None,
    json: common.Json = False,
    quiet: common.Quiet = False,
    seed: common.Seed = 0,
    debug: common.Debug = False,
) -> None:
    """Judge a model. With labels and a split column: softmax regression and retrieval; always: split-half and topics.

    Examples:

        undertow evaluate model 20newsgroups

        undertow evaluate model reviews.parquet --label-column stars --json
    """
    from undertow.report import quality

    trained = common.load_topic_model(model)
    columns = {"id_column": id_column, "text_column": text_column, "label_column": label_column}
    silent = quiet or json
    with common.status("counting and encoding", silent=silent):
        documents = common.open_any(corpus, **columns, split_column=split_column, quiet=silent)
        read = quality.read_corpus(trained, documents)
    with common.status("classifying and retrieving", silent=silent):
        figures = quality.label_figures(trained.softmax_, read, seed)
    with common.status("judging topics", silent=silent):
        figures |= quality.label_free_figures(trained, read)
    if json:
        common.print_json(figures)
        return
    for name, value in figures.items():
        if name != "precision_at_recall":
            typer.echo(f"{name:22s} {value:,.0f}" if name == "documents_per_second" else f"{name:22s} {value:.4f}")
