"""What is shown of a text: its title, its sentences, its beginning."""

from __future__ import annotations

import re

from undertow.corpus.scripts import HAN, KANA

TITLE, SENTENCE, SHORTEST_SENTENCE = 90, 240, 20  # characters
PROSE = 0.75  # of a sentence, at least, are letters and spaces
HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,40}:\s")
SUBJECT = re.compile(r"(?i)(?:subject|title):\s*(?:re:\s*)*(.*)")
SENTENCES = re.compile(
    r"(?<=[.!?])\s+|(?<=[。！？])(?![。！？」』”’）])\s*|(?<=[。！？][」』”’）])\s*|\n\s*\n"
)
WIDE = re.compile(f"[{HAN}{KANA}]")  # letters that say as much as two
SPACE = re.compile(r"\s+")
ODD = re.compile(r"[!-@\[-`{-~]")  # digits and signs, as tables and drawings are made of
TAG = re.compile(r"<[^<>]{1,200}>")


def title_of(text: str) -> str:
    """A subject or title in the first lines, or the first line or sentence that is not empty."""
    lines = [line.strip() for line in text[:2000].splitlines()[:30]]
    for line in lines:
        found = SUBJECT.match(line)
        if found and found[1]:
            return shortened(found[1], TITLE)
    body = _body(text)
    first = next((line.strip() for line in body.splitlines() if line.strip()), "")
    return shortened(SENTENCES.split(TAG.sub(" ", first))[0], TITLE)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, without the header of a post or mail, quotation marks of mails, and
    tags.
    """
    plain = "\n".join(
        line for line in _body(text).splitlines() if not line.lstrip().startswith((">", "|", ":"))
    )
    found = (SPACE.sub(" ", part).strip() for part in SENTENCES.split(TAG.sub(" ", plain)))
    return [
        shortened(part, SENTENCE)
        for part in found
        if _length(part) >= SHORTEST_SENTENCE and _is_prose(part)
    ]


def _length(part: str) -> int:
    return len(part) + len(WIDE.findall(part))


def _is_prose(part: str) -> bool:
    """Whether a part reads as a sentence: no line that leads in a quotation, no address, no table,
    no drawing.
    """
    return (
        not part.endswith((":", "："))
        and "@" not in part
        and len(ODD.findall(part)) <= (1.0 - PROSE) * len(part)
    )


def shortened(text: str, most: int) -> str:
    """At most so many characters, cut at a space where one is near."""
    text = SPACE.sub(" ", text).strip()
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > most // 2 else cut).rstrip(" ,;:，、；：") + "…"


def _body(text: str) -> str:
    """What follows a header such as mails have: at least two lines "Name: value" before the first
    empty line.
    """
    head, _, rest = text.partition("\n\n")
    lines = head.splitlines()
    named = sum(1 for line in lines if HEADER.match(line))
    return rest if rest.strip() and named >= 2 and named * 2 >= len(lines) else text
