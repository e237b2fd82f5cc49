"""Wheel and sdist in dist/, the same bytes for the same commit: `make dist`.

Builders put times, owners and rights of the files at hand into archives. They are written anew here
with those of SOURCE_DATE_EPOCH and of nobody, in the order of their names.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

EARLIEST = 315532800  # 1980, before which a zip file has no times
READABLE, RUNNABLE = 0o644, 0o755


def settled_tar(path: Path, moment: int) -> None:
    """Writes a .tar.gz anew."""
    with tarfile.open(path) as old:
        files = {
            member.name: (member.mode & 0o100, old.extractfile(member).read())  # type: ignore[union-attr]
            for member in old.getmembers()
            if member.isfile()
        }
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as new:
        for name in sorted(files):
            runs, content = files[name]
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), moment
            member.mode = RUNNABLE if runs else READABLE
            new.addfile(member, io.BytesIO(content))
    with path.open("wb") as target, gzip.GzipFile("", "wb", 9, target, mtime=moment) as packed:
        packed.write(plain.getvalue())


def settled_zip(path: Path, moment: int) -> None:
    """Writes a wheel anew; its RECORD, which comes last, lists contents alone and stays true."""
    with zipfile.ZipFile(path) as old:
        files = {name: old.read(name) for name in old.namelist() if not name.endswith("/")}
    last = [name for name in files if name.endswith(".dist-info/RECORD")]
    order = sorted(set(files) - set(last)) + last
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name in order:
            entry = zipfile.ZipInfo(name, time.gmtime(moment)[:6])
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100000 | READABLE) << 16
            new.writestr(entry, files[name])


def build(source: Path, target: Path, moment: int) -> list[Path]:
    """Builds both, and returns where they are. What an earlier build listed is forgotten: it would
    be packed again.
    """
    for listed in source.glob("src/*.egg-info/SOURCES.txt"):
        listed.unlink()
    command = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--outdir",
        str(target),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    built = sorted(target.iterdir())
    for path in built:
        (settled_zip if path.suffix == ".whl" else settled_tar)(path, moment)
    return built


def main() -> None:
    """Builds what stands in the current folder, and prints sizes and digests."""
    moment = max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST)))
    for path in build(Path(), Path("dist"), moment):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{path}  {path.stat().st_size / 1e6:.2f} MB  sha256 {digest}")


if __name__ == "__main__":
    main()
