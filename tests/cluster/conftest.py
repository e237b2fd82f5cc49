"""Two machines that are simulated on this one, shared by all tests of the folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.shell import Run, shell

MACHINE = {"num_cpus": 2, "object_store_memory": 100_000_000}


@pytest.fixture(scope="package")
def machines() -> Iterator[Any]:
    """A cluster of Ray with two machines; this process is connected with it."""
    ray = pytest.importorskip("ray", reason="needs the extra cluster")
    from ray.cluster_utils import Cluster

    head = {**MACHINE, "include_dashboard": False, "_system_config": {"worker_niceness": 0}}
    simulated = Cluster(initialize_head=True, head_node_args=head)
    simulated.add_node(**MACHINE)
    ray.init(address=simulated.address, log_to_driver=False, logging_level="ERROR")
    yield simulated
    ray.shutdown()
    simulated.shutdown()


@pytest.fixture
def second_machine(machines: Any) -> Any:
    """The machine that a test may stop; another is started for the next."""
    if len(machines.worker_nodes) == 0:
        machines.add_node(**MACHINE)
    (second,) = machines.worker_nodes
    return second


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command as from a shell: exit code, standard output, standard error."""
    return shell(monkeypatch, capsys)
