"""A file over HTTP, resumed where an earlier attempt stopped.

What has arrived lies in `<name>.part`; the next attempt, of this call or of a later one, asks for
the rest of it. Two processes that download the same file at once spoil each other's part: the check
of the content notices.
"""

from __future__ import annotations

import http.client
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from undertow import _bars
from undertow._errors import InvalidInput
from undertow.files.atomic import put_file_in_place

ATTEMPTS = 20  # an attempt that brings nothing new is the last one anyway
TIMEOUT = 30.0  # seconds without a byte
CHUNK = 1 << 16
RANGE = re.compile(r"bytes (?:([0-9]+)-[0-9]+|\*)/([0-9]+)")

Report = Callable[[int, int | None], None]  # bytes so far, bytes in all


class Unreachable(Exception):
    """The file could not be had over the network; the text says why."""


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows a redirect within the host only: a data set comes from its own home or not at all."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if urllib.parse.urlsplit(newurl).hostname != urllib.parse.urlsplit(req.full_url).hostname:
            raise urllib.error.URLError(f"it sends us on to another host, {newurl}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(url: str, file: Path, *, largest: int, progress: bool) -> None:
    """Fetches `url` into `file`, with a progress bar on standard error; raises `Unreachable` where
    that fails.
    """
    part = file.with_name(file.name + ".part")
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with _bars.progress(
        *columns, TimeRemainingColumn(), console=Console(stderr=True, quiet=not progress)
    ) as bar:
        task = bar.add_task(file.name, total=None)
        _fetch(
            url, part, largest, lambda done, total: bar.update(task, completed=done, total=total)
        )
    put_file_in_place(part, file)


def _fetch(url: str, part: Path, largest: int, report: Report) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        before = _size(part)
        try:
            if _receive(url, part, largest, report):
                return
        except Unreachable:
            if _size(part) <= before or attempt == ATTEMPTS:
                raise
    raise Unreachable("the server and the part that has arrived do not fit together")


def _receive(url: str, part: Path, largest: int, report: Report) -> bool:
    """One attempt: true when the file is complete, false when the part was of no use and is
    gone.
    """
    have = _size(part)
    request = urllib.request.Request(url, headers={"User-Agent": "undertow"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        response = urllib.request.build_opener(_SameHost).open(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
                return _is_complete(part, have, error.headers.get("Content-Range"))
            raise Unreachable(f"the server answers {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:  # URLError is an OSError
        raise Unreachable(str(getattr(error, "reason", error)) or type(error).__name__) from error
    with response:
        start, total = _extent(response, have)
        if start not in (0, have):
            part.unlink()  # the server sends another piece than the one asked for
            return False
        _copy(response, part, start, total, largest, report)
    return True


def _copy(
    response: http.client.HTTPResponse,
    part: Path,
    start: int,
    total: int | None,
    largest: int,
    report: Report,
) -> None:
    done = start
    with open(part, "ab" if start else "wb") as out:
        report(done, total)
        while piece := _read(response):
            done += len(piece)
            if max(done, total or 0) > largest:
                out.truncate(0)
                raise InvalidInput(
                    f"{part.name} must have at most {largest:,} bytes, got "
                    f"{max(done, total or 0):,}"
                )
            out.write(piece)
            report(done, total)
    if total is not None and done < total:  # urllib passes over a connection that closes early
        raise Unreachable(f"the connection broke after {done:,} of {total:,} bytes")


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read(CHUNK)
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"the connection broke: {error}") from error


def _extent(response: http.client.HTTPResponse, have: int) -> tuple[int, int | None]:
    """Where the bytes that come now begin, and how many the whole file has, where the server
    says.
    """
    if response.status == http.HTTPStatus.PARTIAL_CONTENT:
        found = RANGE.fullmatch(response.headers.get("Content-Range", ""))
        return (int(found[1]), int(found[2])) if found and found[1] else (have, None)
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if length.isdecimal() else None


def _is_complete(part: Path, have: int, content_range: str | None) -> bool:
    """The server has nothing beyond what there is: the file is complete, or it was another one."""
    found = RANGE.fullmatch(content_range or "")
    if found and int(found[2]) == have:
        return True
    part.unlink()
    return False


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0
