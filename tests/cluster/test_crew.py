"""Workers that are replaced where they are lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from undertow import ClusterError, InvalidInput
from undertow.cluster import Cluster, Connection, Crew, actors, connected, connecting

TWO = Cluster(workers=2, retries=1)


class Adder:
    """Remembers what it was given."""

    def __init__(self, number: int, folder: Path) -> None:
        self.number, self.seen, self.folder = number, list[int](), folder

    def add(self, value: int) -> int:
        self.seen.append(value)
        return sum(self.seen)

    def slow(self, value: int) -> int:
        time.sleep(0.05)
        return value + sum(self.seen)

    def die(self, name: str) -> int:
        """Ends the process when it is first asked so."""
        if not (self.folder / name).exists():
            (self.folder / name).touch()
            os._exit(1)
        return sum(self.seen)

    def always_die(self) -> None:
        os._exit(1)

    def cards(self) -> str:
        return os.environ.get("CUDA_VISIBLE_DEVICES", "")

    def refuse(self) -> None:
        raise InvalidInput(f"worker {self.number} must not")

    def close(self) -> None:
        (self.folder / f"closed {self.number}").touch()


@pytest.fixture
def crew(machines: Any, tmp_path: Path) -> Any:
    with (
        connected(TWO) as there,
        Crew(there, Adder, lambda worker: (worker, tmp_path)) as workers,
    ):
        yield workers


def test_everyone_answers_in_order_or_raises(crew: Crew) -> None:
    seen: list[tuple[int, int]] = []
    answers = crew.everyone(
        "adding", "add", lambda worker: (worker + 1,), watch=lambda *told: seen.append(told)
    )
    assert answers == [1, 2]
    assert sorted(seen) == [(0, 1), (1, 2)]
    assert list(crew.one_by_one("adding", "add", lambda worker: (10,))) == [11, 12]
    assert crew.alive() == [True, True]
    with pytest.raises(InvalidInput, match=r"^worker [01] must not$"):
        crew.everyone("adding", "refuse")
    assert crew.everyone("adding", "add", lambda worker: (1,)) == [12, 13]
    assert crew.events == []


def test_a_lost_worker_is_replaced_and_repeats_what_was_kept(crew: Crew, tmp_path: Path) -> None:
    crew.everyone("adding", "add", lambda worker: (worker + 1,), keep=True)
    crew.everyone("adding", "add", lambda worker: (crew.put(10),), keep=True)
    crew.everyone("looking", "add", lambda worker: (100,))
    (tmp_path / "once 0").touch()  # the first worker does not die
    assert crew.everyone("counting", "die", lambda worker: (f"once {worker}",)) == [111, 12]
    (event,) = crew.events
    assert event.startswith("worker 2 of 2 on ")
    assert event.endswith(
        " was lost while counting (its process ended); another has taken its place"
    )
    crew.forget()
    (tmp_path / "once 1").unlink()
    assert crew.everyone("counting", "die", lambda worker: (f"once {worker}",)) == [111, 0]


def test_losses_are_bounded(crew: Crew) -> None:
    with pytest.raises(ClusterError, match=r"was lost while adding \(its process ended\), 2 times"):
        crew.everyone("adding", "always_die")


def test_pieces_come_in_their_order_though_a_machine_is_lost(
    machines: Any, second_machine: Any, tmp_path: Path
) -> None:
    with connected(TWO) as there, Crew(there, Adder, lambda worker: (worker, tmp_path)) as crew:
        crew.everyone("adding", "add", lambda worker: (1000,), keep=True)
        found = []
        for answer in crew.hand_out("going on", "slow", range(30)):
            found.append(answer)
            if len(found) == 3:
                machines.remove_node(second_machine)
        assert found == [1000 + piece for piece in range(30)]
        (event,) = crew.events
        assert "its machine is gone" in event
        crew.everyone("adding", "add", lambda worker: (1,))
    assert {"closed 0", "closed 1"} <= {file.name for file in tmp_path.iterdir()}


@pytest.mark.torture
def test_a_machine_is_lost_before_its_worker_has_begun(
    machines: Any, second_machine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for room that is gone."""
    monkeypatch.setattr(actors, "PATIENCE", 10.0)
    with connected(TWO) as there, Crew(there, Adder, lambda worker: (worker, tmp_path)) as crew:
        machines.remove_node(second_machine)
        assert crew.everyone("adding", "add", lambda worker: (worker,)) == [0, 1]
        assert any(" was lost while adding (" in event for event in crew.events)


@pytest.mark.parametrize(
    ("machines_", "workers", "cores"),
    [([4.0], 1, 4.0), ([4.0], 2, 2.0), ([4.0, 4.0], 3, 2.0), ([3.0, 2.0], 2, 2.0),
     ([2.0, 1.0], 5, 0.5), ([1.0], 4, 0.25)],
)  # fmt: skip
def test_cores_are_shared(machines_: list[float], workers: int, cores: float) -> None:
    assert connecting.share(machines_, workers) == cores
    assert Connection(Cluster(), workers, cores).threads == max(int(cores), 1)


@pytest.mark.parametrize(
    ("device", "cards", "workers", "each"),
    [("cpu", [4.0], 2, 0.0), ("auto", [0.0], 2, 0.0), ("auto", [2.0, 2.0], 4, 1.0),
     ("cuda", [1.0], 2, 0.5), ("cuda:1", [2.0, 0.0], 3, 0.5), ("cuda", [8.0], 1, 1.0)],
)  # fmt: skip
def test_cards_are_shared(device: str, cards: list[float], workers: int, each: float) -> None:
    assert connecting.cards_for_each(device, cards, workers) == each
    with pytest.raises(ClusterError, match="device must be 'cpu' or 'auto' on this cluster, got"):
        connecting.cards_for_each("cuda", [0.0, 0.0], 2)


@pytest.mark.torture
def test_each_worker_has_a_card_of_its_own(machines: Any, tmp_path: Path) -> None:
    """Cards that only Ray believes in."""
    third = machines.add_node(num_cpus=2, num_gpus=2)
    try:
        with (
            connected(TWO, "cuda:1") as there,
            Crew(there, Adder, lambda worker: (worker, tmp_path)) as crew,
        ):
            assert (there.gpus, there.cores) == (1.0, 1.0)
            assert sorted(crew.everyone("looking", "cards")) == ["0", "1"]
    finally:
        machines.remove_node(third)


def test_what_does_not_go_is_said() -> None:
    with pytest.raises(InvalidInput, match="workers must be a whole number of at least 1, got 0"):
        Cluster(workers=0)
    with pytest.raises(InvalidInput, match="workers must be used with cluster, got 2 without"):
        Cluster.of(None, 2)
    with pytest.raises(InvalidInput, match="resume must be used with checkpoint"):
        Cluster(resume=True)
    with pytest.raises(InvalidInput, match="cluster must be 'auto' or the address"):
        Cluster("")
    assert Cluster.of(Cluster(workers=3), None).workers == 3


def test_without_ray_it_is_said_what_to_install() -> None:
    code = (
        "import sys; sys.modules['ray'] = None\n"
        "import importlib.util as u; found = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'ray' else found(name, *more)\n"
        "from undertow import _extras; _extras.find_spec = u.find_spec\n"
        "import undertow\n"
        "undertow.TopicModel().fit(['a text'], cluster='auto')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stderr.splitlines()[-1].endswith(
        "a cluster needs ray, which is not installed: pip install 'undertow[cluster]'"
    )


def test_an_address_where_nobody_listens_is_an_error_at_once() -> None:
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1"):
        with pytest.raises(ClusterError, match=f"got '{address}', where nothing answers: "):
            connecting.check_answers(address)
    connecting.check_answers("auto")


def test_an_address_that_does_not_answer_is_an_error() -> None:
    """Nor is anything on standard output, also of what Ray would write there of a loss."""
    code = (
        "from undertow.cluster import Cluster, connected\n"
        "try:\n"
        "    with connected(Cluster('nowhere')): pass\n"
        "finally:\n"
        "    from ray._private.worker import print_to_stdstream as say\n"
        "    for line in ('A worker died or was killed while executing a task by an unexpected',\n"
        "                 'The node with node id: 1 has been marked dead because the detector'):\n"
        "        say({'lines': [line], 'pid': 'raylet', 'is_err': False}, False)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ClusterError: cluster must be the address of a cluster of Ray that runs" in ran.stderr
    assert ran.stdout == ""
