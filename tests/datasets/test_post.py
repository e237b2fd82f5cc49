"""What counts as a header, a quotation and a signature."""

from __future__ import annotations

import pytest

from undertow.datasets._post import strip_post

HEAD = "From: jane@host (Jane)\nSubject: Re: engines\n| odd header\n\n"


def body(text: str, *, quotes: bool = True, signatures: bool = True) -> str:
    return strip_post(HEAD + text, headers=False, quotes=quotes, signatures=signatures)


def test_everything_kept_is_the_post_itself() -> None:
    text = HEAD + "> quoted\n--\nJane\n"
    assert strip_post(text, headers=True, quotes=True, signatures=True) is text


@pytest.mark.parametrize(
    ("post", "left"),
    [
        ("From: a\nLines: 2\n\nFirst.\n\nSecond.\n", "First.\n\nSecond.\n"),
        ("From: a\r\nLines: 2\r\n\r\nFirst.\r\n", "First.\r\n"),
        ("From: a\n \nStill a header: b\n\nText", "Text"),  # only an empty line ends the headers
        ("\nNo headers at all\n\nText", "No headers at all\n\nText"),
        ("From: a\nSubject: no body", ""),
        ("From: a\n\n \n\t\n", ""),
    ],
)
def test_headers(post: str, left: str) -> None:
    assert strip_post(post, headers=False, quotes=True, signatures=True) == left


@pytest.mark.parametrize(
    "line",
    [
        "> quoted",
        ">>deeper",
        "  > indented",
        "| quoted",
        "JB> with initials",
        "JB>",
        "In article <1993Apr5.1@host.edu> jane@host.edu (Jane Doe) writes:",
        "In article <1993Apr5.1@host.edu>,",
        "jane@host.edu (Jane Doe) writes:",
        "Jane Doe writes...",
        "On Tuesday Jane wrote:  ",
    ],
)
def test_quotes(line: str) -> None:
    assert body(f"Before.\n{line}\nAfter.\n", quotes=False) == "Before.\nAfter.\n"


@pytest.mark.parametrize(
    "line",
    [
        "a > b",
        "In article 5 of the treaty it is forbidden.",
        "He said:",
        "She writes: and goes on",
        "MAX>'AX>'AX",
        "          | a table |",
    ],
)
def test_prose_is_no_quote(line: str) -> None:
    assert body(f"Before.\n{line}\nAfter.\n", quotes=False) == f"Before.\n{line}\nAfter.\n"


@pytest.mark.parametrize(
    "signature",
    [
        "--\nJane\n",
        "-- \nJane\nhost.edu",
        "----------\nJane\n",
        "-----\nJane\n-----\n\n",
        "  --  \n" + "line\n" * 12,
    ],
)
def test_signatures(signature: str) -> None:
    assert body(f"Text.\n--\nMore.\n{'word. ' * 3}\n" + signature, signatures=False).startswith(
        "Text.\n--\nMore."
    )
    assert body("Text.\n" + signature, signatures=False) == "Text."


@pytest.mark.parametrize(
    "text", ["Text.\n-\nJane\n", "Text -- more\n", "--\n" + "line\n" * 13, "Text.\nJane\n"]
)
def test_no_signature(text: str) -> None:
    assert body(text, signatures=False) == text


def test_headers_stay_whole_when_only_the_body_is_stripped() -> None:
    text = HEAD + "> quoted\nMine.\n--\nJane\n"
    assert strip_post(text, headers=True, quotes=False, signatures=False) == HEAD + "Mine."


def test_nothing_left_is_an_empty_string() -> None:
    assert body("> quoted\n\n--\nJane\n", quotes=False, signatures=False) == ""
