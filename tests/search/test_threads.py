"""One `Index` object, many threads: every answer is of one version from beginning to end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl
import pytest

from undertow import InvalidInput
from undertow.search import Index, _versions
from undertow.search.database.store import Store

MODES = ("semantic", "code", "text", "hybrid")
SECONDS = 2.0


def batch(turn: int, ids: list[str]) -> pl.DataFrame:
    """Documents that tell which turn of the writer they are of, and whose they are."""
    texts = [f"apple pear turn{turn} of {name}" for name in ids]
    return pl.DataFrame({"id": ids, "text": texts, "label": [str(turn)] * len(ids)})


def repeat(
    work: Callable[[int], object], until: float, wrong: list[BaseException]
) -> Callable[[], None]:
    """Does the work again and again, until there was trouble somewhere or the time is over."""

    def loop() -> None:
        turn = 0
        try:
            while time.monotonic() < until and not wrong:
                work(turn)
                turn += 1
        except BaseException as error:
            wrong.append(error)

    return loop


class Shared:
    """What the threads do to an index that they share. A batch of `ids` is replaced as a whole,
    again and again.
    """

    ids = tuple(f"s{number}" for number in range(20))

    def __init__(self, index: Index) -> None:
        self.index = index

    def replace(self, turn: int) -> None:
        self.index.add(batch(turn, list(self.ids)), replace=True)
        if turn % 5 == 4:
            self.index.optimize()  # which gives rows other numbers

    def come_and_go(self, turn: int) -> None:
        made = self.index.add([f"plum cherry {turn}", f"plum grape {turn}"]).made
        assert made is not None
        assert self.index.delete(list(made)).documents == 2

    def search(self, turn: int) -> None:
        hits = self.index.search(
            "apple pear", 1000, mode=MODES[turn % 4], where="id LIKE 's%'", reasons=False
        )
        for hit in hits:
            assert hit.text == f"apple pear turn{hit.fields['label']} of {hit.id}"
        assert sorted(hit.id for hit in hits) == sorted(self.ids)
        assert len({hit.fields["label"] for hit in hits}) == 1  # of one version

    def look_like(self, turn: int) -> None:
        hits = self.index.search(like="d2", n=5, mode=MODES[turn % 4])
        assert len(hits) == 5
        self.index.refresh()

    def scan(self, turn: int) -> None:
        found: dict[str, str] = {}
        for part in self.index.scan(["id", "text"], batch=16):
            found.update(zip(part["id"], part["text"], strict=True))
        turns = {found[name].split()[2] for name in self.ids}
        assert len(turns) == 1
        document = self.index.document("s0")
        assert document is not None
        assert document.text.endswith(" of s0")


def test_threads_may_share_an_index(index: Index) -> None:
    shared = Shared(index)
    shared.replace(0)
    until, wrong = time.monotonic() + SECONDS, list[BaseException]()
    work = (
        shared.replace,
        shared.come_and_go,
        shared.search,
        shared.search,
        shared.look_like,
        shared.scan,
    )
    threads = [threading.Thread(target=repeat(part, until, wrong)) for part in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
        assert not thread.is_alive()
    if wrong:
        raise wrong[0]
    again = Index.open(index.path)
    assert len(index) == len(again) == 140
    assert index.version == again.version
    for mode in MODES:
        found, expected = (one.search("apple gear plum", 140, mode=mode) for one in (index, again))
        assert {hit.id: hit.text for hit in found} == {hit.id: hit.text for hit in expected}


# The same, one step at a time


def interleaved(
    index: Index, monkeypatch: pytest.MonkeyPatch, method: str, change: Callable[[], Any]
) -> None:
    """A change takes place in another thread just before the store answers `method` the next
    time.
    """
    answer = getattr(Store, method)

    def late(store: Store, *arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(Store, method, answer)
        writer = threading.Thread(target=change)
        writer.start()
        writer.join(timeout=300)
        return answer(store, *arguments, **named)

    monkeypatch.setattr(Store, method, late)


@pytest.mark.parametrize("mode", MODES)
def test_a_search_is_of_the_version_that_it_began_with(
    index: Index, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    def asked() -> dict[str, str]:
        return {hit.id: hit.text for hit in index.search("apple pear", 200, mode=mode)}

    def change() -> None:
        index.delete(list(before))
        index.optimize()

    before = asked()
    interleaved(index, monkeypatch, "whole", change)
    assert asked() == before
    assert asked() == {}


READS = ("row_numbers", "taken", "_take", "matching", "whole", "encoded", "count", "with_ids")


@pytest.mark.parametrize(("words", "same"), [(True, False), (False, True)])
def test_whatever_is_read_when_another_writes(
    index: Index, monkeypatch: pytest.MonkeyPatch, words: bool, same: bool
) -> None:
    """The first search of a view opens what it needs; a writer comes before each of its steps."""

    def asked(one: Index) -> list[Any]:
        found = [one.search("apple pear", 200, mode=mode, where="id != 'x'") for mode in MODES]
        like = one.search(like="d2", n=5)
        return [{hit.id: hit.text for hit in hits} for hits in (*found, like)]

    before, came = asked(index), 0
    for method in READS:
        if not words:
            for file in (index.path / "words").iterdir():
                file.unlink()
        reader = Index.open(index.path)
        writer = reader if same else index

        def change(writer: Index = writer) -> None:
            nonlocal came
            came += 1
            writer.refresh()
            made = writer.add(["apple pear new", "wheel new"], replace=False).made
            assert made is not None
            writer.delete(list(made))
            writer.optimize()

        with pytest.MonkeyPatch.context() as patch:
            interleaved(index, patch, method, change)
            assert asked(reader) == before, method
    assert came >= 5


def test_a_scan_is_of_the_version_that_it_began_with(index: Index, table: pl.DataFrame) -> None:
    parts = index.scan(["id"], batch=50)
    seen = list(next(parts)["id"])
    index.delete(["d1", "d119"])
    index.add(["plum"])
    index.optimize()
    for part in parts:
        seen += list(part["id"])
    assert seen == list(table["id"])
    assert len(index) == 119


def test_a_search_waits_for_no_writer(index: Index) -> None:
    began, finish = threading.Event(), threading.Event()

    def wait(done: int, total: int) -> None:
        began.set()
        assert finish.wait(timeout=300)

    version = index.version
    writer = threading.Thread(target=index.add, args=(["plum"],), kwargs={"progress": wait})
    writer.start()
    assert began.wait(timeout=300)
    assert len(index.search("apple", 5)) == 5
    index.refresh()
    assert (len(index), index.version) == (120, version)
    finish.set()
    writer.join(timeout=300)
    assert len(index) == 121


def test_a_look_that_saw_less_does_not_undo_one_that_saw_more(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    latest = Store.latest

    def late(store: Store) -> Store:
        monkeypatch.setattr(Store, "latest", latest)
        found = latest(store)
        index.add(["plum"])  # as another thread would, between looking and seeing
        return found

    monkeypatch.setattr(Store, "latest", late)
    index.refresh()
    assert len(index) == 121


def test_what_is_held_is_kept_where_nothing_changed(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.search("apple")
    view = index._versions.current
    index.refresh()
    index.delete("nobody")
    with pytest.raises(InvalidInput):
        index.add(pl.DataFrame({"id": ["d1"], "text": ["plum"]}))
    assert index._versions.current is view
    index.delete("d1")
    assert index._versions.current is not view
    assert isinstance(index._versions.current, _versions.View)


@pytest.fixture(autouse=True)
def _all_threads_ended() -> Iterator[None]:
    """A thread that outlives its test would disturb the next."""
    before = set(threading.enumerate())
    yield
    left = [
        thread for thread in threading.enumerate() if thread not in before and not thread.daemon
    ]
    assert not left
