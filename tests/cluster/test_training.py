"""Training by several workers: the same bits for the same number of them, and of one worker those
of one machine; also where workers are lost. Workers live in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cluster.in_process import Losses, NearCrew, in_one_process
from tests.cluster.test_reading import some_texts
from undertow import InvalidInput, ModelFileError, TopicModel
from undertow.cluster import Cluster
from undertow.estimators import _shared_training
from undertow.files.claim import claimed

OPTIONS: dict[str, Any] = {"n_components": 6, "max_epochs": 3, "random_state": 0, "batch_size": 8}
TEXTS = some_texts(600)


@pytest.fixture(autouse=True)
def near() -> Iterator[None]:
    with in_one_process():
        yield


def fitted(workers: int, **more: Any) -> TopicModel:
    settings = {name: more.pop(name) for name in ("checkpoint", "resume", "every") if name in more}
    cluster = Cluster(workers=workers, **settings)
    return TopicModel(**{**OPTIONS, **more}).fit(TEXTS, cluster=cluster)


def bits(model: TopicModel) -> dict[str, bytes]:
    """All that was learned, and the topics that were grown of it."""
    found = {name: array.tobytes() for name, array in model.softmax_.parameters_.arrays().items()}
    found["topics"] = repr((model.topic_names(), model.atlas_.sizes.tolist())).encode()
    found["loss"] = repr([record.loss for record in model.softmax_.history_]).encode()
    return found


@pytest.fixture(scope="module")
def undisturbed() -> Callable[[int], dict[str, bytes]]:
    """The bits of so many workers, none of whom was lost."""
    known: dict[int, dict[str, bytes]] = {}

    def of(workers: int) -> dict[str, bytes]:
        if workers not in known:
            known[workers] = bits(fitted(workers))
        return known[workers]

    return of


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"replicas": 2},
        {"memory_limit": 1000},
        {"early_stopping": True, "validation_fraction": 0.2},
        {"early_stopping": True, "validation_fraction": 0.2, "memory_limit": 1000},
        {"learner": "cd", "optimizer": "sgd", "weighting": None},
        {"averaging": 0.0, "count_transform": None},
        {"learner": "pcd", "max_epochs": 1},
        {"vocabulary": ["word1", "word2", "word9", "word20"]},
    ],
    ids=repr,
)
def test_one_worker_is_one_machine(more: dict[str, Any]) -> None:
    alone = TopicModel(**{**OPTIONS, **more}).fit(TEXTS)
    assert bits(fitted(1, **more)) == bits(alone)


@pytest.mark.parametrize("workers", [2, 3, 7])
def test_the_same_number_gives_the_same_bits(
    workers: int, undisturbed: Callable[[int], dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether what was moved is added up by all, or in slices."""
    monkeypatch.setattr(_shared_training, "FEW_BYTES", -1)
    assert bits(fitted(workers)) == undisturbed(workers)
    assert undisturbed(workers) != undisturbed(1)


def test_more_workers_than_documents() -> None:
    model = TopicModel(**OPTIONS).fit(TEXTS[:20], cluster=Cluster(workers=30))
    assert model.reading_.documents == 20
    assert np.isfinite(model.softmax_.parameters_.weights).all()


def test_what_is_held_out_stays_out_on_many_workers() -> None:
    more: dict[str, Any] = {"early_stopping": True, "validation_fraction": 0.2}
    first = bits(fitted(3, **more))
    assert first == bits(fitted(3, **more))
    assert bits(fitted(3, memory_limit=1000, **more)) != first  # spooled documents keep numbers


PHASES = ["count", "types", "encode", "source_facts", "begin", "take", "advance", "settle_sums"]
PHASES += ["state", "rows", "texts"]


@pytest.mark.parametrize("name", PHASES)
@pytest.mark.parametrize(
    "after",
    [pytest.param(False, marks=pytest.mark.torture, id="before"), pytest.param(True, id="after")],
)
def test_a_worker_may_be_lost_at_any_time(
    name: str, after: bool, undisturbed: Callable[[int], dict[str, bytes]]
) -> None:
    losses = NearCrew.losses = Losses({(name, 1): 1, (name, 2): 2}, after)
    model = fitted(3)
    assert not any(losses.planned.values()) or name == "state"
    assert bits(model) == undisturbed(3)
    assert len(model.cluster_.events) == 3 - sum(losses.planned.values())


@pytest.mark.parametrize("name", ["add", "settle", "advance"])
def test_a_worker_may_be_lost_at_a_meeting_in_slices(
    name: str,
    undisturbed: Callable[[int], dict[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_shared_training, "FEW_BYTES", -1)
    for after in (False, True):
        NearCrew.losses = Losses({(name, 0): 1, (name, 2): 1}, after)
        assert bits(fitted(3)) == undisturbed(3)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("every", [0.0, 1000.0])
def test_all_workers_may_be_lost_at_once(
    workers: int,
    every: float,
    undisturbed: Callable[[int], dict[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Training goes back to the state that this process has."""
    monkeypatch.setattr(_shared_training, "ALONE", 0.0)
    name = "go_on" if workers == 1 else "advance"
    seen, losses = [0], Losses()
    NearCrew.losses = losses

    class Falling(dict[tuple[str, int], int]):
        """All are lost at their fifth call."""

        def get(self, key: Any, default: Any = 0) -> int:
            seen[0] += key == (name, 0)
            return int(key[0] == name and seen[0] == 5)

    losses.planned = Falling()
    model = fitted(workers, every=every)
    assert bits(model) == undisturbed(workers)
    assert any("all workers were lost at once" in event for event in model.cluster_.events)


class Killed(BaseException):
    """The process that leads is gone."""


@pytest.mark.parametrize("workers", [1, 3])
def test_one_that_leads_goes_on_from_its_checkpoint(
    workers: int,
    tmp_path: Path,
    undisturbed: Callable[[int], dict[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_shared_training, "ALONE", 0.0)
    folder = tmp_path / "checkpoint"
    name, calls = "go_on" if workers == 1 else "advance", [0]
    ask = NearCrew._ask

    def killed(self: NearCrew, worker: int, called: str, given: Any, several: int) -> Any:
        calls[0] += called == name and worker == 0
        if calls[0] == 5:
            calls[0] = 1000
            raise Killed
        return ask(self, worker, called, given, several)

    monkeypatch.setattr(NearCrew, "_ask", killed)
    with pytest.raises(Killed):
        fitted(workers, checkpoint=folder, every=0.0)
    with pytest.raises(InvalidInput, match="checkpoint must be a folder without one, got"):
        fitted(workers, checkpoint=folder)
    with pytest.raises(ModelFileError, match="must hold a checkpoint of the same training"):
        fitted(workers + 1, checkpoint=folder, resume=True)
    with pytest.raises(ModelFileError, match="holds a run that differs in settings"):
        fitted(workers, checkpoint=folder, resume=True, max_epochs=2)
    model = fitted(workers, checkpoint=folder, resume=True)
    assert bits(model) == undisturbed(workers)
    (event,) = model.cluster_.events
    assert event.startswith(f"training goes on from {folder}: epoch ")


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.torture), 3])
@pytest.mark.parametrize("name", ["go_on", "advance", "settle_sums"])
def test_what_was_learned_is_kept_after_an_interruption(
    workers: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what was learned since the state was last fetched; and training can go on from there."""
    if (name == "go_on") != (workers == 1):
        return
    monkeypatch.setattr(_shared_training, "ALONE", 0.0)
    ask, found = NearCrew._ask, []

    def interrupted(self: NearCrew, worker: int, called: str, given: Any, several: int) -> Any:
        references = ask(self, worker, called, given, several)
        calls[0] += called == name and worker == 0
        if calls[0] == 3:
            calls[0] = 1000
            raise KeyboardInterrupt
        return references

    monkeypatch.setattr(NearCrew, "_ask", interrupted)
    for every in (0.0, 1000.0):
        calls, model = [0], TopicModel(**OPTIONS)
        checkpoint = tmp_path / f"{every}"
        cluster = Cluster(workers=workers, every=every, checkpoint=checkpoint)
        with pytest.raises(KeyboardInterrupt):
            model.fit(TEXTS, cluster=cluster)
        found.append(bits(model))
        assert model.softmax_._run_state["steps"] > 0
        assert model.cluster_.workers == workers
        calls[0] = 1000
        whole = fitted(workers, checkpoint=checkpoint, resume=True)
        assert bits(whole) == bits(fitted(workers))
    assert found[0] == found[1]


def test_the_same_arguments_save_on_a_cluster(tmp_path: Path) -> None:
    saving: dict[str, Any] = {"checkpoint": tmp_path / "saved", "checkpoint_every": "0s"}
    two = Cluster(workers=2)
    whole = TopicModel(**OPTIONS).fit(TEXTS, cluster=two, **saving)
    assert (tmp_path / "saved" / "run").is_dir()
    again = TopicModel(**OPTIONS).fit(TEXTS, cluster=two, **saving, resume=True)
    assert bits(again) == bits(whole)
    assert again.cluster_.events[0].startswith("training goes on from ")
    for given in ({"resume": True}, {"checkpoint_every": "1min"}):
        with pytest.raises(InvalidInput, match="must be used with checkpoint, got none"):
            TopicModel(**OPTIONS).fit(TEXTS, cluster=two, **given)
    with pytest.raises(InvalidInput, match=r"checkpoint_every must be a time .* on a cluster"):
        TopicModel(**OPTIONS).fit(
            TEXTS, cluster=two, checkpoint=tmp_path, checkpoint_every="1epoch"
        )


def test_nobody_else_saves_to_the_same_folder_meanwhile(tmp_path: Path) -> None:
    with (
        claimed(tmp_path / "saved", name="checkpoint"),
        pytest.raises(InvalidInput, match="checkpoint must not be written by another process"),
    ):
        fitted(2, checkpoint=tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_resuming_without_a_checkpoint_begins(tmp_path: Path) -> None:
    model = fitted(2, checkpoint=tmp_path / "none", resume=True)
    assert model.cluster_.events == ()
    with pytest.raises(InvalidInput, match="checkpoint must be left out with early_stopping"):
        fitted(2, checkpoint=tmp_path / "other", early_stopping=True)


def test_what_cannot_be_shared_is_said() -> None:
    with pytest.raises(InvalidInput, match="workers must be 1 with this learner: it holds"):
        fitted(2, learner="pcd")


def test_given_vectors_go_with_their_documents() -> None:
    vectors = np.random.default_rng(0).normal(size=(len(TEXTS), 3)).astype(np.float32)
    alone = TopicModel(**OPTIONS).fit(TEXTS, vectors=vectors)
    shared = TopicModel(**OPTIONS).fit(TEXTS, vectors=vectors, cluster=Cluster(workers=1))
    assert bits(alone) == bits(shared)
    with pytest.raises(InvalidInput, match="vectors must have a row for each document"):
        TopicModel(**OPTIONS).fit(TEXTS, vectors=vectors[1:], cluster=Cluster(workers=1))


def test_warm_start_goes_on_with_the_words_of_before() -> None:
    more: dict[str, Any] = {**OPTIONS, "warm_start": True}
    alone = TopicModel(**more).fit(TEXTS).fit(TEXTS)
    shared = TopicModel(**more).fit(TEXTS, cluster=Cluster(workers=1))
    assert bits(shared.fit(TEXTS, cluster=Cluster(workers=1))) == bits(alone)
