"""The routes of the API: parameters and their limits, and who answers."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel
from starlette.convertors import Convertor, register_url_convertor

from undertow._errors import InvalidInput
from undertow.explorer import _answers as answers
from undertow.explorer._background import Background
from undertow.explorer._documents import LONGEST_TEXT, DocumentDesk, Mode
from undertow.explorer._edit import Edit, EditDesk
from undertow.explorer._figures import FigureDesk
from undertow.explorer._map import MapDesk
from undertow.explorer._model import ModelDesk
from undertow.explorer._saving import Saver
from undertow.explorer._topics import TopicDesk
from undertow.explorer._turns import Turns
from undertow.explorer.source import Source

LONGEST_QUERY = 10_000  # characters
LONGEST_FILTER = 4096
LONGEST_ID = 4000
MOST_RESULTS = 100
MOST_ROWS = 200
MOST_TOPICS = 100
MOST_COLUMNS = 6
LONGEST_LIST = 4000  # characters of numbers with commas between
SEARCHES_AT_ONCE = 2  # each keeps the cores busy by itself; more would only wait for each other
TEXTS_AT_ONCE = 2  # documents whose words are marked

PROBLEMS: dict[int | str, dict[str, Any]] = {
    404: {"model": answers.Problem, "description": "There is no such thing."},
    422: {"model": answers.Problem, "description": "A parameter is not what it must be."},
}
OVERVIEW_PROBLEMS: dict[int | str, dict[str, Any]] = {
    **PROBLEMS,
    409: {
        "model": answers.NotYet,
        "description": "The overview is not there yet, or never will be.",
    },
}

EDIT_PROBLEMS: dict[int | str, dict[str, Any]] = {
    **PROBLEMS,
    **{
        status: {"model": answers.Problem, "description": description}
        for status, description in (
            (400, "The body is no JSON."),
            (403, "The token is missing or wrong, or the request comes from elsewhere."),
            (411, "The length of the body is not told."),
            (413, "The body is too long."),
            (415, "The body is not said to be JSON."),
        )
    },
}

Id = Annotated[
    str, Path(max_length=LONGEST_ID, description="The id of a document; it may hold slashes.")
]
Number = Annotated[int, Path(ge=0, le=2**31 - 1, description="The id of a topic.")]
Cut = Annotated[
    int | None,
    Query(ge=1, le=100_000, description="How many topics; the model's own number unless given."),
]
N = Annotated[int, Query(ge=1, le=MOST_RESULTS, description="How many documents at most.")]
ModeQuery = Annotated[Mode, Query(description="How documents are ranked.")]
Duplicates = Annotated[
    bool,
    Query(
        description=(
            "Whether documents that are nearly the same are shown one by one, or the best for all."
        )
    ),
]
Where = Annotated[
    str | None,
    Query(max_length=LONGEST_FILTER, description="A filter: label = 'a' AND NOT id = 'b'."),
]


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


def api(source: Source, background: Background, saver: Saver | None = None) -> APIRouter:
    """All routes below /api; with a saver, one that edits."""
    routes = APIRouter(prefix="/api")
    topics, documents = TopicDesk(source, background), DocumentDesk(source)
    model = ModelDesk(source, background, edit=saver is not None)
    background.first(topics.warm_up, model.warm_up, documents.warm_up)
    _add_model(routes, model, FigureDesk(source))
    _add_topics(routes, topics)
    _add_documents(routes, documents)
    _add_overview(routes, MapDesk(source, background), topics)
    _add_edits(routes, EditDesk(source, topics, saver), edit=saver is not None)
    return routes


def _add_model(routes: APIRouter, desk: ModelDesk, figures: FigureDesk) -> None:
    @routes.get("/about", responses=PROBLEMS)
    def about() -> answers.About:
        """What is shown, and how far the overview is."""
        return desk.about()

    @routes.get("/units", responses=PROBLEMS, response_model=answers.Units)
    def units(request: Request) -> Response:
        """All hidden units, which are features and not topics, with ten words either way."""
        return desk.units.response(request)

    @routes.get("/training", responses=PROBLEMS)
    def training() -> answers.Training:
        """The history of the model's training."""
        return desk.training()

    @routes.get("/figures/training", responses=PROBLEMS, response_model=answers.Figure)
    def figure(
        request: Request,
        columns: Annotated[
            int | None, Query(ge=1, le=MOST_COLUMNS, description="Panels side by side.")
        ] = None,
    ) -> Response:
        """The history of the model's training as a figure for plotly."""
        return figures.training(columns).response(request)


def _add_topics(routes: APIRouter, desk: TopicDesk) -> None:
    @routes.get("/tree", responses=PROBLEMS, response_model=answers.Tree)
    def tree(request: Request) -> Response:
        """The whole tree of topics with names and sizes, to be cut anywhere."""
        return desk.tree_bytes().response(request)

    @routes.get("/topics", responses=PROBLEMS, response_model=answers.Topics)
    def topics(request: Request, n: Cut = None) -> Response:
        """The topics of a cut of the tree, each with ten words and a quotation, and the coarser
        ones above them.
        """
        return desk.listed(n).response(request)

    @routes.get("/topics/{number}", responses=PROBLEMS)
    def topic(number: Number) -> answers.TopicPage:
        """One topic: thirty words, typical documents, neighbours, what it lies in, its parts, its
        course over time.
        """
        return desk.page(number)


def _add_edits(routes: APIRouter, desk: EditDesk, *, edit: bool) -> None:
    @routes.get("/curation", responses=PROBLEMS, response_model=answers.Curation)
    def curation(request: Request) -> Response:
        """What was done to the topics, as a file that can be applied to a later fit."""
        answer = desk.curation().response(request)
        answer.headers["Content-Disposition"] = 'attachment; filename="curation.json"'
        return answer

    if not edit:
        return

    @routes.post("/edit", responses=EDIT_PROBLEMS)
    def change(action: Edit) -> answers.Edited:
        """Renames, merges, splits, drops, restores, moves or seeds a topic, and keeps that with the
        model.
        """
        return desk.edit(action)


def _add_documents(routes: APIRouter, desk: DocumentDesk) -> None:
    turns = Turns(SEARCHES_AT_ONCE, "undertow-searches")
    reading = Turns(TEXTS_AT_ONCE, "undertow-texts")

    @routes.get("/search", responses=PROBLEMS, response_model=answers.Found)
    async def search(
        request: Request,
        q: Annotated[
            str | None, Query(max_length=LONGEST_QUERY, description="Words or a whole text.")
        ] = None,
        like: Annotated[
            str | None, Query(max_length=LONGEST_ID, description="Instead of q: an id.")
        ] = None,
        where: Where = None,
        mode: ModeQuery = "hybrid",
        n: N = 10,
        duplicates: Duplicates = False,
    ) -> Any:
        """The best documents for a text or for a document, with the reasons."""
        return await turns.take(
            request, lambda: desk.found(q, like, where, mode, n, duplicates=duplicates)
        )

    @routes.get("/nearest/{name:any}", responses=PROBLEMS, response_model=answers.Found)
    async def nearest(
        request: Request,
        name: Id,
        n: N = 10,
        mode: ModeQuery = "hybrid",
        where: Where = None,
        duplicates: Duplicates = False,
    ) -> Any:
        """The documents most like one."""
        return await turns.take(
            request, lambda: desk.found(None, name, where, mode, n, duplicates=duplicates)
        )

    @routes.get("/documents/{name:any}", responses=PROBLEMS, response_model=answers.DocumentPage)
    async def document(
        request: Request,
        name: Id,
        topic: Annotated[
            int | None,
            Query(
                ge=0, le=2**31 - 1, description="Whose words are marked; the largest unless given."
            ),
        ] = None,
        n: Cut = None,
        offset: Annotated[
            int, Query(ge=0, le=2**31 - 1, description="Characters of the text before the part.")
        ] = 0,
        limit: Annotated[
            int, Query(ge=1, le=LONGEST_TEXT, description="Characters of the part.")
        ] = LONGEST_TEXT,
    ) -> Any:
        """A document, its topics with their shares, and what each of its words did to carry it into
        one of them. Long texts come in parts.
        """
        return await reading.take(request, lambda: _json(desk.page(name, topic, n, offset, limit)))


def _json(answer: BaseModel) -> Response:
    """An answer, written in the thread that made it."""
    return Response(answer.model_dump_json(), media_type="application/json")


def _add_overview(routes: APIRouter, desk: MapDesk, topics: TopicDesk) -> None:
    packed = {
        "content": {"application/octet-stream": {}},
        "description": "The points, little endian: see the manual.",
    }

    @routes.get("/map", responses={**OVERVIEW_PROBLEMS, 200: packed}, response_class=Response)
    def map_of_all(request: Request) -> Response:
        """All documents as points: a header in JSON and arrays, packed."""
        return desk.map().response(request)

    @routes.get("/map/documents", responses=OVERVIEW_PROBLEMS)
    def documents(
        rows: Annotated[
            str, Query(max_length=LONGEST_LIST, description="Numbers of points, with commas.")
        ],
    ) -> answers.MapDocuments:
        """The beginnings of some documents of the map."""
        return desk.documents(whole_numbers("rows", rows, MOST_ROWS))

    @routes.get("/time", responses=OVERVIEW_PROBLEMS)
    def over_time(
        n: Cut = None,
        chosen: Annotated[
            str,
            Query(
                alias="topics",
                max_length=LONGEST_LIST,
                description="Instead of a cut: ids, with commas.",
            ),
        ] = "",
    ) -> answers.Times:
        """The shares of topics over time."""
        return desk.over_time(topics, n, whole_numbers("topics", chosen, MOST_TOPICS))

    @routes.get("/time/leaves", responses=OVERVIEW_PROBLEMS, response_model=answers.LeafTimes)
    def leaves(request: Request) -> Response:
        """Documents by time and leaf of the tree, of which the shares of any cut can be added
        up.
        """
        return desk.leaf_times().response(request)


def whole_numbers(name: str, text: str, most: int) -> list[int]:
    """Numbers with commas between them, each once."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) > most:
        raise InvalidInput(f"{name} must be at most {most} numbers, got {len(parts):,}")
    wrong = next(
        (part for part in parts if not (part.isascii() and part.isdigit() and len(part) < 10)), None
    )
    if wrong is not None:
        raise InvalidInput(
            f"{name} must be whole numbers with commas between them, got {wrong!r:.40}"
        )
    return list(dict.fromkeys(int(part) for part in parts))
