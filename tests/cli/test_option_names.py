"""Errors name options as they were typed, whoever finds the error: the command line or the library
below it.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tests.search.conftest import make_table
from tests.shell import Run
from undertow import TopicModel
from undertow.cli import app
from undertow.cli._typed import as_typed, in_paragraphs
from undertow.search import Index

PLACES = {
    "fit": ["corpus.parquet", "--out=made"],
    "topics": ["model"],
    "units": ["model"],
    "transform": ["model", "corpus.parquet", "--out=made.parquet"],
    "info": ["model"],
    "evaluate": ["model", "corpus.parquet"],
    "index": ["model", "corpus.parquet", "--out=made"],
    "search": ["index", "apple"],
    "add": ["index", "corpus.parquet"],
    "delete": ["index", "d1"],
    "explore": ["index", "--no-browser"],
    "report": ["model", "corpus.parquet", "--out=made.html"],
    "demo": [],
    "paper": ["table1"],
}
"""What else a command needs, so that only an option is wrong. Others are not tried."""

WRONG = {
    "n_jobs": "0",
    "device": "nonsense",
    "max_df": "-1",
    "ngram_range": ("2", "1"),
    "stop_words": "nonsense",
    "stemmer": "nonsense",
    "token_pattern": "(",
    "seed_topic": "nonsense",
    "weighting": "nonsense",
    "count_transform": "nonsense",
    "features": "nonsense",
    "learner": "nonsense",
    "optimizer": "nonsense",
    "noise_level": "7",
    "memory_limit": "nonsense",
    "scratch_folder": "nonsense",
    "kind": "nonsense",
    "where": "nonsense",
    "like": "nonsense",
    "keep": "nonsense:nonsense",
    "host": "",
    "rename": "nonsense",
    "merge": "1",
    "split": "nonsense",
    "drop": "nonsense",
    "restore": "nonsense",
    "move": "nonsense",
    "apply": "nonsense",
}
"""A wrong value of each option that is neither a number nor a choice."""


def wrong_value(parameter: Any) -> tuple[str, ...]:
    """A value that an option cannot have, or nothing where it can have any."""
    kind = parameter.type_descriptor.annotation
    if parameter.name in WRONG:
        wrong = WRONG[parameter.name]
        return wrong if isinstance(wrong, tuple) else (wrong,)
    if parameter.name.endswith("_column") or (isinstance(kind, type) and issubclass(kind, Enum)):
        return ("nonsense",)
    return ("-1",) if kind in (int, float) else ()


def options() -> list[Any]:
    commands: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
    return [
        pytest.param(name, spelled, wrong_value(parameter), id=f"{name} {spelled}")
        for name in PLACES
        for parameter in commands[name].params
        for spelled in parameter.opts
        if spelled.startswith("-") and wrong_value(parameter)
    ]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("named")
    table = make_table()
    table.write_parquet(folder / "corpus.parquet")
    model = TopicModel(8, max_epochs=5, random_state=0)
    model.fit(table).save(folder / "model")
    Index.create(folder / "index", model, table)
    return folder


ELSEWHERE = {
    "corpus": "fit(texts)",
    "vectors": "fit(vectors=)",
    "word_vectors": "fit(word_vectors=)",
    "out": "save(path)",
    "force": "save(overwrite=)",
    "seed": "random_state",
    "seed_topic": "seeds",
    "noise_level": "learner__noise_level",
    "n_noise": "learner__n_noise",
    "learning_rate": "optimizer__learning_rate",
    "cluster": "fit(cluster=)",
    "workers": "fit(workers=)",
    "interval": "Cluster(interval=)",
    "checkpoint": "fit(checkpoint=)",
    "checkpoint_every": "fit(checkpoint_every=)",
    "resume": "fit(resume=)",
}
"""What options of `undertow fit` mean that are no parameters of `TopicModel` under their name."""
OF_COMMANDS = {"json", "quiet", "debug"}


def test_options_of_fit_are_parameters_of_a_model_with_the_same_defaults() -> None:
    defaults = TopicModel().get_params(deep=False)
    commands: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
    for option in commands["fit"].params:
        if option.name in {*ELSEWHERE, *OF_COMMANDS} or option.name.endswith("_column"):
            assert option.name not in defaults
            continue
        assert option.name in defaults
        if option.default is not None:
            assert option.default in (defaults[option.name], "none"), option.name


def test_a_seed_is_an_option_where_something_is_drawn() -> None:
    commands: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
    drawing = {
        name for name, command in commands.items() if "seed" in {one.name for one in command.params}
    }
    assert drawing == {"fit", "evaluate", "report", "demo"}


@pytest.mark.parametrize(("command", "option", "value"), options())
def test_an_option_is_named_as_it_was_typed(
    run: Run,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    option: str,
    value: tuple[str, ...],
) -> None:
    monkeypatch.chdir(place)
    places = [word for word in PLACES[command] if not (option == "--like" and word == "apple")]
    code, _, err = run(command, *places, option, *value)
    assert code == 2, err
    said = err[err.rindex("undertow: ") :] if "undertow: " in err else err[err.index("Error") :]
    assert option in said


def test_numbers_that_only_the_library_can_judge(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    for command, option, value in (
        ("search", "-n", "1001"),
        ("topics", "-n", "100"),
        ("transform", "-n", "3"),
        ("evaluate", "-n", "100"),
        ("report", "-n", "100"),
        ("fit", "--max-epochs", "0"),
        ("fit", "--n-noise", "0"),
        ("fit", "--learning-rate", "0"),
        ("fit", "--sparsity-target", "1"),
    ):
        code, _, err = run(command, *PLACES[command], option, value)
        assert (code, f"undertow: {option} must " in err) == (2, True), (command, option, err)


def test_places_are_named_as_the_usage_line_has_them(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    for command, said in (
        (("fit", "nowhere.csv", "--out=made"), "CORPUS must be a file or folder, got nowhere.csv"),
        (
            ("index", "model", "corpus.parquet", "--out=index"),
            "--out must not hold a finished index",
        ),
        (("index", "model", "corpus.parquet", "--out=index"), "add to it, or replace it (--force)"),
        (("add", "index", "corpus.parquet"), "or --replace to put it in that one's place"),
        (("search", "index"), "QUERY or --like must be given, one of them, got neither"),
        (("search", "index", " "), "QUERY must be a text with something in it"),
        (("delete", "index", "\udc80"), "ID must be valid Unicode"),
    ):
        code, _, err = run(*command)
        assert (code, said in err) == (2, True), (command, err)


def test_what_came_is_told_as_it_came() -> None:
    options = {
        "n": "-n",
        "text_column": "--text-column",
        "replace": "--replace",
        "query": "QUERY",
        "like": "--like",
        "device": "--device",
    }
    for message, typed in {
        "n must be at least 1, got n must": "-n must be at least 1, got n must",
        "query or like must be given, got neither": "QUERY or --like must be given, got neither",
        "name text_column, got my_text_column": "name --text-column, got my_text_column",
        "ids must be new, got 'text_column': replace=True": (
            "ids must be new, got 'text_column': --replace"
        ),
        "device='cuda' needs a card": "--device cuda needs a card",
        "the n of it must be 1": "the n of it must be 1",
        "--n must be 1": "--n must be 1",
        "engine='torch' needs it": "engine='torch' needs it",
        "overwrite=True, x=True": "overwrite=True, x=True",
    }.items():
        assert as_typed(message, options) == typed


def test_the_version_is_an_option(run: Run) -> None:
    import undertow

    assert run("--version") == (0, f"{undertow.__version__}\n", "")
    assert run("version")[0] == 2


def test_help_is_broken_by_the_terminal_and_not_by_the_file() -> None:
    assert in_paragraphs("One\ntwo.\n\n    Three\n    four.\n") == "One two.\n\nThree four."
    for command in get_command(app).commands.values():  # type: ignore[attr-defined]
        assert "\n" not in command.help.replace("\n\n", "")
