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
    """The overview is not there: being computed, failed, or absent because there are no documents."""

    error: str
    state: State
    progress: float = Field(description="From 0 to 1.")


class Has(BaseModel):
    """Which parts of the explorer make sense here."""

    search: bool
    map: bool
    time: bool
    training: bool


class About(BaseModel):
    """What is shown."""

    name: str = Field(description="The name of the folder.")
    kind: Literal["index", "model"]
    documents: int | None = Field(description="Null for a model without documents.")
    topics: int
    words: int
    columns: dict[str, str] = Field(description="What filters may name, with the kind of each column.")
    labels: list[str] = Field(description="In alphabetical order, at most 1,000.")
    has: Has
    overview: State
    overview_progress: float = Field(description="From 0 to 1.")
    overview_error: str | None = Field(default=None, description="Why the overview failed.")
    settings: dict[str, str | bool | int | float | None] = Field(description="How the model was made.")
    version: str = Field(description="Of undertow.")


class Word(BaseModel):
    """A word, and what one token of it adds to the topic's input."""

    word: str
    weight: float


class TopicRow(BaseModel):
    """A topic in a list."""

    id: int
    name: str
    activity: float = Field(description="Share of the training documents that switch it on.")
    documents: int | None = Field(description="Documents that switch it on; null until that is known.")
    up: list[Word] = Field(description="Words that push it up, the most telling first.")
    down: list[Word]


class Topics(BaseModel):
    """All topics."""

    topics: list[TopicRow]


class Similar(BaseModel):
    """Another topic, and the cosine of what the two make of words."""

    id: int
    name: str
    similarity: float


class Typical(BaseModel):
    """A document that switches a topic on strongly."""

    id: str
    text: str = Field(description="The first 300 characters.")
    label: str | None
    strength: float


class Course(BaseModel):
    """The share of documents that switch a topic on, over time."""

    edges: list[float] = Field(description="Of the bins; seconds since 1970, or numbers as they are in the index.")
    documents: list[int] = Field(description="In each bin.")
    share: list[float]
    kind: Literal["date", "number"]


class TopicPage(TopicRow):
    """One topic, with 30 words either way, its neighbours, typical documents and its course."""

    similar: list[Similar]
    typical: list[Typical]
    over_time: Course | None


class WordPart(BaseModel):
    """A word, and how much its occurrences moved a topic."""

    word: str
    part: float


class Reason(BaseModel):
    """A topic that is on in question and document, its part in their cosine, and the words that pushed it up."""

    topic: int
    name: str
    part: float
    question_words: list[WordPart]
    words: list[WordPart]


class Result(BaseModel):
    """A document found."""

    id: str
    score: float
    text: str = Field(description="The first 600 characters.")
    label: str | None
    split: str | None
    time: Time
    reasons: list[Reason]


class Found(BaseModel):
    """The best documents, best first."""

    results: list[Result]
    seconds: float
    knows: bool = Field(description="Whether the model knows a word of the question.")
    total_documents: int


class DocumentTopic(BaseModel):
    """A topic that a document switches on."""

    id: int
    name: str
    strength: float


class Span(BaseModel):
    """An occurrence of a word; positions are in UTF-16 units, as JavaScript counts them."""

    start: int
    end: int
    part: float = Field(description="What it added to the chosen topic's input.")
    word: str


class DocumentPage(BaseModel):
    """A document, the topics that are on in it, and what its words did to one of them."""

    id: str
    text: str = Field(description="At most 100,000 characters.")
    shortened: bool
    label: str | None
    split: str | None
    time: Time
    topics: list[DocumentTopic]
    chosen: int | None = Field(description="The topic that spans are of; null where none is on and none was asked for.")
    total: float = Field(description="The chosen topic's input: the sum of the parts over the whole text.")
    spans: list[Span]


class MapDocument(BaseModel):
    """A point of the map."""

    row: int
    id: str
    text: str = Field(description="The first 200 characters.")
    label: str | None
    topic: int = Field(description="The strongest one, -1 for none.")


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
    """Shares of documents that switch topics on, in bins of time."""

    edges: list[float]
    documents: list[int]
    shares: dict[str, list[float]] = Field(description="By the number of the topic.")
    kind: Literal["date", "number"]


class Figure(BaseModel):
    """A figure as plotly takes it; arrays may be texts in base64, which plotly reads."""

    data: list[dict[str, Any]]
    layout: dict[str, Any]
