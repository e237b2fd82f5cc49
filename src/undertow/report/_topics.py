"""What a report says of each topic: plain values for its template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from undertow.estimators.topic_parts import atlas_of
from undertow.plot.topic_colours import topic_styles
from undertow.topics.excerpts import shortened, title_of

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.insight import Overview
    from undertow.topics import Branch, Topic

WORDS, FIRST_WORDS, SIMILAR, TYPICAL = 14, 7, 3, 4
SHOWN = 320  # characters of a typical document


def topics(
    model: TopicModel, n: int | None, overview: Overview | None, texts: Mapping[int, str]
) -> list[dict[str, Any]]:
    """A record for each topic of a cut, the widest first."""
    from undertow.insight import similar_topics

    records = model.topics(n, n_words=WORDS)
    atlas = atlas_of(model)
    styles = topic_styles(atlas, [topic.id for topic in records])
    widest = max((topic.documents for topic in records), default=0) or 1
    found = []
    for topic, (colour, symbol) in zip(records, styles, strict=True):
        rows = [] if overview is None else overview.typical_of(atlas, topic.id, TYPICAL)
        found.append(
            {
                "id": topic.id,
                "name": topic.name,
                "documents": topic.documents,
                "share": topic.share,
                "bar": topic.documents / widest,
                "colour": colour,
                "symbol": symbol,
                "words": _words(topic),
                "first_words": [word.word for word in topic.words[:FIRST_WORDS]],
                "phrases": [phrase.word for phrase in topic.phrases],
                "coherence": topic.coherence,
                "units": [unit.id for unit in topic.units],
                "similar": [
                    one
                    for one in similar_topics(model, topic.id, SIMILAR, n=n)
                    if one.similarity > 0
                ],
                "quotation": _quotation(topic, overview, rows, texts),
                "typical": _typical(topic, overview, rows, texts),
            }
        )
    return found


def _words(topic: Topic) -> list[dict[str, Any]]:
    strongest = max((word.salience for word in topic.words), default=0.0) or 1.0
    return [
        {"word": word.word, "share": word.share, "bar": word.salience / strongest}
        for word in topic.words
    ]


def _quotation(
    topic: Topic, overview: Overview | None, rows: Sequence[int], texts: Mapping[int, str]
) -> dict[str, str] | None:
    """A sentence that shows the topic, with the title of its document; the beginning of one where
    none is kept.
    """
    for document in topic.typical:
        if document.sentence:
            return {"title": document.title, "sentence": document.sentence}
    if overview is not None and rows:
        text = texts.get(rows[0], "")
        return {"title": title_of(text), "sentence": shortened(text, SHOWN // 2)}
    return None


def _typical(
    topic: Topic, overview: Overview | None, rows: Sequence[int], texts: Mapping[int, str]
) -> list[dict[str, Any]]:
    """Documents of the corpus, or those that the model keeps."""
    if overview is None:
        return [
            {"id": document.id, "label": None, "title": document.title, "text": document.sentence}
            for document in topic.typical
        ]
    return [
        {
            "id": overview.ids[row],
            "label": overview.labels[overview.label_of[row]]
            if overview.label_of[row] >= 0
            else None,
            "title": title_of(texts.get(row, "")),
            "text": shortened(texts.get(row, ""), SHOWN),
        }
        for row in rows
    ]


def branches(
    model: TopicModel, n: int | None, shown: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The tree, as nested records: topics of the cut have their colours, wider ones none."""
    colours = {topic["id"]: topic["colour"] for topic in shown}
    tree = model.topic_tree(n, n_words=FIRST_WORDS)
    return [_branch(branch, colours, depth(tree)) for branch in tree]


def depth(tree: Sequence[Branch]) -> int:
    """How many levels a tree has."""
    return max((1 + depth(branch.branches) for branch in tree), default=0)


def _branch(branch: Branch, colours: Mapping[int, str], levels: int) -> dict[str, Any]:
    topic = branch.topic
    colour = colours.get(topic.id)
    return {
        "id": topic.id,
        "name": topic.name,
        "documents": topic.documents,
        "share": topic.share,
        "colour": colour,
        "ink": None if colour is None else ink_on(colour),
        "width": 100.0 / levels if branch.branches else 100.0,
        "branches": [_branch(part, colours, levels - 1) for part in branch.branches],
    }


def ink_on(colour: str) -> str:
    """Dark or light words, whichever is read better on a colour."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#14171b" if (light + 0.05) ** 2 > 1.05 * 0.058 else "#ffffff"
