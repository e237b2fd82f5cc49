"""The folder of a stranger's index, made to fit its checksums again: whatever is in it, opening and
asking ends with an answer or an error of ours, and takes little memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from undertow import IndexFileError, TopicModel
from undertow.search import Index
from undertow.search.folder import byte_vectors, layout
from undertow.search.folder.byte_vectors import ByteVectors
from undertow.storage.mapped import write_arrays

ROUNDS, LONG = 12, 1500  # folders that are tried

quick = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, model: TopicModel, table: pl.DataFrame) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "index"
    index = Index.create(folder, model, table)
    index.add(["apple and pear beside a wheel", "plum"])
    index.delete(["d3", "d4"])
    return folder


# Vectors in bytes

SCALES = (*(0.0, 0.001, 0.0039, 0.002, 1.0) * 4, 2.0, -0.5, 1e30, np.inf, np.nan)


def ask_vectors(file: Path) -> None:
    found = byte_vectors._read(file, (3, 3), 5)
    cosines = np.empty(5, dtype=np.float32)
    for compiled in (False, True):
        found.cosines(np.array([0.6, 0.0, 0.8], dtype=np.float32), cosines, compiled=compiled)
        assert np.isfinite(cosines).all()


@quick
@given(st.data())
def test_any_vectors_do_no_harm(tmp_path: Path, data: st.DataObject) -> None:
    small = data.draw(st.binary(min_size=15, max_size=15))
    scales = data.draw(st.lists(st.sampled_from(SCALES), min_size=5, max_size=5))
    arrays: dict[str, NDArray[Any]] = {
        "small": np.frombuffer(small, dtype=np.uint8).reshape(3, 5),
        "scales": np.array(scales, dtype=np.float32),
    }
    file = tmp_path / f"a{byte_vectors.SUFFIX}"
    write_arrays(file, arrays, {"format": byte_vectors.FORMAT})
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(0, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(content)
    with suppress(IndexFileError):
        ask_vectors(file)


@pytest.mark.parametrize("scale", [np.nan, np.inf, -1.0, 1e30])
def test_scales_that_no_vector_has_are_refused(tmp_path: Path, scale: float) -> None:
    made = ByteVectors(np.ones((3, 5), np.uint8), np.full(5, scale, np.float32), 3)
    file = tmp_path / f"a{byte_vectors.SUFFIX}"
    arrays: dict[str, NDArray[Any]] = {"small": made.small, "scales": made.scales}
    write_arrays(file, arrays, {"format": byte_vectors.FORMAT})
    with pytest.raises(IndexFileError, match="must hold 5 vectors of 3 numbers, got others"):
        ask_vectors(file)


# All of it, in a process of its own: what is compiled into the database may take it along

WORKER = """
import json, random, shutil, sys
from pathlib import Path
from tests.search.folder.test_hostile_index import hostile, mouthful
sound, place, first, times = Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])
for number in range(first, first + times):
    print(number, flush=True)
    copy = Path(shutil.copytree(sound, place / f"copy{number}"))
    what = hostile(copy, random.Random(number))
    print(number, what, mouthful(copy), flush=True)
    shutil.rmtree(copy)
"""


def hostile(folder: Path, chance: object) -> str:
    """A file gets other bytes, and every list and checksum is made to fit or left out."""
    import hashlib
    import random

    from undertow.storage import header_file
    from undertow.storage._json import checksum, readable

    assert isinstance(chance, random.Random)
    files = sorted(
        file
        for file in folder.rglob("*")
        if file.is_file() and file.suffix not in (".lock", ".txn") and file.name != layout.FILES
    )
    file = chance.choice(files)
    content = bytearray(file.read_bytes())
    for _ in range(chance.choice((1, 2, 5, 20))):
        place = chance.randrange(max(len(content) - 8, 1))
        if chance.random() < 0.5:
            content[place : place + 1] = chance.randbytes(1)
        else:  # a number that promises much, or is negative
            number = chance.choice((2**31, 2**40, 10**12, 2**63, 2**64 - 1, 0))
            content[place : place + 8] = number.to_bytes(8, "little")
    file.write_bytes(content)
    header, weights = folder / "model" / "model.json", folder / "model" / "weights.safetensors"
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        document = json.loads(header.read_bytes())
        document["weights"]["bytes"] = weights.stat().st_size
        document["weights"]["sha256"] = hashlib.sha256(weights.read_bytes()).hexdigest()
        rest = {name: value for name, value in document.items() if name != "checksum"}
        document["checksum"] = checksum(rest)
        header.write_bytes(readable(document))
    assert header_file.FORMAT_VERSION == 1
    (folder / layout.FILES).unlink()
    with suppress(ValueError, AttributeError):
        facts = json.loads((folder / layout.FACTS).read_bytes())
        facts["model"] = hashlib.sha256(header.read_bytes()).hexdigest()
        for name in ("listed", "checksum"):
            facts.pop(name, None)
        (folder / layout.FACTS).write_text(json.dumps(facts))
    return str(file.relative_to(folder))


def mouthful(folder: Path) -> str:
    """Opens the index and asks all kinds of things; the error of ours that ended it, if any."""
    from undertow import UndertowError

    try:
        index = Index.open(folder)
        for mode in ("hybrid", "text", "semantic", "code"):
            index.search("apple wheel orchand", 50, mode=mode, where="label = 'cars' OR id != 'x'")
        index.search(like="d1", n=3)
        index.documents(["d0", "d3"])
        for _ in index.scan(["id", "text", "vector", "code"], batch=50):
            pass
        index.info()
    except UndertowError as error:
        said = str(error)
        assert said
        assert "\n" not in said
        return f"{type(error).__name__}: {said[:200]}"
    return "answered"


def run_worker(sound: Path, place: Path, first: int, times: int) -> tuple[list[str], str, int]:
    """Its lines, what it said last on standard error, and how it ended."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**35, 2**35))\n"
    command = [sys.executable, "-c", limit + WORKER, *map(str, (sound, place, first, times))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines(), done.stderr[-3000:], done.returncode


def test_no_folder_does_harm(sound: Path, tmp_path: Path) -> None:
    lines, said, code = run_worker(sound, tmp_path, 0, ROUNDS)
    assert code == 0, (lines[-2:], said)
    assert len(lines) == 2 * ROUNDS


@pytest.mark.torture
def test_no_folder_of_many_does_harm(sound: Path, tmp_path: Path) -> None:
    """The database may end the process (docs/reliability.md); nothing else may go wrong."""
    number, ended = 100, list[str]()
    while number < 100 + LONG:
        lines, said, code = run_worker(sound, tmp_path, number, 100 + LONG - number)
        if code > 0:
            raise AssertionError((lines[-2:], said))
        number = int(lines[-1].split()[0]) + 1
        if code < 0:
            ended.append(lines[-1])
    assert len(ended) <= LONG // 100, ended
