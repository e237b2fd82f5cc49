"""`undertow demo`: train on the documentation strings of the running Python's standard library, and show the topics.

The sources are read with `ast`; nothing is imported or executed, and nothing is downloaded.
"""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from undertow.learn import Run

UNITS, EPOCHS, WORDS_SHOWN = 32, 20, 8


def demo(
    seed: Annotated[int, typer.Option(help="Seed of the run; the same seed gives the same topics.")] = 0,
) -> None:
    """Train a small model on the standard library's documentation strings and print its topics.

    Example: undertow demo --seed 1
    """
    from rich.console import Console

    console = Console()
    with console.status("reading documentation strings"):
        texts = list(docstrings(Path(sysconfig.get_paths()["stdlib"])))
    console.print(f"{len(texts):,} documentation strings of the standard library")
    run, vocabulary = _train(texts, seed)
    _show_topics(run, vocabulary, console)


def docstrings(folder: Path) -> Iterator[str]:
    """The documentation strings of all functions and classes of the modules in a folder, tests left out."""
    for source in sorted(folder.glob("*.py")) + sorted(folder.glob("*/*.py")):
        if {"test", "idlelib", "site-packages", "lib2to3"} & set(source.parts):
            continue
        try:
            tree = ast.parse(source.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                text = ast.get_docstring(node)
                if text and len(text) > 80:
                    yield text


def _train(texts: list[str], seed: int) -> tuple[Run, list[str]]:
    from rich.progress import Progress
    from sklearn.feature_extraction.text import CountVectorizer

    from undertow.counts import CsrSource, checked_counts, idf_weights, log_counts, word_distribution
    from undertow.learn import Run, Settings, train
    from undertow.model import initial_parameters

    vectorizer = CountVectorizer(stop_words="english", min_df=5, max_df=0.2, token_pattern=r"[^\W\d_]{3,}")
    counts = log_counts(checked_counts(vectorizer.fit_transform(texts)))
    weights, p = idf_weights(counts), word_distribution(counts)
    source = CsrSource(counts, weights)
    parameters = initial_parameters(UNITS, p, weights, seed)
    run = Run(parameters, p, Settings(seed=seed), documents=counts.shape[0], longest=source.longest)
    with Progress(transient=True) as progress:
        bar = progress.add_task(f"training {UNITS} topics on {source.documents:,} documents", total=EPOCHS)
        train(run, source, epochs=EPOCHS, on_epoch=lambda *_: progress.advance(bar))
    return run, vectorizer.get_feature_names_out().tolist()


def _show_topics(run: Run, vocabulary: list[str], console: object) -> None:
    import numpy as np
    from rich.console import Console
    from rich.table import Table

    assert isinstance(console, Console)
    record = run.history[-1]
    parameters = run.result()
    pull = parameters.weights * np.sqrt(run.noise_distribution)[:, None]  # what a unit says often, not only strongly
    clearest = np.argsort(-np.sort(pull, axis=0)[-WORDS_SHOWN:].sum(axis=0))[:10]
    table = Table(title=f"the clearest topics of {parameters.units} (loss {record.loss:.3f})")
    table.add_column("unit", justify="right")
    table.add_column("words that switch it on")
    for unit in clearest:
        strongest = np.argsort(-pull[:, unit])[:WORDS_SHOWN]
        table.add_row(str(unit), ", ".join(vocabulary[word] for word in strongest))
    console.print(table)
    speed = record.tokens / record.seconds / 1e6
    console.print(f"{len(run.history)} epochs, {speed:.1f} million tokens a second in the last one")
