"""The explorer as a web application: pages, and an API that only reads, unless topics are to be
edited.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request, Response

import undertow
from undertow import _extras
from undertow._errors import InvalidInput
from undertow.explorer import _page_files
from undertow.explorer._background import Background
from undertow.explorer._guard import Guard, Hosts
from undertow.explorer._listing import listing
from undertow.explorer._problems import NotFound, handle_problems
from undertow.explorer._reopening import Reopened, Reopener
from undertow.explorer._routes import api
from undertow.explorer._saving import Saver
from undertow.explorer.loopback import is_loopback
from undertow.explorer.source import Source

KEPT = 192 * 2**20  # bytes of rows and the like that were read for answers, at most,
KEPT_OF_ALL = 32  # and no more than this part of the machine's memory
OTHERS_AT_ONCE = 4  # requests at work that are neither searches nor documents
STOPPED_WITHIN = 3.0  # seconds: how long the end waits for the thread that makes the overview


def create_app(
    source: Source,
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    background: Background | None = None,
) -> FastAPI:
    """The application that shows an index or a model; `host` is where it will listen, and may be
    addressed.

    With a token, topics can be edited by those who know it; without one there is no route for that.
    `app.state.background` makes the overview from the moment when the application starts; that is
    the one given, if any.
    """
    if token is not None and not is_loopback(host):
        raise InvalidInput(
            f"topics can be edited on this machine alone: host must be 127.0.0.1 or so, got "
            f"{host!r:.80}"
        )
    if background is None:
        background = Background(source)
    app = _application(source, token, background, None)
    app.add_middleware(Reopened, reopener=app.state.reopener)
    app.add_middleware(Guard, hosts=Hosts(host), token=token)
    return app


def _application(
    source: Source, token: str | None, background: Background, reopener: Reopener | None
) -> FastAPI:
    """Pages and API of a source; what opens it again belongs to the first application."""
    if source.index is not None:
        source.index.keep_in_memory(_kept())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = OTHERS_AT_ONCE
        app.state.background.start()
        yield
        app.state.background.stop(STOPPED_WITHIN)

    app = FastAPI(
        title="undertow explorer",
        summary="Topics, documents, search and map of an index or a model.",
        version=undertow.__version__,
        docs_url=None,  # its scripts come from the network
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.background = background
    again = reopener or Reopener(
        app, source, lambda new: _application(new, token, Background(new), again)
    )
    app.state.reopener = again
    handle_problems(app, again.begin)
    app.include_router(api(source, background, None if token is None else Saver(source)))
    _add_pages(app)
    return app


def _kept() -> int:
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not told on this system
        return KEPT
    return min(KEPT, memory // KEPT_OF_ALL)


def _add_pages(app: FastAPI) -> None:
    pages, plotly = _page_files.pages(), _page_files.plotly_script()
    routes = listing(app)

    def page(request: Request, name: str) -> Response:
        if name not in pages:
            raise NotFound("there is no such page")
        return pages[name].response(request)

    @app.get("/", include_in_schema=False)
    async def start(request: Request) -> Response:
        return page(request, "index.html")

    @app.get("/pages/{name:path}", include_in_schema=False)
    async def other(request: Request, name: str) -> Response:
        return page(request, name)

    @app.get("/plotly.min.js", include_in_schema=False)
    async def script(request: Request) -> Response:
        if plotly is None:
            raise NotFound(f"plotly is not installed: {_extras.command('explorer')}")
        return plotly.response(request)

    @app.get("/api", include_in_schema=False)
    async def list_of_routes(request: Request) -> Response:
        return routes.response(request)
