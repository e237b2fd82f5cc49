"""Segments of full text from a stranger: any bytes in them are refused, or answer something that is
finite, in little memory.
"""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from undertow._errors import IndexFileError
from undertow.fulltext import full_text
from undertow.fulltext.full_text import FullText
from undertow.fulltext.meant_words import similar
from undertow.fulltext.segment import FORMS, SUFFIX, read
from undertow.fulltext.segment_maker import SegmentMaker
from undertow.fulltext.word_rule import WordRule

RULE = WordRule(None)
MOST_MEMORY = 2**24  # bytes, for a file of two kilobytes
WORDS = ("orchard", "orchand", "apple", "zzz", "melon")

quick = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
long = settings(quick, max_examples=30_000)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    texts = ["apple pear orchard", "melon melon plum", "wheel of an orchard", ""] * 5
    maker = SegmentMaker(RULE)
    maker.add(np.arange(20, dtype=np.uint64), pl.Series(texts))
    file = maker.segment().save(tmp_path_factory.mktemp("words"), RULE.name)
    ask(file)  # which loads what is compiled, so that later ones are measured without it
    return file.read_bytes()


def ask(file: Path) -> None:
    """What an index does with a segment."""
    segment = read(file, RULE.name)
    if segment is None:
        return
    rows = np.arange(0, 30, 2, dtype=np.uint64)  # some of them
    for text in (FullText.of(RULE, [segment], rows), FullText.of(RULE, [segment], None)):
        terms = text.terms(dict.fromkeys(WORDS, 1.0))
        for compiled in (False, True):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(full_text, "BY_KERNEL", 0)  # the kernel has its turn with few too
                scores = text.scores(terms, compiled=compiled)
            assert np.isfinite(scores).all()
        places = list(range(min(len(text.rows), 3)))
        assert np.isfinite(text.parts(terms, places)).all()
        text.places(rows)
        for word in WORDS:
            similar(text, word)


def harmless(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    tracemalloc.start()
    try:
        with suppress(IndexFileError):
            ask(file)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()


def mutated(stored: bytes, draw: Callable[[Any], Any]) -> bytes:
    """Some bytes changed, numbers of an array changed, or the table of contents."""
    content = bytearray(stored)
    length = int.from_bytes(content[:8], "little")
    kind = draw(st.sampled_from(["bytes", "numbers", "numbers", "table", "cut"]))
    if kind == "cut":
        return bytes(content[: draw(st.integers(0, len(content)))])
    if kind == "table":
        table = json.loads(content[8 : 8 + length])
        entry = table[draw(st.sampled_from(sorted(FORMS)))]
        numbers = st.integers(-(2**70), 2**70) | st.integers(0, 2000) | st.none() | st.floats()
        key = draw(st.sampled_from(["shape", "data_offsets", "dtype"]))
        if key == "dtype":
            entry[key] = draw(st.sampled_from(["U8", "I64", "F64", "BOOL", "", 7]))
        else:
            entry[key] = draw(st.lists(numbers, max_size=3))
        text = json.dumps(table).encode()
        return len(text).to_bytes(8, "little") + text + bytes(content[8 + length :])
    for _ in range(draw(st.integers(1, 8))):
        place = draw(st.integers(8 + length if kind == "numbers" else 0, len(content) - 8))
        if kind == "bytes":
            content[place] = draw(st.integers(0, 255))
        else:
            number = draw(st.integers(-(2**63), 2**63 - 1) | st.integers(-300, 300))
            content[place : place + 8] = number.to_bytes(8, "little", signed=True)
    return bytes(content)


@quick
@given(st.data())
def test_any_change_does_no_harm(stored: bytes, tmp_path: Path, data: st.DataObject) -> None:
    harmless(tmp_path / f"a{SUFFIX}", mutated(stored, data.draw))


@pytest.mark.torture
@long
@given(st.data())
def test_no_change_does_harm(stored: bytes, tmp_path: Path, data: st.DataObject) -> None:
    harmless(tmp_path / f"a{SUFFIX}", mutated(stored, data.draw))
