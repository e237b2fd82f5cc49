"""The shapes of answers, from which /openapi.json is made."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

State = Literal["ready", "computing", "absent", "failed"]
Time = str | float | None


class Problem(BaseModel):
    """Why a request was not answered."""

    error: str = Field(description="One sentence: what must be, and what came.")


class NotYet(BaseModel):
    """The overview is not there: being computed, failed, or absent because there are no
    documents.
    """

    error: str
    state: State
    progress: float = Field(description="From 0 to 1.")


class Has(BaseModel):
    """Which parts of the explorer make sense here."""

    search: bool
    map: bool
    time: bool
    training: bool
    edit: bool = Field(description="Whether topics can be edited: undertow explore --edit.")


class About(BaseModel):
    """What is shown."""

    name: str = Field(description="The name of the folder.")
    kind: Literal["index", "model"]
    documents: int | None = Field(description="Null for a model without documents.")
    topics: int | None = Field(
        description="The model's own number of topics; null for a model without a tree of them."
    )
    units: int = Field(description="Hidden units.")
    words: int
    columns: dict[str, str] = Field(
        description="What filters may name, with the kind of each column."
    )
    labels: list[str] = Field(description="In alphabetical order, at most 1,000.")
    has: Has
    overview: State
    overview_progress: float = Field(description="From 0 to 1.")
    overview_error: str | None = Field(default=None, description="Why the overview failed.")
    settings: dict[str, str | bool | int | float | None] = Field(
        description="How the model was made."
    )
    version: str = Field(description="Of undertow.")


class UnitWord(BaseModel):
    """A word, and what one token of it adds to a hidden unit's input."""

    word: str
    weight: float


class Unit(BaseModel):
    """A hidden unit of the model: a feature of documents, not a topic."""

    id: int
    name: str
    activity: float = Field(description="Share of the training documents that switch it on.")
    up: list[UnitWord] = Field(description="Words that push it up, the most telling first.")
    down: list[UnitWord]


class Units(BaseModel):
    """All hidden units, the most active first."""

    units: list[Unit]


class Word(BaseModel):
    """A word or a pair of words of a topic."""

    word: str
    salience: float = Field(
        description="How much it says about the topic; the largest comes first."
    )
    share: float = Field(description="Share of the topic's documents that hold it.")


class Quotation(BaseModel):
    """A document in the middle of a topic, and the sentence of it that shows the topic best."""

    id: str
    title: str
    sentence: str
    here: bool = Field(description="Whether the document can be opened here.")


class TopicRow(BaseModel):
    """A topic in a list."""

    id: int
    name: str
    documents: int
    share: float = Field(description="Share of all documents.")
    words: list[Word]
    phrases: list[Word] = Field(description="Pairs of words that often stand together.")
    coherence: float = Field(description="Mean NPMI of its first ten words.")
    typical: list[Quotation]
    parent: int | None = Field(description="Null right below the root.")
    children: list[int]


class Stability(BaseModel):
    """How well two halves of the documents agree on so many topics: 1 for the same, 0 for
    chance.
    """

    n: int
    agreement: float


class Topics(BaseModel):
    """A cut of the tree."""

    n: int = Field(description="How many topics were asked for.")
    least: int
    most: int
    chosen: int = Field(description="The model's own number.")
    stability: list[Stability] = Field(description="What that number was chosen by.")
    topics: list[TopicRow] = Field(description="The widest first.")
    above: list[TopicRow] = Field(
        description="Coarser topics that hold those, for showing them nested."
    )


class Tree(BaseModel):
    """The whole tree, so that a page can cut it anywhere by itself. Lists are by the number of a
    node.
    """

    root: int
    parents: list[int] = Field(
        description="-1 for the root, and for what is part of the tree no more."
    )
    ranks: list[int | None] = Field(
        description=(
            "The order of heights: the highest is split first, the lower number where two are as "
            "high; null is always split."
        )
    )
    names: list[str | None]
    renamed: list[int] = Field(description="Nodes with names that were given.")
    dropped: list[int] = Field(description="Nodes that were declared to be junk.")
    leaves: list[int] = Field(description="The node of each leaf.")
    sizes: list[int] = Field(description="Documents of each leaf.")
    documents: int = Field(description="All documents, those without a known word included.")
    of: Literal["index", "training"] = Field(description="Which documents these are.")
    least: int
    most: int
    chosen: int = Field(description="The model's own number of topics.")
    stability: list[Stability] = Field(description="What that number was chosen by.")
    level: int = Field(
        description="A level of nested topics has about so many times as many as the one above."
    )
    fewest: int = Field(description="Fewer topics than that are no level.")


class Named(BaseModel):
    """A topic by its name and size."""

    id: int
    name: str
    documents: int


class Neighbour(Named):
    """A topic beside another one."""

    similarity: float = Field(description="Cosine of the two directions.")


class Typical(Quotation):
    """A document in the middle of a topic, as the index holds it."""

    text: str = Field(description="The first 300 characters.")
    label: str | None


class UnitOfTopic(BaseModel):
    """A hidden unit behind a topic."""

    id: int
    name: str
    strength: float = Field(
        description="How strong it is in the topic's documents, beyond what it is in all."
    )


class Course(BaseModel):
    """The share of documents that belong to a topic, over time."""

    edges: list[float] = Field(
        description="Of the bins; seconds since 1970, or numbers as they are in the index."
    )
    documents: list[int] = Field(description="In each bin.")
    share: list[float]
    kind: Literal["date", "number"]


class TopicPage(BaseModel):
    """One topic with all that is known of it."""

    id: int
    name: str
    documents: int
    share: float
    since: int = Field(
        description="The smallest number of topics of which it is one, or its parts are some."
    )
    dropped: bool
    words: list[Word] = Field(description="Thirty at most.")
    phrases: list[Word]
    coherence: float
    typical: list[Typical]
    neighbours: list[Neighbour]
    path: list[Named] = Field(description="The topics that it lies in, the widest first.")
    parts: list[Named] = Field(description="The topics right below it, the widest first.")
    units: list[UnitOfTopic]
    over_time: Course | None


class DocumentTopic(BaseModel):
    """A topic, and how much of a document is about it."""

    id: int
    name: str
    share: float


class WordPart(BaseModel):
    """A word of the question, and its part in how well a document's words fit."""

    word: str
    part: float = Field(description="The parts of all words of the question add to 1.")


class SharedTopic(BaseModel):
    """A topic that question and document are both about."""

    id: int
    name: str
    part: float = Field(
        description="How much of the question and of the document are about it: the smaller."
    )


class Why(BaseModel):
    """What a document shares with the question."""

    words: list[WordPart] = Field(
        description="Words of the question that it holds, the most telling first."
    )
    missing: list[str] = Field(description="Words of the question that it lacks.")
    topics: list[SharedTopic] = Field(description="Of the model's own cut, the largest part first.")


class Result(BaseModel):
    """A document found."""

    id: str
    score: float = Field(description="A share of the best possible, from 0 to 1.")
    title: str | None = Field(description="Null where the corpus has no titles.")
    url: str | None = Field(description="A link of http or https; null where there is none.")
    text: str = Field(description="The first 600 characters, without the title.")
    label: str | None
    split: str | None
    time: Time
    topics: list[DocumentTopic] = Field(
        description="Of the model's own cut, the largest share first."
    )
    why: Why
    alike: list[str] = Field(
        description=(
            "Ids of documents that are nearly the same, 100 at most: this one stands for them."
        )
    )


class Found(BaseModel):
    """The best documents, best first."""

    results: list[Result]
    seconds: float
    hint: str | None = Field(description="A sentence for people where nothing fits well.")
    corrected: dict[str, str] = Field(
        description="Words that no document holds, with those that were searched for instead."
    )
    total_documents: int


class Span(BaseModel):
    """An occurrence of a word; positions are in UTF-16 units, as JavaScript counts them."""

    start: int
    end: int
    part: float = Field(
        description="What it added to the product with the chosen topic's direction."
    )
    word: str


class DocumentPage(BaseModel):
    """A document, its topics, and what its words did to carry it into one of them."""

    id: str
    title: str = Field(description="The document's own, or its first line.")
    url: str | None = Field(description="A link of http or https; null where there is none.")
    text: str = Field(description="At most 100,000 characters from the offset on, with the title.")
    offset: int = Field(description="How many characters stand before it.")
    next: int | None = Field(description="The offset of the next part; null for the last.")
    length: int = Field(description="Characters of the whole text.")
    shortened: bool = Field(description="Whether the text is not the whole.")
    label: str | None
    split: str | None
    time: Time
    kept: dict[str, str | bool | int | float] = Field(
        description="Further columns of the corpus, where not empty."
    )
    topics: list[DocumentTopic] = Field(
        description="Of the cut asked for; the shares add to at most 1."
    )
    none: float = Field(description="The share that belongs to no topic.")
    chosen: int | None = Field(
        description="The topic that spans are of; null where no word is known."
    )
    total: float = Field(
        description=(
            "The sum of the parts over the whole text: the cosine with the chosen topic. Of a text "
            "above 100,000 characters, over the part that is shown."
        )
    )
    spans: list[Span]


class MapDocument(BaseModel):
    """A point of the map."""

    row: int
    id: str
    text: str = Field(description="The first 200 characters.")
    label: str | None
    leaf: int = Field(description="The row of its leaf in the tree, -1 where no word is known.")


class MapDocuments(BaseModel):
    """Some points of the map, in the order asked for."""

    documents: list[MapDocument]


class Epoch(BaseModel):
    """One epoch of the training."""

    epoch: int
    loss: float | None
    split_half: float | None
    activity: float
    dead_units: int
    seconds: float
    tokens: int


class Training(BaseModel):
    """The history of the model."""

    epochs: list[Epoch]


class Times(BaseModel):
    """Shares of the documents of each time that belong to topics."""

    edges: list[float]
    documents: list[int]
    topics: list[Named]
    shares: list[list[float]] = Field(description="For each of the topics, by bin.")
    kind: Literal["date", "number"]


class LeafTimes(BaseModel):
    """Documents by time and leaf, of which the courses of any topics can be added up."""

    edges: list[float]
    documents: list[int]
    counts: list[list[int]] = Field(description="For each bin, by the row of the leaf.")
    kind: Literal["date", "number"]


class Curation(BaseModel):
    """What was done to topics, as `TopicModel.save_curation` writes it."""

    format: int
    tree: str = Field(description="Names the tree that it was done to.")
    actions: list[dict[str, Any]]


class Edited(BaseModel):
    """What an edit came to."""

    made: list[int] = Field(description="Topics that came of it: of a merge, a split or a seed.")
    tree: Tree


class Figure(BaseModel):
    """A figure as plotly takes it; arrays may be texts in base64, which plotly reads."""

    data: list[dict[str, Any]]
    layout: dict[str, Any]
