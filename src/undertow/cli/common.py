"""What commands share: arguments and options, corpora by name, and the way results are printed."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from undertow.cli._paths import NAMED as NAMED
from undertow.cli._paths import is_index as is_index
from undertow.cli._shown import new_console, say
from undertow.cli._typed import about

if TYPE_CHECKING:
    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel
    from undertow.search import Index
    from undertow.vectors.given import GivenVectors

CorpusArgument = Annotated[
    str,
    typer.Argument(
        metavar="CORPUS",
        help=(
            f"A Parquet, CSV, TSV, JSON-lines or text file, a folder of them, or one of "
            f"{', '.join(NAMED)}."
        ),
    ),
]
# Texts, not paths: a path would take a slash out of s3://bucket/prefix.
ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL|INDEX",
        help=(
            "A folder of `undertow fit`, or of `undertow index`, which holds one, or an index as "
            "s3://bucket/prefix."
        ),
    ),
]
IndexArgument = Annotated[
    str,
    typer.Argument(
        metavar="INDEX", help="A folder that `undertow index` wrote, or s3://bucket/prefix."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no remarks.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Seed = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, help="The same seed gives the same result.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace the output where it exists.")]

Device = Annotated[
    str,
    typer.Option(
        help=(
            "Where it computes: 'cpu', 'cuda', 'cuda:1', or 'auto' for a card where there is one. "
            "Cards need the extra, pip install 'undertow\\[gpu]', and are not yet measured."
        )
    ),
]
Vectors = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.npy",
        help=(
            "Vectors of another encoder to join with: a row for each document of the corpus, in "
            "its order."
        ),
    ),
]

COLUMNS = "Columns of the corpus"
FOUND = "As the model was fitted, or found by name, unless given; '' for none."
IdColumn = Annotated[str | None, typer.Option(rich_help_panel=COLUMNS, help=FOUND)]
TextColumn = Annotated[
    str | None, typer.Option(rich_help_panel=COLUMNS, help=FOUND.partition(";")[0] + ".")
]
TitleColumn = Annotated[
    str | None,
    typer.Option(rich_help_panel=COLUMNS, help=f"Becomes the first line of the text. {FOUND}"),
]
LabelColumn = Annotated[str | None, typer.Option(rich_help_panel=COLUMNS, help=FOUND)]
TimeColumn = Annotated[str | None, typer.Option(rich_help_panel=COLUMNS, help=FOUND)]
SplitColumn = Annotated[str | None, typer.Option(rich_help_panel=COLUMNS, help=FOUND)]
UrlColumn = Annotated[
    str | None, typer.Option(rich_help_panel=COLUMNS, help=f"Links to the documents. {FOUND}")
]


def open_any(
    corpus: str,
    columns: Mapping[str, str | None],
    *,
    remembered: Mapping[str, str] | None = None,
    quiet: bool = False,
) -> Corpus:
    """The corpus at a path, or a data set by its name; `columns` are those given by options: role
    -> column.

    `remembered` are those of the corpus that a model was fitted on.
    """
    from undertow.corpus import as_corpus, open_corpus

    if corpus in NAMED:
        return as_corpus(_named(corpus, quiet))
    given: dict[str, Any] = {f"{role}_column": column for role, column in columns.items()}
    with about(path="corpus"):
        return open_corpus(corpus, **given, remembered=remembered)


@contextmanager
def remarks(*, shown: bool) -> Iterator[None]:
    """Remarks of the library go to standard error by themselves; here they can be left out."""
    logger = logging.getLogger("undertow")
    level = logger.level
    logger.setLevel(level if shown else logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _named(name: str, quiet: bool) -> Any:
    import polars as pl

    from undertow import datasets

    if name == "20newsgroups":
        return datasets.load_20newsgroups(progress=not quiet)
    if name == "imdb":
        return datasets.load_imdb(progress=not quiet)
    return pl.DataFrame([vars(document) for document in datasets.load_python_docs()])


def vectors_in(path: Path | None) -> GivenVectors | None:
    """The vectors in a .npy file, read when they are used."""
    if path is None:
        return None
    from undertow.storage.npy import map_npy
    from undertow.vectors.given import GivenVectors

    return GivenVectors(map_npy(path))


def for_training(corpus: Corpus) -> Corpus:
    """Without the rows of the test part: they are never trained on."""
    return corpus.where_split(("train", "unsup")) if "split" in corpus.columns else corpus


def load_topic_model(path: Path | str) -> TopicModel:
    """The model in a folder, or the copy that an index holds, which then remembers the columns of
    the index.
    """
    if not is_index(str(path)):
        return _load(str(path))
    from undertow.search import Index

    index = Index.open(str(path))
    index.model.columns_ = index.corpus_columns
    return index.model


def _load(path: str) -> TopicModel:
    from undertow._errors import InvalidInput
    from undertow.estimators import load

    model = load(path)
    from undertow.estimators import TopicModel

    if not isinstance(model, TopicModel):
        raise InvalidInput(
            f"MODEL must be a model of texts, got {path}, which holds a model of counts"
        )
    return model


def open_model(path: str) -> tuple[TopicModel, Callable[[], object]]:
    """The model in a model folder, or the copy that an index holds; and what saves it again, as a
    whole.
    """
    if not is_index(path):
        model = _load(path)
        return model, lambda: model.save(path, overwrite=True)
    index = open_index(path)
    return index.model, index.save_model


def open_index(path: Path | str) -> Index:
    """The index in a folder or at an address, by a database that is loaded quickly: this process is
    ours alone.
    """
    from undertow.search.database import quick_import

    quick_import.load_quickly()
    from undertow.search import Index

    return Index.open(path)


def check_free(path: Path, force: bool, option: str = "--out") -> None:
    """Refuses to write over something, before any work is done."""
    from undertow._errors import InvalidInput

    if path.exists() and not force:
        raise InvalidInput(
            f"{option} must not exist yet, got {path}, which does: add --force to replace it"
        )


@contextmanager
def place_of_model(out: Path, force: bool) -> Iterator[None]:
    """A place for a model that takes long: it can be written, and no other process that makes one
    is given it meanwhile.
    """
    from undertow.files.claim import claimed
    from undertow.storage.model import check_place_of_model

    with claimed(out, name="--out"):
        check_place_of_model(out, overwrite=force)
        yield


def check_device(device: str) -> None:
    """Refuses a device that is not there, before any work is done."""
    if device != "cpu":
        from undertow.engines import check_device as check

        check(device)


def check_cut(model: TopicModel, n: int | None) -> None:
    """Refuses a number of topics that the model cannot be cut into, before any work is done."""
    model.topic_names(n)


def remark(line: str, *, silent: bool) -> None:
    """A line for people, on standard output."""
    if not silent:
        say(line)


@contextmanager
def status(message: str, *, silent: bool) -> Iterator[None]:
    """A spinner on standard error while something takes its time."""
    if silent:
        yield
        return

    with new_console(stderr=True).status(message):
        yield


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    say(as_json(value))


def as_json(value: Any) -> str:
    """Plain data as text that can be read."""
    return json.dumps(value, indent=2, ensure_ascii=False)
