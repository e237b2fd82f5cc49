"""Answers that stay the same while the explorer runs: bytes with a tag, so that a browser need not
fetch them twice.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from functools import cached_property

from fastapi import Request, Response

WORTH_PACKING = 2048  # bytes
REVALIDATED = "no-cache"  # kept by the browser, and asked about each time


class FixedResponse:
    """Bytes with their kind and tag."""

    def __init__(self, body: bytes, media_type: str, *, cache: str = REVALIDATED) -> None:
        self.body, self.media_type, self._cache = body, media_type, cache
        self.tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'

    @cached_property
    def _packed(self) -> bytes:
        return gzip.compress(self.body, compresslevel=5, mtime=0)

    def response(self, request: Request) -> Response:
        """The bytes, packed where the client takes that, or the word that they have not changed."""
        headers = {"ETag": self.tag, "Cache-Control": self._cache, "Vary": "Accept-Encoding"}
        if _knows(request.headers, self.tag):
            return Response(status_code=304, headers=headers)
        if len(self.body) >= WORTH_PACKING and takes_gzip(request.headers):
            return Response(
                self._packed,
                media_type=self.media_type,
                headers={**headers, "Content-Encoding": "gzip"},
            )
        return Response(self.body, media_type=self.media_type, headers=headers)


def takes_gzip(headers: Mapping[str, str]) -> bool:
    """Whether a client said so; "gzip;q=0" says the contrary."""
    for offer in headers.get("accept-encoding", "").lower().split(","):
        name, _, quality = offer.partition(";")
        if name.strip() in ("gzip", "*"):
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _knows(headers: Mapping[str, str], tag: str) -> bool:
    known = [
        part.strip().removeprefix("W/") for part in headers.get("if-none-match", "").split(",")
    ]
    return tag in known or known == ["*"]
