"""Answers about topics: the whole tree, any cut of it, and one topic with all that is known of
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow.explorer import _answers as answers
from undertow.explorer._answer_cache import AnswerCache
from undertow.explorer._background import Background
from undertow.explorer._fixed_responses import FixedResponse
from undertow.explorer._problems import NotFound
from undertow.explorer._sentences import quoted
from undertow.explorer.source import Source
from undertow.topics.atlas import FEWEST_BRANCHES, LEVEL

if TYPE_CHECKING:
    from undertow.insight import Overview
    from undertow.topics import Atlas, Topic, TopicTree, TopicWord

WORDS_ON_PAGE = 30
QUOTED_IN_LIST, TYPICAL_ON_PAGE, NEIGHBOURS = 1, 10, 8
TYPICAL_TEXT = 300  # characters


@dataclass(frozen=True)
class Sizes:
    """Documents of each leaf, and of the whole: those of the index, or those of the training until
    they are known.
    """

    leaves: NDArray[np.int64]
    documents: int
    of_index: bool

    @classmethod
    def of(cls, atlas: Atlas, overview: Overview | None) -> Sizes:
        """What is known; a sample stands for all."""
        if overview is None:
            return cls(atlas.sizes, atlas.documents, False)
        known = overview.leaves[overview.leaves >= 0]
        counts = np.bincount(known, minlength=len(atlas.tree.leaves))
        scale = overview.sampled_from / max(len(overview.ids), 1)
        return cls(np.rint(counts * scale).astype(np.int64), overview.sampled_from, True)

    def at(self, atlas: Atlas, nodes: Sequence[int]) -> list[int]:
        """Documents of each of these topics, none of which lies in another."""
        places = atlas.tree.positions(nodes)
        inside = places >= 0
        counts = np.bincount(places[inside], weights=self.leaves[inside], minlength=len(nodes))
        return [int(count) for count in counts]


class TopicDesk:
    """Answers about the topics of a source. Each takes the tree as it is once, so that an edit
    meanwhile is no harm.
    """

    def __init__(self, source: Source, background: Background) -> None:
        self._source, self._background = source, background
        self._cache = AnswerCache(source, background)

    @property
    def atlas(self) -> Atlas:
        """What is known of topics; models of an earlier version have none."""
        found: Atlas | None = getattr(self._source.model, "atlas_", None)
        if found is None:
            raise NotFound(
                "this model has no tree of topics, it is of an earlier version: fit it again"
            )
        return found

    def warm_up(self) -> None:
        """Makes what the first page needs."""
        self.tree_bytes()
        self.listed(None)

    def tree_bytes(self) -> FixedResponse:
        """The whole tree."""
        return self._cache.get("tree", lambda: _sent(self.tree()))

    def tree(self) -> answers.Tree:
        """The tree as a page needs it to cut it by itself."""
        atlas = self.atlas
        tree, sizes = atlas.tree, Sizes.of(atlas, self._background.overview)
        nodes = range(len(tree.parents))
        names = atlas.names_of(nodes)
        return answers.Tree(
            root=tree.root,
            parents=tree.parents.tolist(),
            ranks=_ranks(tree),
            names=[names[node] if node in tree and node != tree.root else None for node in nodes],
            renamed=sorted(node for node in atlas.names if node in tree),
            dropped=np.flatnonzero(tree.dropped).tolist(),
            leaves=tree.leaves.tolist(),
            sizes=sizes.leaves.tolist(),
            documents=sizes.documents,
            of="index" if sizes.of_index else "training",
            **_range(atlas),
            level=LEVEL,
            fewest=FEWEST_BRANCHES,
        )

    def listed(self, n: int | None) -> FixedResponse:
        """A cut, with the coarser topics above it."""
        return self._cache.get(
            ("cut", self.atlas.count(n)), lambda: _sent(self._listed(self.atlas, n))
        )

    def _listed(self, atlas: Atlas, n: int | None) -> answers.Topics:
        count = atlas.count(n)
        levels = [atlas.cut(count)]
        known = set(levels[0])
        while len(levels[0]) // LEVEL >= FEWEST_BRANCHES:
            levels.insert(0, atlas.cut(len(levels[0]) // LEVEL))
        above = []
        for level in levels[:-1]:
            above += [row for row in self._rows(atlas, level) if row.id not in known]
            known.update(level)
        rows = sorted(self._rows(atlas, levels[-1]), key=lambda row: -row.documents)
        return answers.Topics(n=count, topics=rows, above=above, **_range(atlas))

    def _rows(self, atlas: Atlas, nodes: list[int]) -> list[answers.TopicRow]:
        records, sizes = atlas.topics(nodes), Sizes.of(atlas, self._background.overview)
        here = self._here([one.id for record in records for one in record.typical])
        return [
            answers.TopicRow(
                id=record.id,
                name=record.name,
                documents=documents,
                share=documents / max(sizes.documents, 1),
                words=words(record.words),
                phrases=words(record.phrases),
                coherence=record.coherence,
                typical=_quotations(record, here)[:QUOTED_IN_LIST],
                parent=record.parent,
                children=list(record.children),
            )
            for record, documents in zip(records, sizes.at(atlas, nodes), strict=True)
        ]

    def _here(self, ids: list[str]) -> set[str]:
        """Which documents of the training are in the index too."""
        return set(self._source.documents(list(dict.fromkeys(ids)), text_length=1))

    def page(self, number: int) -> answers.TopicPage:
        """One topic with all that is known of it."""
        atlas = self.atlas
        if number not in atlas.tree or number == atlas.tree.root:
            raise NotFound(f"there is no topic {number}")
        return self._cache.get(("page", number), lambda: self._page(atlas, number))

    def _page(self, atlas: Atlas, node: int) -> answers.TopicPage:
        overview, sizes = self._background.overview, Sizes.of(atlas, self._background.overview)
        record = atlas.topic(node, WORDS_ON_PAGE)
        documents = sizes.at(atlas, [node])[0]
        since = first_cut(atlas, node)
        names = self._source.model.unit_names([one.id for one in record.units])
        return answers.TopicPage(
            id=node,
            name=record.name,
            documents=documents,
            share=documents / max(sizes.documents, 1),
            since=since,
            dropped=atlas.tree.is_dropped(node),
            words=words(record.words),
            phrases=words(record.phrases),
            coherence=record.coherence,
            typical=self._typical(atlas, record, overview),
            neighbours=_neighbours(atlas, node, max(since, atlas.chosen), sizes),
            path=named(atlas, _above(atlas.tree, node)[::-1], sizes),
            parts=sorted(
                named(atlas, list(record.children), sizes), key=lambda one: -one.documents
            ),
            units=[
                answers.UnitOfTopic(id=one.id, name=name, strength=one.strength)
                for one, name in zip(record.units, names, strict=True)
            ],
            over_time=None if overview is None else _course(overview, atlas, node),
        )

    def _typical(
        self, atlas: Atlas, record: Topic, overview: Overview | None
    ) -> list[answers.Typical]:
        """Documents of the index; of a model alone, those of the training that it remembers."""
        if not overview:  # none, or one of no documents
            shown = _quotations(record, self._here([one.id for one in record.typical]))
            return [answers.Typical(**one.model_dump(), text="", label=None) for one in shown]
        ids = [overview.ids[row] for row in overview.typical_of(atlas, record.id, TYPICAL_ON_PAGE)]
        there = self._source.documents(ids)
        documents = [there[name] for name in ids if name in there]
        told = quoted(self._source.model, record, [document.text for document in documents])
        return [
            answers.Typical(
                id=document.id,
                title=title or document.id,
                sentence=sentence,
                here=True,
                text=document.text[:TYPICAL_TEXT],
                label=document.label,
            )
            for document, (title, sentence) in zip(documents, told, strict=True)
        ]


def words(given: Sequence[TopicWord]) -> list[answers.Word]:
    """Words of a topic; more digits than these say nothing."""
    return [
        answers.Word(word=one.word, salience=round(one.salience, 4), share=round(one.share, 4))
        for one in given
    ]


def first_cut(atlas: Atlas, node: int) -> int:
    """The smallest number of topics of which this is one, or its parts are some: no topic above it
    is.
    """
    above = set(_above(atlas.tree, node))
    low, high = 2, len(atlas.tree.leaves)
    while low < high:
        middle = (low + high) // 2
        if above.isdisjoint(atlas.tree.cut(middle)):
            high = middle
        else:
            low = middle + 1
    return low


def _above(tree: TopicTree, node: int) -> list[int]:
    """The topics that one lies in, the nearest first."""
    found = []
    climbing = tree.parent(node)
    while climbing is not None:
        found.append(climbing)
        climbing = tree.parent(climbing)
    return found


def _neighbours(atlas: Atlas, node: int, n: int, sizes: Sizes) -> list[answers.Neighbour]:
    related = atlas.tree.below(node) | set(_above(atlas.tree, node))
    others = [other for other in atlas.tree.cut(n) if other not in related]
    directions = atlas.directions([*others, node])
    cosines = directions[:-1] @ directions[-1]
    order = np.argsort(-cosines, kind="stable")[:NEIGHBOURS].tolist()
    found = named(atlas, [others[place] for place in order], sizes)
    return [
        answers.Neighbour(**one.model_dump(), similarity=float(cosines[place]))
        for one, place in zip(found, order, strict=True)
    ]


def named(atlas: Atlas, nodes: list[int], sizes: Sizes) -> list[answers.Named]:
    """Topics by name and size."""
    names = atlas.names_of(nodes)
    return [
        answers.Named(id=node, name=name, documents=sizes.at(atlas, [node])[0])
        for node, name in zip(nodes, names, strict=True)
    ]


def _quotations(record: Topic, here: set[str]) -> list[answers.Quotation]:
    return [
        answers.Quotation(
            id=one.id, title=one.title or one.id, sentence=one.sentence, here=one.id in here
        )
        for one in record.typical
    ]


def _course(overview: Overview, atlas: Atlas, node: int) -> answers.Course | None:
    found = overview.over_time
    if found is None:
        return None
    return answers.Course(
        edges=found.edges.tolist(),
        documents=found.documents.tolist(),
        share=np.nan_to_num(found.shares(atlas, [node])[:, 0]).tolist(),
        kind="date" if overview.time_kind == "date" else "number",
    )


def _ranks(tree: TopicTree) -> list[int | None]:
    """Heights by their order, which is all that cutting asks of them, and is shorter to send."""
    finite = np.isfinite(tree.heights)
    order = np.unique(tree.heights[finite])
    ranks = np.searchsorted(order, tree.heights)
    return [int(rank) if known else None for rank, known in zip(ranks, finite, strict=True)]


def _range(atlas: Atlas) -> dict[str, Any]:
    most = len(atlas.tree.leaves)
    figures = [answers.Stability(n=n, agreement=round(figure, 4)) for n, figure in atlas.stability]
    return {"least": min(2, most), "most": most, "chosen": atlas.chosen, "stability": figures}


def _sent(answer: answers.Tree | answers.Topics) -> FixedResponse:
    return FixedResponse(answer.model_dump_json().encode(), "application/json")
