"""Indices on object storage, `s3://bucket/prefix`: read, never written.

What is small (`index.json`, the model, lists of words) is copied into a private folder that lives
as long as the index is open, and checked there as any folder is. The documents stay where they are:
the database reads the parts that a question needs. Keys that are fetched have names that are ours,
so nothing in a bucket can say where a file goes.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from undertow._errors import IndexFileError, InvalidInput, UndertowError
from undertow.files.atomic import new_file
from undertow.search.database.manifest import FOLDER as VERSIONS
from undertow.search.database.manifest import LARGEST as LARGEST_MANIFEST
from undertow.search.database.manifest import NEWEST, Manifest, newest_name
from undertow.search.database.manifest import read as read_manifest
from undertow.search.database.store import TABLE
from undertow.search.folder import layout
from undertow.storage.layout import HEADER_FILE, LARGEST_HEADER, WEIGHTS_FILE

if TYPE_CHECKING:
    from pyarrow.fs import S3FileSystem

LARGEST_WEIGHTS = 2**35  # bytes
HINT, LARGEST_HINT = "latest_version_hint.json", 1000
# of a folder of ours; bytes at most
ARRAYS = {HEADER_FILE: LARGEST_HEADER, WEIGHTS_FILE: LARGEST_WEIGHTS}
LARGEST_LISTS = 2**35  # bytes of one of them
PIECE = 2**20
TRIES, CONNECT, ANSWER = 2, 5, 10  # and seconds without a byte: an error is told soon
PATIENCE = {
    "connect_timeout": f"{CONNECT}s",
    "client_max_retries": str(TRIES),
    "client_retry_timeout": "30",
}
KEYS = (
    *("access_key_id", "secret_access_key", "session_token"),
    *("region", "endpoint", "skip_signature", "virtual_hosted_style_request"),
)
CHECK = (
    "check the address and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and "
    "AWS_ENDPOINT_URL"
)

# With one slash too: that is what becomes of an address that was a Path in between. Drives have one
# letter.
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://?(.*)", re.DOTALL)
_LISTS = re.compile(r"[0-9a-f]{16}\.(words|vectors)")
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Whether it is an address rather than a folder."""
    return _ADDRESS.fullmatch(os.fspath(path)) is not None


@dataclass(frozen=True)
class Remote:
    """An index on object storage: its address, the private folder that copies go to, and how to
    reach the rest.
    """

    address: str
    folder: Path
    settings: dict[str, str]  # how to reach the storage; names without "aws_"

    @classmethod
    def fetch(cls, path: str | os.PathLike[str], options: Mapping[str, str] | None) -> Remote:
        """The index at an address, with its small files copied; the folder is gone when nobody
        holds it any more.
        """
        address, settings = _checked(path), _settings(options)
        remote = cls(address, Path(tempfile.mkdtemp(prefix="undertow-")), settings)
        weakref.finalize(remote, shutil.rmtree, remote.folder, ignore_errors=True)
        with remote._reading() as files:
            remote._copy(files, layout.FACTS, layout.LARGEST)
            remote._copy_arrays(files, layout.MODEL)
            remote._copy_lists(files)
        return remote

    def fetch_overview(self) -> None:
        """Copies what undertow.insight keeps of the index too, where it is there."""
        from pyarrow.fs import FileType

        with self._reading() as files:
            header = files.get_file_info(self._key(f"{layout.OVERVIEW}/{HEADER_FILE}"))
            if header.type == FileType.File:
                self._copy_arrays(files, layout.OVERVIEW)

    @property
    def options(self) -> dict[str, str]:
        """The settings by the names that the database prefers to its environment; of others it
        takes either.
        """
        return {
            f"aws_{name}" if name in KEYS else name: value for name, value in self.settings.items()
        }

    @property
    def database(self) -> str:
        """The address of the documents."""
        return f"{self.address}/{layout.DATABASE}"

    def newest_manifest(self) -> Manifest:
        """What the newest version of the documents is made of, looked up before the database goes
        there.
        """
        from pyarrow.fs import FileSelector

        place = f"{layout.DATABASE}/{TABLE}.lance/{VERSIONS}"
        with self._reading() as files:
            names = [
                found.base_name
                for found in files.get_file_info(
                    FileSelector(self._key(place), allow_not_found=True)
                )
            ]
            name = newest_name(names, self.address)
            self._check_hint(files, place, names)
            with files.open_input_stream(self._key(f"{place}/{name}")) as source:
                return read_manifest(source.read(LARGEST_MANIFEST + 1), f"{self.address}/{name}")

    def _check_hint(self, files: S3FileSystem, place: str, names: Sequence[str]) -> None:
        """The database may begin at the version that a hint names and go up from there: with a gap
        in between, it would stop at one that was not looked into.
        """
        if HINT not in names:
            return
        with files.open_input_stream(self._key(f"{place}/{HINT}")) as source:
            hint = source.read(LARGEST_HINT)
        found = re.search(rb'"version"\s*:\s*([0-9]{1,19})\s*[,}]', hint)
        version = int(found[1]) if found else 0
        there = {NEWEST - int(name[:20]) for name in names if name.endswith(".manifest")}
        later = [one for one in there if one >= version]
        if version in there and len(later) <= max(later) - version:
            raise IndexFileError(
                f"{self.address} must hold the versions from {version:,} to {max(there):,}, got "
                f"some: copy it there again"
            )

    def facts(self) -> layout.IndexFacts:
        """What index.json says now; lists that are new are copied too."""
        with self._reading() as files, self.named():
            self._copy(files, layout.FACTS, layout.LARGEST)
            self._copy_lists(files)
            return layout.read_facts(self.folder)

    def size(self) -> int:
        """Bytes of all its objects."""
        from pyarrow.fs import FileSelector

        with self._reading() as files:
            found = files.get_file_info(FileSelector(self._key(), recursive=True))
            return sum(one.size or 0 for one in found)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Errors about the private folder name the address instead."""
        try:
            yield
        except UndertowError as error:
            raise type(error)(str(error).replace(str(self.folder), self.address)) from None

    def refuse_changes(self) -> None:
        """Said by everything that would write."""
        raise InvalidInput(
            f"{self.address} must be a folder on this machine to be changed, got an address: "
            "change the index where it was made, and copy it there"
        )

    def _copy_arrays(self, files: S3FileSystem, folder: str) -> None:
        (self.folder / folder).mkdir(exist_ok=True)
        for name, largest in ARRAYS.items():
            self._copy(files, f"{folder}/{name}", largest)

    def _copy_lists(self, files: S3FileSystem) -> None:
        """Full text and small vectors, what is not here yet: such a file is never changed. Names
        that a writer of ours would not give are passed over.
        """
        from pyarrow.fs import FileSelector

        place = self.folder / layout.WORDS
        place.mkdir(exist_ok=True)
        for found in files.get_file_info(
            FileSelector(self._key(layout.WORDS), allow_not_found=True)
        ):
            if _LISTS.fullmatch(found.base_name) and not (place / found.base_name).exists():
                self._copy(files, f"{layout.WORDS}/{found.base_name}", LARGEST_LISTS)

    def _copy(self, files: S3FileSystem, name: str, largest: int) -> None:
        """Whole or not at all, and no more than it may be."""
        left = largest
        with (
            new_file(self.folder / name, durable=False) as unfinished,
            files.open_input_stream(self._key(name)) as source,
            unfinished.open("wb") as target,
        ):
            while piece := source.read(PIECE):
                left -= len(piece)
                if left < 0:
                    raise IndexFileError(
                        f"{self.address}/{name} must have at most {largest:,} bytes, got more"
                    )
                target.write(piece)

    def _key(self, name: str = "") -> str:
        return f"{self.address.removeprefix('s3://')}/{name}".rstrip("/")

    @contextmanager
    def _reading(self) -> Iterator[S3FileSystem]:
        """What reads the bucket; what it cannot do is an error of ours, in one line."""
        files = _files(self.settings)
        try:
            yield files
        except FileNotFoundError:
            raise IndexFileError(self._what_is_missing(files)) from None
        except OSError as error:
            reason = " ".join(str(error).split())
            raise IndexFileError(
                f"{self.address} must be an index that can be read, got {reason:.200}: {CHECK}"
            ) from None

    def _what_is_missing(self, files: S3FileSystem) -> str:
        from pyarrow.fs import FileType

        bucket = self._key().partition("/")[0]
        try:
            if files.get_file_info(bucket).type == FileType.NotFound:
                return (
                    f"{self.address} must be in a bucket that is there, got no bucket {bucket!r}: "
                    f"{CHECK}"
                )
        except OSError:  # not everybody may ask
            pass
        return (
            f"{self.address} must be a search index, got no {layout.FACTS} or no model in it: "
            f"copy one there"
        )


def _checked(path: str | os.PathLike[str]) -> str:
    """The address as it is written, without slashes at its end."""
    found = _ADDRESS.fullmatch(os.fspath(path))
    scheme, rest = ("", "") if found is None else found.groups()
    if scheme.lower() != "s3":
        raise InvalidInput(
            f"path must be a folder on this machine or s3://bucket/prefix, got "
            f"{os.fspath(path)!r:.80}"
        )
    bucket, _, prefix = rest.partition("/")
    if not _BUCKET.fullmatch(bucket):
        raise InvalidInput(
            f"path must name a bucket, as in s3://bucket/prefix, got {os.fspath(path)!r:.80}"
        )
    return f"s3://{bucket}/{prefix}".rstrip("/")


def _settings(given: Mapping[str, str] | None) -> dict[str, str]:
    """How to reach the storage: as given, or as the environment says."""
    named = {name.lower().removeprefix("aws_"): value for name, value in (given or {}).items()}
    for name, value in named.items():
        if not isinstance(value, str):
            raise InvalidInput(
                f"storage_options must map texts to texts, got {value!r:.40} for {name!r:.40}"
            )
    named |= {"endpoint": named.pop("endpoint_url")} if "endpoint_url" in named else {}
    for name, variables in (
        ("endpoint", ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")),
        ("region", ("AWS_REGION", "AWS_DEFAULT_REGION")),
        ("skip_signature", ("AWS_SKIP_SIGNATURE",)),
    ):
        found = next(
            (os.environ[variable] for variable in variables if os.environ.get(variable)), None
        )
        if name not in named and found is not None:
            named[name] = found
    if named.get("endpoint", "").startswith("http://"):
        named.setdefault("allow_http", "true")
    return {**PATIENCE, **named}


def _files(settings: Mapping[str, str]) -> S3FileSystem:
    """The same for the reader of small files. Credentials that are not given are found in the usual
    places.
    """
    from pyarrow import fs

    known: dict[str, Any] = {
        "access_key": settings.get("access_key_id"),
        "secret_key": settings.get("secret_access_key"),
        "session_token": settings.get("session_token"),
        "region": settings.get("region"),
        "endpoint_override": settings.get("endpoint"),
        "anonymous": settings.get("skip_signature", "").lower() in ("true", "1") or None,
        "force_virtual_addressing": settings.get("virtual_hosted_style_request", "").lower()
        == "true"
        or None,
    }
    return fs.S3FileSystem(
        **{name: value for name, value in known.items() if value is not None},
        connect_timeout=CONNECT,
        request_timeout=ANSWER,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=TRIES),
    )
