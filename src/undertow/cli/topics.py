"""`undertow topics`: the topics of a model as a table, a tree or a file, and changes to them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from undertow.cli import _curating, _listed, _tables, common
from undertow.cli._shown import new_console, say

if TYPE_CHECKING:
    from undertow.estimators import TopicModel

FILES = (*_tables.TABLES, ".json")
CHANGES = "Changes, saved to the model"


def _change(metavar: str, text: str, *names: str) -> Any:
    return typer.Option(*names, metavar=metavar, rich_help_panel=CHANGES, help=text)


def topics(
    model: common.ModelArgument,
    n: Annotated[
        int | None, typer.Option("-n", help="How many topics.  \\[default: the model's own number]")
    ] = None,
    tree: Annotated[bool, typer.Option("--tree", help="Finer topics inside coarser ones.")] = False,
    figures: Annotated[
        bool,
        typer.Option("--figures", help="The figures behind the model's own number."),
    ] = False,
    n_words: Annotated[int, typer.Option(min=1, help="Words shown of each.")] = 8,
    out: Annotated[
        Path | None, typer.Option(help=f"Write a file instead: {', '.join(FILES)}.")
    ] = None,
    rename: Annotated[
        list[str] | None, _change("ID=NAME", "Another name; ID= gives the old one back.")
    ] = None,
    merge: Annotated[
        list[str] | None, _change("ID,ID[,ID][=NAME]", "Make one topic of several.")
    ] = None,
    split: Annotated[
        list[str] | None, _change("ID", "Show the parts of a topic in its place.")
    ] = None,
    drop: Annotated[list[str] | None, _change("ID", "Junk: list it no more.")] = None,
    restore: Annotated[list[str] | None, _change("ID", "Take --drop back.")] = None,
    move: Annotated[
        list[str] | None, _change("ID:PARENT", "Hang a topic below another, or ID:root.")
    ] = None,
    seed_topic: Annotated[
        list[str] | None,
        _change("NAME=WORD,WORD", "Make a topic around words."),
    ] = None,
    apply: Annotated[
        list[str] | None, _change("FILE", "Do again what a curation file says.")
    ] = None,
    export: Annotated[
        Path | None, _change("FILE", "Write all that was done to a curation file.")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", rich_help_panel=CHANGES, help="Show what would come of it, save nothing."
        ),
    ] = False,
    force: common.Force = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Show the topics of a model, the widest first: share of documents, name and words; or change
    them.

    A model can be cut into any number of topics; without -n it is the model's own, where the cut is
    most stable. Options for changes may be given many times, and are made in this order: apply,
    restore, rename, split, drop, merge, move, seed. Either all are saved or, when one is wrong,
    none.

    Examples:

        undertow topics model

        undertow topics model -n 40 --tree

        undertow topics model -n 40 --out topics.parquet

        undertow topics model --rename 12=Cars --merge 31,77=Space --drop 90

        undertow topics model --seed-topic health=hospital,patients --dry-run

        undertow topics model --export curation.json

        undertow topics later --apply curation.json
    """
    changes = _curating.read(
        {
            **{"--apply": apply, "--restore": restore, "--rename": rename, "--split": split},
            **{"--drop": drop, "--merge": merge, "--move": move, "--seed-topic": seed_topic},
        }
    )
    _check_places(out, export, force=force, nested=tree or figures)
    trained, save = common.open_model(model)
    common.check_cut(trained, None)
    before, lines = trained.curation_, _curating.make(trained, changes)
    common.check_cut(trained, n)
    if not dry_run:
        if trained.curation_ != before:
            save()
            lines.append(
                f"Saved {model}: {len(trained.topic_names())} topics. Next: undertow topics {model}"
            )
        lines += _exported(trained, export)
    elif changes or export:
        lines.append("Dry run: nothing was saved.")
    for line in () if quiet else lines:
        say(line, err=json)
    view = _View(trained, model, n, n_words, tree, figures)
    if out is not None:
        view.write(out)
        common.remark(f"Wrote {out}: {view.count} topics.", silent=quiet or json)
    elif json:
        common.print_json(view.records())
    elif not (changes or export) or dry_run or tree or figures or n is not None:
        view.print(quiet=quiet)


def _exported(model: TopicModel, file: Path | None) -> list[str]:
    """Writes the curation to a file where one is given, and tells so."""
    if file is None:
        return []
    model.save_curation(file)
    actions = len(model.curation_.actions)
    return [f"Wrote {file}: {actions} {'action' if actions == 1 else 'actions'}."]


@dataclass(frozen=True)
class _View:
    """What is shown of which cut."""

    model: TopicModel
    path: str
    n: int | None
    n_words: int
    tree: bool
    figures: bool

    @property
    def count(self) -> int:
        """How many topics."""
        return len(self.model.topic_names(self.n))

    @property
    def title(self) -> str:
        """How many topics of what."""
        return f"{self.count} topics of {self.path} ({self.model.atlas_.documents:,} documents)"

    def records(self) -> Any:
        """As JSON holds them."""
        if self.figures:
            choice = self.model.choose_topics()
            return {
                "n": choice.n,
                "figures": [{"n": n, "agreement": figure} for n, figure in choice.figures],
            }
        ask: Any = self.model.topic_tree if self.tree else self.model.topics
        return [asdict(record) for record in ask(self.n, n_words=self.n_words)]

    def print(self, *, quiet: bool) -> None:
        """A table or a tree, with a remark on their number."""

        console, asked = new_console(), self.n_words + _listed.IN_NAMES
        if self.figures:
            console.print(_listed.figures(self.model.choose_topics()))
        elif self.tree:
            branches = self.model.topic_tree(self.n, n_words=asked)
            console.print(_listed.tree(branches, self.n_words, self.title))
        else:
            console.print(
                _listed.table(self.model.topics(self.n, n_words=asked), self.n_words, self.title)
            )
        if self.n is None and not quiet:
            say(_listed.why(self.model))
            say(self._more())

    def _more(self) -> str:
        ways = [
            "" if self.tree else "--tree nests them",
            "" if self.figures else "--figures shows the figures",
        ]
        most = len(self.model.atlas_.tree.leaves)
        return "; ".join([f"More or fewer: -n, up to {most}", *filter(None, ways)]) + "."

    def write(self, file: Path) -> None:
        """A row for each topic, or the whole records in JSON."""
        from undertow.insight import topic_table
        from undertow.storage import write_text

        if file.suffix.lower() == ".json":
            write_text(file, common.as_json(self.records()) + "\n")
        else:
            _tables.write_tables([topic_table(self.model, self.n, n_words=self.n_words)], file)


def _check_places(out: Path | None, export: Path | None, *, force: bool, nested: bool) -> None:
    from undertow._errors import InvalidInput

    for place, option in ((out, "--out"), (export, "--export")):
        if place is not None:
            common.check_free(place, force, option)
    if out is not None:
        _tables.check_ending(out, FILES)
    if out is not None and nested and out.suffix.lower() != ".json":
        raise InvalidInput(f"--out must end in .json with --tree or --figures, got {out}")
