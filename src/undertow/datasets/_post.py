"""Headers, quotations and signatures of a newsgroup post.

A post is, by RFC 822, header lines, an empty line and a body. Quotations and signatures have no
standard; the rules below are those that the posts of 1993 follow, and they look at the body only.
"""

from __future__ import annotations

import re

EMPTY_LINE = re.compile(r"\r?\n\r?\n|\A\r?\n")
RULE = re.compile(r"\s*-{2,}\s*")  # the usual `-- ` as well as a line of dashes
LONGEST_SIGNATURE = 12  # lines; more text than that below a rule is a section of the post

QUOTED = re.compile(
    r"""
      \s{0,3}[>|]                                  # > quoted, | quoted
    | \s{0,3}[A-Za-z]{1,4}>(?:\s|$)                # JB> quoted, with the initials of the other
    | \s*In\ article\b.*(?:[<@\#]|\bwrites\b) # In article <1@host>; not: In article 5 of the treaty
    | .*\b(?:writes?|wrote)\s*(?::|\.\.\.)\s*$     # Jane Doe writes:
    """,
    re.VERBOSE,
)


def strip_post(text: str, *, headers: bool, quotes: bool, signatures: bool) -> str:
    """The post without the parts that are false here; an empty string where nothing but white space
    is left.

    - headers: everything up to the first empty line, and that line. A post without an empty line is
      all headers.
    - signatures: the last part of the body that follows a line of two or more dashes, with that
      line, if it has at most 12 lines. Lines of dashes at the very end are passed over first, since
      many signatures stand between two rules.
    - quotes: lines that begin with `>`, `|` or initials and `>` (three blanks before it at most),
      and the lines that announce them: `In article <...>` and what ends in `writes:` or `wrote:`.
      `He said:` is prose and stays.
    """
    if headers and quotes and signatures:
        return text
    found = EMPTY_LINE.search(text)
    body_starts = found.end() if found else len(text)
    head, body = text[:body_starts], text[body_starts:]
    if not signatures:
        body = _without_signature(body)
    if not quotes:
        body = "\n".join(line for line in body.split("\n") if not QUOTED.match(line))
    left = head + body if headers else body
    return left if left.strip() else ""


def _without_signature(body: str) -> str:
    lines = body.split("\n")
    end = len(lines)
    while end and (RULE.fullmatch(lines[end - 1]) or not lines[end - 1].strip()):
        end -= 1
    for rule in range(end - 1, max(end - LONGEST_SIGNATURE - 2, -1), -1):
        if RULE.fullmatch(lines[rule]):
            return "\n".join(lines[:rule])
    return body
