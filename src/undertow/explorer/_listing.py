"""The page at /api: every route, what it takes and what it says, made from the OpenAPI document."""

from __future__ import annotations

from html import escape
from typing import Any

from fastapi import FastAPI

from undertow.explorer._fixed_responses import FixedResponse

HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>The API of the explorer</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { font: 600 1rem ui-monospace, monospace; margin: 2rem 0 0.25rem }
td, th { text-align: left; padding: 0 1rem 0.25rem 0; vertical-align: top }
p { margin: 0.25rem 0 }
</style></head><body>
<h1>The API of the explorer</h1>
<p>Routes answer GET and HEAD, and change nothing, but for those that say POST.
An error is JSON: {"error": "..."}.
<a href="/openapi.json">/openapi.json</a> describes every answer.</p>
"""


def listing(app: FastAPI) -> FixedResponse:
    """The page, made of what is registered so far."""
    paths: dict[str, Any] = app.openapi()["paths"]
    body = "".join(
        _route(path if method == "get" else f"POST {path}", operation)
        for path, operations in paths.items()
        for method, operation in operations.items()
    )
    return FixedResponse(f"{HEAD}{body}</body></html>\n".encode(), "text/html; charset=utf-8")


def _route(path: str, operation: dict[str, Any]) -> str:
    rows = "".join(_parameter(parameter) for parameter in operation.get("parameters", ()))
    table = f"<table>{rows}</table>" if rows else ""
    return f"<h2>{escape(path)}</h2><p>{escape(operation.get('description', ''))}</p>{table}\n"


def _parameter(parameter: dict[str, Any]) -> str:
    schema = parameter["schema"]
    limits = {
        "minimum": "at least",
        "maximum": "at most",
        "maxLength": "characters at most",
        "default": "unless given",
    }
    kinds = [schema, *schema.get("anyOf", ())]
    told = [
        f"{word} {kind[key]}"
        for kind in kinds
        for key, word in limits.items()
        if kind.get(key) is not None
    ]
    told += [" | ".join(map(str, kind["enum"])) for kind in kinds if "enum" in kind]
    cells = (parameter["name"], parameter.get("description", ""), ", ".join(told))
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
