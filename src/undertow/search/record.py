"""A document as people see it: its title as a headline, the text below it, and a link where it is
safe to follow.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from undertow.corpus.titles import without_title

LONGEST_LINK = 2000  # characters; browsers follow no longer ones


class Record:
    """What documents and hits have in common: a `text`, and `fields` that may hold a title and a
    url.
    """

    text: str
    fields: dict[str, Any]

    @property
    def title(self) -> str | None:
        """The title, if the corpus has titles and this document has one."""
        title = self.fields.get("title")
        return " ".join(title.split()) or None if isinstance(title, str) else None

    @property
    def body(self) -> str:
        """The text without the title that it begins with."""
        title = self.fields.get("title")
        return without_title(self.text, title if isinstance(title, str) else None)

    @property
    def url(self) -> str | None:
        """The link to the document, if the corpus has links and this one is of the web."""
        return web_link(self.fields.get("url"))


def web_link(value: object) -> str | None:
    """A link that may be opened: of http or https, to a host, in letters that can be shown; None
    for any other.
    """
    link = value.strip() if isinstance(value, str) else ""
    if not link.isprintable() or " " in link or "\\" in link or len(link) > LONGEST_LINK:
        return None
    try:
        parts = urlsplit(link)
        return link if parts.scheme.lower() in ("http", "https") and parts.hostname else None
    except ValueError:
        return None
