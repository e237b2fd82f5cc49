"""The routes of the API: parameters and their limits, and who answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import anyio
from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor

from undertow._errors import InvalidInput
from undertow.explorer import _answers as answers
from undertow.explorer._background import Background
from undertow.explorer._documents import DocumentDesk, Mode
from undertow.explorer._figures import FigureDesk
from undertow.explorer._map import MapDesk
from undertow.explorer._topics import Sort, TopicDesk
from undertow.explorer.source import Source

Answer = TypeVar("Answer")

LONGEST_QUERY = 10_000  # characters
LONGEST_FILTER = 4096
LONGEST_ID = 4000
MOST_RESULTS = 100
MOST_ROWS = 200
MOST_TOPICS = 100
MOST_COLUMNS = 6
LONGEST_LIST = 4000  # characters of numbers with commas between
SEARCHES_AT_ONCE = 2  # each keeps the cores busy by itself; more would only wait for each other
ABANDONED = 499  # what web servers note where the client has gone; nobody reads it

PROBLEMS: dict[int | str, dict[str, Any]] = {
    404: {"model": answers.Problem, "description": "There is no such thing."},
    422: {"model": answers.Problem, "description": "A parameter is not what it must be."},
}
OVERVIEW_PROBLEMS: dict[int | str, dict[str, Any]] = {
    **PROBLEMS,
    409: {"model": answers.NotYet, "description": "The overview is not there yet, or never will be."},
}

Id = Annotated[str, Path(max_length=LONGEST_ID, description="The id of a document; it may hold slashes.")]
Number = Annotated[int, Path(ge=0, le=2**31 - 1, description="The number of a topic.")]
N = Annotated[int, Query(ge=1, le=MOST_RESULTS, description="How many documents at most.")]
ModeQuery = Annotated[Mode, Query(description="How documents are ranked.")]
Where = Annotated[str | None, Query(max_length=LONGEST_FILTER, description="A filter: label = 'a' AND NOT id = 'b'.")]


class AnyText(Convertor[str]):
    """The rest of an address, line breaks included: ids may hold any letter."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        """It is a text already."""
        return value

    def to_string(self, value: str) -> str:
        """It is a text already."""
        return value


register_url_convertor("any", AnyText())


class Turns:
    """Searches take turns. One whose client has gone, as happens to all but the last while someone types, is dropped
    when its turn comes.
    """

    def __init__(self, at_once: int = SEARCHES_AT_ONCE) -> None:
        self._turn = anyio.Semaphore(at_once)
        self.dropped = 0

    async def take(self, request: Request, work: Callable[[], Answer]) -> Answer | Response:
        """Runs the work in a thread when it is its turn."""
        async with self._turn:
            if await request.is_disconnected():
                self.dropped += 1
                return Response(status_code=ABANDONED)
            return await run_in_threadpool(work)


def api(source: Source, background: Background) -> APIRouter:
    """All routes below /api."""
    routes = APIRouter(prefix="/api")
    topics, documents = TopicDesk(source, background), DocumentDesk(source)
    background.first(topics.warm_up, documents.warm_up)
    _add_topics(routes, topics)
    _add_documents(routes, documents)
    overviews = MapDesk(source, background)
    _add_overview(routes, overviews)
    _add_figures(routes, FigureDesk(source, overviews))
    return routes


def _add_topics(routes: APIRouter, desk: TopicDesk) -> None:
    @routes.get("/about", responses=PROBLEMS)
    def about() -> answers.About:
        """What is shown, and how far the overview is."""
        return desk.about()

    @routes.get("/topics", responses=PROBLEMS, response_model=answers.Topics)
    def topics(request: Request, sort: Annotated[Sort, Query(description="The order.")] = "activity") -> Response:
        """All topics with ten words either way."""
        return desk.listed(sort).response(request)

    @routes.get("/topics/{number}", responses=PROBLEMS)
    def topic(number: Number) -> answers.TopicPage:
        """One topic: thirty words either way, similar topics, typical documents, its course over time."""
        return desk.page(number)

    @routes.get("/training", responses=PROBLEMS)
    def training() -> answers.Training:
        """The history of the model's training."""
        return desk.training()


def _add_documents(routes: APIRouter, desk: DocumentDesk) -> None:
    turns = Turns()

    @routes.get("/search", responses=PROBLEMS, response_model=answers.Found)
    async def search(
        request: Request,
        q: Annotated[str | None, Query(max_length=LONGEST_QUERY, description="Words or a whole text.")] = None,
        like: Annotated[str | None, Query(max_length=LONGEST_ID, description="Instead of q: an id.")] = None,
        where: Where = None,
        mode: ModeQuery = "semantic",
        n: N = 10,
    ) -> Any:
        """The best documents for a text or for a document, with the reasons."""
        return await turns.take(request, lambda: desk.search(q, like, where, mode, n))

    @routes.get("/nearest/{name:any}", responses=PROBLEMS, response_model=answers.Found)
    async def nearest(request: Request, name: Id, n: N = 10, mode: ModeQuery = "semantic", where: Where = None) -> Any:
        """The documents most like one."""
        return await turns.take(request, lambda: desk.search(None, name, where, mode, n))

    @routes.get("/documents/{name:any}", responses=PROBLEMS)
    def document(
        name: Id,
        topic: Annotated[
            int | None, Query(ge=0, le=2**31 - 1, description="Whose words are marked; the strongest unless given.")
        ] = None,
    ) -> answers.DocumentPage:
        """A document, its topics, and what each of its words did to one of them."""
        return desk.page(name, topic)


def _add_overview(routes: APIRouter, desk: MapDesk) -> None:
    packed = {"content": {"application/octet-stream": {}}, "description": "The points, little endian: see the manual."}

    @routes.get("/map", responses={**OVERVIEW_PROBLEMS, 200: packed}, response_class=Response)
    def map_of_all(request: Request) -> Response:
        """All documents as points: a header in JSON and arrays, packed."""
        return desk.map().response(request)

    @routes.get("/map/documents", responses=OVERVIEW_PROBLEMS)
    def documents(
        rows: Annotated[str, Query(max_length=LONGEST_LIST, description="Numbers of points, with commas.")],
    ) -> answers.MapDocuments:
        """The beginnings of some documents of the map."""
        return desk.documents(whole_numbers("rows", rows, MOST_ROWS))

    @routes.get("/time", responses=OVERVIEW_PROBLEMS)
    def over_time(
        topics: Annotated[str, Query(max_length=LONGEST_LIST, description="Numbers of topics, with commas.")],
    ) -> answers.Times:
        """How often topics were on, over time."""
        return desk.over_time(whole_numbers("topics", topics, MOST_TOPICS))


def _add_figures(routes: APIRouter, desk: FigureDesk) -> None:
    @routes.get("/figures/training", responses=PROBLEMS, response_model=answers.Figure)
    def training(
        request: Request,
        columns: Annotated[int | None, Query(ge=1, le=MOST_COLUMNS, description="Panels side by side.")] = None,
    ) -> Response:
        """The history of the model's training as a figure for plotly."""
        return desk.training(columns).response(request)

    @routes.get("/figures/time", responses=OVERVIEW_PROBLEMS, response_model=answers.Figure)
    def over_time(
        request: Request,
        topics: Annotated[str, Query(max_length=LONGEST_LIST, description="Or else those that change most.")] = "",
    ) -> Response:
        """How often topics were on, over time, as a figure for plotly."""
        chosen = whole_numbers("topics", topics, MOST_TOPICS)
        return desk.over_time(chosen or None).response(request)


def whole_numbers(name: str, text: str, most: int) -> list[int]:
    """Numbers with commas between them, each once."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) > most:
        raise InvalidInput(f"{name} must be at most {most} numbers, got {len(parts):,}")
    wrong = next((part for part in parts if not (part.isascii() and part.isdigit() and len(part) < 10)), None)
    if wrong is not None:
        raise InvalidInput(f"{name} must be whole numbers with commas between them, got {wrong!r:.40}")
    return list(dict.fromkeys(int(part) for part in parts))
