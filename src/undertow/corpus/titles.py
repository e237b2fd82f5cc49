"""Titles as first lines of texts, so that all that reads a text knows its title; and texts without
them again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

BETWEEN = "\n\n"
INSIDE_WORD = re.compile(r"\w")


def with_title(title: pl.Expr, text: pl.Expr) -> pl.Expr:
    """Each text below its title; as it is without one, or where it begins with it anyway."""
    import polars as pl  # here: results are shown without it

    line = title.str.strip_chars()
    body = text.str.strip_chars_start()
    begins = body.str.starts_with(line) & ~body.str.slice(line.str.len_chars(), 1).str.contains(
        INSIDE_WORD.pattern
    )
    joined = pl.when(body == "").then(line).otherwise(pl.concat_str(line, pl.lit(BETWEEN), text))
    return pl.when((line == "") | begins).then(text).otherwise(joined).fill_null(text).alias("text")


def without_title(text: str, title: str | None) -> str:
    """The text after its title; as it is where it does not begin with it."""
    line, body = (title or "").strip(), text.lstrip()
    rest = body[len(line) :]
    return rest.lstrip() if line and body.startswith(line) and not INSIDE_WORD.match(rest) else text
