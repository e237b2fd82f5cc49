"""Errors as JSON: what a client did wrong in one sentence, and nothing of our insides otherwise."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from undertow._errors import IndexFileError, InvalidInput
from undertow.explorer import _answers as answers
from undertow.explorer._reopening import SAID

logger = logging.getLogger("undertow")

WORDS = {
    400: "the body must be JSON, got something else",
    404: "there is nothing at this address: /api lists what there is",
}


class NotFound(Exception):
    """There is no such topic, document, page or row."""


class Unready(Exception):
    """The overview is not there (yet)."""

    def __init__(self, answer: answers.NotYet) -> None:
        super().__init__(answer.error)
        self.answer = answer


def handle_problems(app: FastAPI, reopen: Callable[[], None]) -> None:
    """Registers what becomes of every error that is meant for the client; `reopen` begins to open
    the index again.
    """

    @app.exception_handler(IndexFileError)
    async def changed(request: Request, error: IndexFileError) -> JSONResponse:
        logger.warning("%s", error)
        reopen()
        return problem(503, SAID)

    @app.exception_handler(InvalidInput)
    async def invalid(request: Request, error: InvalidInput) -> JSONResponse:
        return problem(422, str(error))

    @app.exception_handler(RequestValidationError)
    async def wrong(request: Request, error: RequestValidationError) -> JSONResponse:
        return problem(422, "; ".join(_worded(part) for part in error.errors()))

    @app.exception_handler(NotFound)
    async def not_found(request: Request, error: NotFound) -> JSONResponse:
        return problem(404, str(error))

    @app.exception_handler(Unready)
    async def unready(request: Request, error: Unready) -> JSONResponse:
        return JSONResponse(error.answer.model_dump(), 409, headers={"Cache-Control": "no-store"})

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> JSONResponse:
        told = WORDS.get(error.status_code, str(error.detail))
        return problem(error.status_code, told, dict(error.headers or {}))


def problem(status: int, error: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An error, never kept by a browser."""
    sent = {**(headers or {}), "Cache-Control": "no-store"}
    return JSONResponse({"error": error}, status, headers=sent)


def _worded(part: dict[str, Any]) -> str:
    """The framework's words, with the name of the parameter; what came is left out, it may be
    long.
    """
    name = ".".join(str(place) for place in part["loc"] if place not in ("query", "path", "body"))
    return f"{name}: {part['msg'][:1].lower()}{part['msg'][1:]}"
