"""The language of filters: conditions on columns, joined by AND, OR, NOT and parentheses.

::

    filter     = both { OR both }
    both       = one { AND one }
    one        = NOT one | "(" filter ")" | condition
    condition  = column ( = | != | <> | < | <= | > | >= ) literal
               | column [NOT] IN "(" literal { "," literal } ")"
               | column [NOT] LIKE 'pattern'        % any letters, _ one letter, \\% \\_ \\\\ the
               letters themselves
               | column IS [NOT] NULL
    literal    = 'text' ('' for a quote in it) | number | TRUE | FALSE
               | DATE '2026-01-31' | TIMESTAMP '2026-01-31 12:00:00'
    column     = name | "any name" | `any name`     a quote in it is written twice

Words of the language may be written in any case. A date may be written in any usual format that
says which number is the day. This module knows no columns and no database:
it turns a string into a tree, or refuses it. What is sent to the database is made from the tree,
never from the string.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Never

from undertow._errors import InvalidInput
from undertow.search.filters.wildcards import MOST, wildcards

LONGEST = 4096  # characters of a filter
CONDITIONS = 64  # in one filter
DEEPEST = 32  # parentheses and NOTs within each other
LISTED = 1000  # literals of an IN

Literal = str | bool | int | float | date | datetime


@dataclass(frozen=True)
class Comparison:
    """column = literal, and the like."""

    column: str
    operator: str
    value: Literal


@dataclass(frozen=True)
class Among:
    """column IN (literal, ...)."""

    column: str
    values: tuple[Literal, ...]


@dataclass(frozen=True)
class Like:
    """column LIKE 'pattern'."""

    column: str
    pattern: str


@dataclass(frozen=True)
class Missing:
    """column IS NULL."""

    column: str


@dataclass(frozen=True)
class Not:
    """The opposite; of what is unknown because a value is missing, unknown again."""

    part: Tree


@dataclass(frozen=True)
class Both:
    """All of the parts."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Either:
    """At least one of the parts."""

    parts: tuple[Tree, ...]


Tree = Comparison | Among | Like | Missing | Not | Both | Either

OPERATORS = ("=", "!=", "<>", "<", "<=", ">", ">=")
WORDS = ("AND", "OR", "NOT", "IN", "LIKE", "IS", "NULL", "TRUE", "FALSE", "DATE", "TIMESTAMP")
# a column may be named date or timestamp: no condition begins with a literal
NOT_COLUMNS = WORDS[:-2]
TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')
    | (?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    | (?P<quoted>"(?:[^"]|"")+"|`(?:[^`]|``)+`)
    | (?P<name>[^\W\d]\w*)
    | (?P<sign><=|>=|!=|<>|=|<|>|\(|\)|,))""",
    re.VERBOSE,
)
QUOTES = "'\"`"
PATTERN = re.compile(r"(?:[^\\]|\\[%_\\])*", re.DOTALL)


@dataclass(frozen=True)
class _Token:
    kind: str  # "text", "number", "name", "quoted", "word", "sign" or "end"
    value: str  # words in capitals
    place: int
    written: str = ""


def parse(where: str) -> Tree:
    """The tree of a filter, or an error that says where it stops making sense."""
    if not where.strip():
        raise InvalidInput(f"where must be a condition such as label = 'a', got {where!r}")
    if len(where) > LONGEST:
        raise InvalidInput(f"where must have at most {LONGEST:,} characters, got {len(where):,}")
    return _Parser(_tokens(where)).whole()


def _tokens(where: str) -> list[_Token]:
    tokens, place = [], 0
    while where[place:].strip():
        match = TOKEN.match(where, place)
        if match is None or match.lastgroup is None:
            place += len(where[place:]) - len(where[place:].lstrip())
            what = "a quote that is never closed" if where[place] in QUOTES else repr(where[place])
            raise InvalidInput(
                f"where must follow the grammar of filters, got {what} at character {place + 1}"
            )
        kind, value = match.lastgroup, match[match.lastgroup]
        word = kind == "name" and value.upper() in WORDS
        place = match.start(match.lastgroup)
        tokens.append(
            _Token("word", value.upper(), place, value)
            if word
            else _Token(kind, value, place, value)
        )
        place = match.end()
    return [*tokens, _Token("end", "", len(where))]


class _Parser:
    """Recursive descent: a method per rule of the grammar."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens, self._next = tokens, 0
        self._conditions = self._depth = self._wildcards = 0

    def whole(self) -> Tree:
        tree = self._filter()
        if self._token.kind != "end":
            self._refuse("AND, OR or the end")
        return tree

    def _filter(self) -> Tree:
        parts = [self._both()]
        while self._take("word", "OR"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _both(self) -> Tree:
        parts = [self._one()]
        while self._take("word", "AND"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _one(self) -> Tree:
        self._depth += 1
        if self._depth > DEEPEST:
            raise InvalidInput(f"where must nest at most {DEEPEST} deep, got more")
        if self._take("word", "NOT"):
            tree: Tree = Not(self._one())
        elif self._take("sign", "("):
            tree = self._filter()
            self._want("sign", ")")
        else:
            tree = self._condition()
        self._depth -= 1
        return tree

    def _condition(self) -> Tree:
        self._conditions += 1
        if self._conditions > CONDITIONS:
            raise InvalidInput(f"where must have at most {CONDITIONS} conditions, got more")
        column = self._column()
        if self._token.kind == "sign" and self._token.value in OPERATORS:
            operator = self._advance().value
            return Comparison(column, "!=" if operator == "<>" else operator, self._literal())
        if self._take("word", "IS"):
            negated = self._take("word", "NOT")
            self._want("word", "NULL")
            return Not(Missing(column)) if negated else Missing(column)
        negated = self._take("word", "NOT")
        tree = self._listed(column)
        return Not(tree) if negated else tree

    def _column(self) -> str:
        if self._token.kind == "quoted":
            return _unquoted(self._advance().value)
        named = self._token.kind == "word" and self._token.value not in NOT_COLUMNS
        return (self._advance() if named else self._want("name", None, "a column")).written

    def _listed(self, column: str) -> Tree:
        if self._take("word", "LIKE"):
            token = self._want("text", None, "a 'pattern'")
            pattern = _unquoted(token.value)
            if not PATTERN.fullmatch(pattern):
                raise InvalidInput(
                    f"where must write a backslash of a pattern as \\\\, got {pattern!r}"
                )
            self._wildcards += wildcards(pattern)
            if self._wildcards > MOST:
                raise InvalidInput(
                    f"where must have at most {MOST} wildcards (% and _) in its patterns, got "
                    f"{self._wildcards:,}"
                )
            return Like(column, pattern)
        if not self._take("word", "IN"):
            self._refuse("one of = != < <= > >= IN LIKE IS")
        self._want("sign", "(")
        values = [self._literal()]
        while self._take("sign", ","):
            values.append(self._literal())
        self._want("sign", ")")
        if len(values) > LISTED:
            raise InvalidInput(f"where must list at most {LISTED:,} values, got {len(values):,}")
        return Among(column, tuple(values))

    def _literal(self) -> Literal:
        if self._token.kind == "text":
            return _unquoted(self._advance().value)
        if self._token.kind == "number":
            return self._number()
        for word, value in (("TRUE", True), ("FALSE", False)):
            if self._take("word", word):
                return value
        for word, kind in (("DATE", date), ("TIMESTAMP", datetime)):
            if self._take("word", word):
                return self._moment(word, kind)
        self._refuse("a literal: 'text', a number, TRUE, FALSE, DATE '...' or TIMESTAMP '...'")

    def _number(self) -> int | float:
        written = self._advance().value
        if re.fullmatch(r"[+-]?\d+", written):
            whole = int(written) if len(written) < 20 else 2**63
            if abs(whole) < 2**63:
                return whole
        elif abs(float(written)) != float("inf"):
            return float(written)
        raise InvalidInput(f"where must hold numbers of 64 bits, got {written:.40}")

    def _moment(self, word: str, kind: type[date] | type[datetime]) -> date | datetime:
        text = _unquoted(self._want("text", None, f"a quoted time after {word}").value)
        moment = moment_of(text, kind)
        if moment is None:
            form = "YYYY-MM-DD" if kind is date else "YYYY-MM-DD HH:MM:SS, without a zone"
            raise InvalidInput(f"where must give {word} as {form}, got {text!r:.40}")
        return moment

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _advance(self) -> _Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _take(self, kind: str, value: str) -> bool:
        """Goes on if this comes next."""
        found = self._token.kind == kind and self._token.value == value
        self._next += found
        return found

    def _want(self, kind: str, value: str | None, wanted: str = "") -> _Token:
        if self._token.kind != kind or value not in (None, self._token.value):
            self._refuse(wanted or repr(value))
        return self._advance()

    def _refuse(self, wanted: str) -> Never:
        token = self._token
        got = (
            "the end"
            if token.kind == "end"
            else f"{token.value!r:.40} at character {token.place + 1}"
        )
        raise InvalidInput(f"where must have {wanted} here, got {got}")


def moment_of(text: str, kind: type[date] | type[datetime]) -> date | datetime | None:
    """A day or a moment as somebody wrote it; None where it is none, or could be two."""
    try:
        moment = kind.fromisoformat(text)
        return None if getattr(moment, "tzinfo", None) is not None else moment
    except ValueError:
        from undertow.search.filters import moments  # polars, for few filters

        return moments.one(text, moment=kind is datetime)


def _unquoted(text: str) -> str:
    return text[1:-1].replace(2 * text[0], text[0])
