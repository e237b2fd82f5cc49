"""The explorer's routes as a page, from the description that it serves itself."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any


def described() -> str:
    """A section for each route: what it answers, and its parameters."""
    api = schema()
    lines = [
        "# The HTTP API of the explorer",
        "",
        "`undertow explore INDEX` serves it beside its pages, on this machine alone unless told",
        "otherwise. `GET /openapi.json` is the same as a description for programs.",
        "",
    ]
    for path, verbs in api["paths"].items():
        for verb, route in verbs.items():
            lines += [f"## {verb.upper()} {path}", "", *about(route), *parameters(route), ""]
    return "\n".join(lines)


def schema() -> dict[str, Any]:
    """The OpenAPI description of an explorer in which topics can be edited: it has every route."""
    import numpy as np
    import polars as pl

    from undertow import Index, TopicModel
    from undertow.explorer import Source
    from undertow.explorer.app import create_app

    generator = np.random.default_rng(0)
    words = ["apple", "pear", "plum", "rocket", "moon", "orbit", "goal", "team", "vote", "law"]
    texts = [" ".join(generator.choice(words, 20)) for _ in range(40)]
    table = pl.DataFrame({"id": [str(row) for row in range(40)], "text": texts})
    model = TopicModel(4, min_df=1, max_epochs=1, random_state=0).fit(table)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "index"
        Index.create(folder, model, table)
        found: dict[str, Any] = create_app(Source.open(folder), token="t").openapi()
    return found


def about(route: dict[str, Any]) -> list[str]:
    """Its summary and description."""
    text = route.get("description") or route.get("summary") or ""
    return [text, ""] if text else []


def parameters(route: dict[str, Any]) -> list[str]:
    """A table of what it takes."""
    given = route.get("parameters", [])
    if not given:
        return []
    lines = ["| parameter | where | what it is | unless given |", "| --- | --- | --- | --- |"]
    for one in given:
        rule = one.get("schema", {})
        default = "" if rule.get("default") is None else f"`{rule['default']}`"
        what = one.get("description", "") or kind_of(rule)
        lines.append(f"| `{one['name']}` | {one['in']} | {what} | {default} |".replace("\n", " "))
    return lines


def kind_of(rule: dict[str, Any]) -> str:
    """The type of a parameter, in words."""
    if "anyOf" in rule:
        return " or ".join(kind_of(one) for one in rule["anyOf"] if one.get("type") != "null")
    if "enum" in rule:
        return ", ".join(f"`{one}`" for one in rule["enum"])
    return str(rule.get("type", ""))
