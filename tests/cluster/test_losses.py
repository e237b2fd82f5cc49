"""Two simulated machines, one of which is killed while it works: the model has the same bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from tests.cluster.in_process import in_one_process
from tests.cluster.test_reading import some_texts
from tests.cluster.test_training import OPTIONS, bits
from undertow import TopicModel, open_corpus
from undertow.cluster import Cluster, Crew

TWO = Cluster(workers=2)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("corpus") / "corpus.parquet"
    pl.DataFrame({"text": some_texts(1500)}).write_parquet(file)
    return open_corpus(file)


@pytest.fixture(scope="module")
def undisturbed(corpus: Any) -> dict[str, bytes]:
    """The bits of two workers that live in one process."""
    with in_one_process():
        return bits(TopicModel(**OPTIONS).fit(corpus, cluster=TWO))


def strike(monkeypatch: pytest.MonkeyPatch, name: str, number: int, do: Callable[[], None]) -> None:
    """Does something when workers have been asked for a method so often."""
    asked = [0]

    def watched(method: Any) -> Any:
        def call(self: Crew, worker: int, called: str, *given: Any) -> Any:
            found = method(self, worker, called, *given)
            asked[0] += called == name
            if called == name and asked[0] == number:
                do()
            return found

        return call

    for method in ("submit", "submit_several"):
        monkeypatch.setattr(Crew, method, watched(getattr(Crew, method)))


def test_a_machine_is_killed_while_it_trains(
    machines: Any,
    second_machine: Any,
    corpus: Any,
    undisturbed: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    strike(monkeypatch, "advance", 8, lambda: machines.remove_node(second_machine))
    model = TopicModel(**OPTIONS).fit(corpus, cluster=TWO)
    assert bits(model) == undisturbed
    (event,) = model.cluster_.events
    assert " was lost while training (its " in event
    assert event.endswith("; another has taken its place")


@pytest.mark.torture
@pytest.mark.parametrize(
    "name",
    ["count", "types", "encode", "source_facts", "begin", "take", "advance", "settle_sums", "rows"],
)
@pytest.mark.parametrize("workers", [2, 4])
def test_a_machine_is_killed_in_every_phase(
    name: str,
    workers: int,
    machines: Any,
    second_machine: Any,
    corpus: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = Cluster(workers=workers)
    before = bits(TopicModel(**OPTIONS).fit(corpus, cluster=cluster))
    strike(monkeypatch, name, 2, lambda: machines.remove_node(second_machine))
    model = TopicModel(**OPTIONS).fit(corpus, cluster=cluster)
    assert bits(model) == before
    assert model.cluster_.events
