"""Topics for people who read a terminal: as a table, as a tree, as figures behind their number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table
    from rich.tree import Tree

    from undertow.estimators import TopicModel
    from undertow.topics import Branch, Topic, TopicChoice

IN_NAMES = 4  # words that a name may hold: so many more are asked for
PHRASES = 2  # shown of a topic at most
BAR = 30  # characters of the longest one


def terms(topic: Topic, number: int) -> str:
    """Phrases and words of a topic that its name does not say already."""
    said = set(re.findall(r"\w+", topic.name.lower()))
    found: list[str] = []
    for phrase in topic.phrases:
        parts = phrase.word.split()
        if len(found) < PHRASES and not said.issuperset(parts):
            found.append(phrase.word)
            said |= set(parts)
    found += [word.word for word in topic.words if word.word not in said]
    return ", ".join(found[:number])


def table(topics: Sequence[Topic], n_words: int, title: str) -> Table:
    """A row for each topic."""
    from rich.markup import escape
    from rich.table import Table

    made = Table(title=escape(title), title_justify="left")
    for name in ("id", "share", "documents"):
        made.add_column(name, justify="right", no_wrap=True)
    made.add_column("name", ratio=2)
    made.add_column("more words", ratio=3)
    for topic in topics:
        made.add_row(
            str(topic.id),
            f"{topic.share:.1%}",
            f"{topic.documents:,}",
            escape(topic.name),
            escape(terms(topic, n_words)),
        )
    return made


def tree(branches: Iterable[Branch], n_words: int, title: str, *, quotations: bool = False) -> Tree:
    """Topics with the finer ones in them; with `quotations`, a sentence of a document below each of
    the finest.
    """
    from rich.markup import escape
    from rich.tree import Tree

    made = Tree(escape(title), guide_style="dim")
    for branch in branches:
        _grow(made, branch, n_words, quotations)
    return made


def _grow(above: Tree, branch: Branch, n_words: int, quotations: bool) -> None:
    from rich.console import Group
    from rich.text import Text

    topic = branch.topic
    line = Text.assemble(
        (topic.name, "bold"),
        f"  {topic.share:.1%}  ",
        (str(topic.id), "dim"),
        f"  {terms(topic, n_words)}",
    )
    quoted = [
        document.sentence for document in topic.typical[:1] if quotations and not branch.branches
    ]
    lines = [
        Text(f"“{sentence}”", style="dim italic", no_wrap=True, overflow="ellipsis")
        for sentence in quoted
    ]
    place = above.add(Group(line, *lines))
    for finer in branch.branches:
        _grow(place, finer, n_words, quotations)


def figures(choice: TopicChoice) -> Table:
    """How well two halves of the documents agree, by the number of topics."""
    from rich.table import Table

    made = Table(title="How well two halves of the documents agree", title_justify="left")
    made.add_column("topics", justify="right")
    made.add_column("agreement", justify="right")
    made.add_column("")
    for number, figure in choice.figures:
        chosen = "  chosen" if number == choice.n else ""
        made.add_row(str(number), f"{figure:.2f}", "█" * round(BAR * max(figure, 0.0)) + chosen)
    return made


def why(model: TopicModel) -> str:
    """Why there are so many topics."""
    choice, changes = model.choose_topics(), len(model.curation_.actions)
    agreement = dict(choice.figures).get(choice.n)
    if changes:
        return (
            f"{choice.n} is the model's own number after {changes} "
            f"{'change' if changes == 1 else 'changes'} to it."
        )
    if agreement is None:
        return f"{choice.n} is the model's own number: the documents are too few to try out others."
    return (
        f"{choice.n} is the model's own number: the largest on which two halves of the documents, "
        f"sorted apart, agree nearly best ({agreement:.2f} of 1)."
    )
