"""Runs on disk: from a spool that is opened anew, to the bit; and those of earlier versions."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.storage.helpers import edit_header
from undertow._errors import ModelFileError
from undertow.counts import CountSource, CsrSource, checked_counts
from undertow.learn import AlphaNCE, EpochRecord, Run, Settings, train
from undertow.model import initial_parameters
from undertow.spool import CountSpool, SpooledSource, SpoolWriter
from undertow.storage import resume_run, save_run


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    return checked_counts(np.random.default_rng(0).poisson(0.4, (300, 40)))


def begin(source: CountSource, **options: Any) -> Run:
    p = np.full(40, 1 / 40)
    learner = AlphaNCE(stream_length=64)
    settings = Settings(learner=learner, batch_size=16, planned_steps=40, **options)
    parameters = initial_parameters(8, p, np.ones(40), 0)
    return Run(parameters, p, settings, documents=300, longest=source.longest, threads=1)


def test_a_run_goes_on_from_a_spool_that_is_opened_again(
    tmp_path: Path, counts: sparse.csr_array
) -> None:
    writer = SpoolWriter(tmp_path / "spool", 40, block_documents=8)
    writer.add(counts)
    source = SpooledSource(writer.close(), group=5)
    whole = train(begin(source), source, epochs=2)

    def stop(run: Run) -> None:
        if run.steps == 25:
            save_run(tmp_path / "run", run)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(begin(source), source, epochs=2, on_batch=stop)
    again = SpooledSource(CountSpool(tmp_path / "spool"), group=5)
    resumed = resume_run(tmp_path / "run", begin(again))
    assert (resumed.epoch, resumed.batch) == (1, 25 - 19)
    assert resumed.tally.waited > 0
    train(resumed, again, epochs=2)
    for name, array in whole.arrays().items():
        np.testing.assert_array_equal(resumed.arrays()[name], array, err_msg=name)
    assert [record.loss for record in resumed.history] == [record.loss for record in whole.history]


def test_runs_that_did_not_measure_waiting_are_resumed(
    tmp_path: Path, counts: sparse.csr_array
) -> None:
    source = CsrSource(counts)
    run = train(begin(source), source, epochs=1)
    save_run(tmp_path / "run", run)

    def forget(header: dict[str, object]) -> None:
        manifest = header["manifest"]
        assert isinstance(manifest, dict)
        del manifest["tally"]["waited"], manifest["history"][0]["waited"]

    edit_header(tmp_path / "run", forget)
    resumed = resume_run(tmp_path / "run", begin(source))
    assert (resumed.tally.waited, resumed.history[0].waited) == (0.0, 0.0)
    facts = asdict(run.history[0])
    del facts["waited"]
    assert EpochRecord(**facts).waited == 0.0


def test_runs_from_before_there_were_replicas_have_one(
    tmp_path: Path, counts: sparse.csr_array
) -> None:
    source = CsrSource(counts)
    run = train(begin(source), source, epochs=1)
    save_run(tmp_path / "run", run)

    def forget(header: dict[str, object]) -> None:
        manifest = header["manifest"]
        assert isinstance(manifest, dict)
        del manifest["settings"]["replicas"], manifest["settings"]["interval"]

    edit_header(tmp_path / "run", forget)
    assert resume_run(tmp_path / "run", begin(source)).steps == run.steps
    with pytest.raises(ModelFileError, match="holds a run that differs in settings"):
        resume_run(tmp_path / "run", begin(source, replicas=2))


@pytest.mark.parametrize("other", [{"replicas": 3}, {"replicas": 2, "interval": 5}])
def test_a_run_is_resumed_with_its_own_replicas(
    tmp_path: Path, counts: sparse.csr_array, other: dict[str, int]
) -> None:
    source = CsrSource(counts)
    save_run(tmp_path / "run", train(begin(source, replicas=2), source, epochs=1))
    assert resume_run(tmp_path / "run", begin(source, replicas=2)).epoch == 1
    with pytest.raises(ModelFileError, match="holds a run that differs in settings"):
        resume_run(tmp_path / "run", begin(source, **other))
