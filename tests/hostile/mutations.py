"""Files made wrong on purpose: JSON by its structure, arrays by their numbers, bytes anywhere, with
checksums made to fit, as somebody who knows the format could.
"""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from undertow.storage._json import checksum

HEADER, WEIGHTS = "model.json", "weights.safetensors"
Array = NDArray[Any]

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 2**31, 2**40, 2**63, -(2**63), 10**9, 10**30, 10**400),
    *(0.0, -0.0, 0.5, -1.5, 1e-320, 1e30, 3.4e38, -3.4e38, 1e308),
    *("", "nan", "inf", "-1", "auto", "none", "english", "\ud800", "a\udfffb", "\x1b[2J", "\0"),
    *("\u202e", "x" * 3000, "../../etc/passwd", "/dev/zero", "é", "中文", "((((", "[a-z]*" * 40),
    *([], {}, [[]], [None], [1, 10**9], [0, 0], [10**9, 1], ["a", 1], {"kind": "AlphaNCE"}),
    *({"kind": "word weights"}, {"": ""}, {"-1": "x"}, {"x": "y"}, {"0": 3}, [[[[[[]]]]]]),
)
"""What nobody expects in a place, all of which JSON can say."""

ODD_NUMBERS = (
    *(0.0, -1.0, 1.0, 0.5, np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-40, 1e30, 2**31 - 1.0),
    *(-(2.0**31), 2.0**62, 255.0, 7.0),
)
DTYPES = ("float32", "float64", "int32", "int64", "uint8", "uint32")


def odd_json(value: Any, random: Random) -> Any:
    """The same with one to three places changed."""
    changed = copy.deepcopy(value)
    for _ in range(random.randint(1, 3)):
        changed = _changed_once(changed, random)
    return changed


def _changed_once(root: Any, random: Random) -> Any:
    holder, key = _place(root, random)
    if holder is None:
        return random.choice(ODD_VALUES)
    what = random.randrange(8)
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif what == 1:
        holder[random.choice(["", "x", "kind", "-1", "\ud800", "99999999999"])] = holder[key]
    elif what == 2 and isinstance(holder[key], (int, float)):
        holder[key] = _other_number(holder[key], random)
    elif what == 3:
        holder[key] = [holder[key]] * random.choice([0, 1, 2, 500])
    else:
        holder[key] = copy.deepcopy(random.choice(ODD_VALUES))
    return root


def _other_number(number: float, random: Random) -> float:
    """A number that JSON can say."""
    try:
        found = number * random.choice([-1, 1000, 1e300, 0.5]) + random.choice([0, 1])
        return found if np.isfinite(float(found)) else -1.0
    except OverflowError:
        return -1.0


def _place(root: Any, random: Random) -> tuple[Any, Any]:
    """A list or an object in it, and a key of that: each level is as likely as the ones below."""
    holder, key, here = None, None, root
    while isinstance(here, (dict, list)) and here:
        if holder is not None and random.random() < 0.25:
            break
        holder, key = here, random.choice(list(here)) if isinstance(here, dict) else None
        key = random.randrange(len(here)) if key is None else key
        here = here[key]
    return holder, key


def odd_arrays(arrays: dict[str, Array], random: Random) -> dict[str, Array]:
    """The same with one array changed: some numbers, its shape, its type, or gone."""
    changed = dict(arrays)
    name = random.choice(sorted(arrays))
    array = arrays[name].copy()
    what = random.randrange(6)
    with np.errstate(all="ignore"):
        if what <= 2 and array.size:
            flat = array.reshape(-1)
            number = np.float64(random.choice(ODD_NUMBERS))
            places = [random.randrange(array.size) for _ in range(random.choice([1, 3]))]
            flat[slice(None) if what == 2 else places] = number.astype(array.dtype)
        elif what == 3:
            array = array.astype(random.choice(DTYPES))
        elif what == 4:
            array = np.ascontiguousarray(array[: array.shape[0] // 2] if array.ndim else array)
        else:
            array = np.zeros(random.choice([(0,), (1,), (3, 4), (1, 1, 1), ()]), array.dtype)
    changed[name] = array
    if random.random() < 0.1:
        del changed[name]
    return changed


def odd_bytes(content: bytes, random: Random) -> bytes:
    """The same with a few bytes changed, doubled or gone."""
    changed = bytearray(content)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(changed) + 1)
        what = random.randrange(4)
        if what == 0:
            changed[place : place + random.randint(1, 64)] = b""
        elif what == 1:
            changed[place:place] = random.randbytes(random.randint(1, 8))
        elif what == 2:
            changed[place : place + 1] = random.choice([b"\0", b"\xff", b"9", b"[", b'"', b"-"])
        else:
            changed[place:place] = changed[place : place + random.randint(1, 64)]
    return bytes(changed)


def reseal(folder: Path, change: Callable[[dict[str, Any]], object] | None = None) -> None:
    """Makes size and SHA-256 of the weights and the checksum of the header fit what is there."""
    file = folder / HEADER
    header = json.loads(file.read_text(encoding="utf-8"))
    content = (folder / WEIGHTS).read_bytes()
    header["weights"] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    if change is not None:
        change(header)
    rest = {name: value for name, value in header.items() if name != "checksum"}
    header["checksum"] = checksum(rest)
    file.write_text(json.dumps(header), encoding="utf-8")


def spoil_folder(sound: Path, target: Path, random: Random) -> None:
    """A copy of a folder of ours that somebody changed and sealed again."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(sound, target)
    what = random.randrange(10)
    if what <= 5:
        reseal(target, lambda header: _spoil_manifest(header, random))
    elif what <= 8:
        arrays = safetensors.numpy.load_file(target / WEIGHTS)
        put_arrays(target, odd_arrays(arrays, random), told=random.random() < 0.9)
    else:
        _spoil_bytes(target, random)


def _spoil_manifest(header: dict[str, Any], random: Random) -> None:
    """Most often somewhere deep: what lies at the top is soon refused."""
    manifest = header["manifest"]
    if random.random() < 0.1 or not isinstance(manifest.get("training"), dict):
        header["manifest"] = odd_json(manifest, random)
        return
    training = manifest["training"]
    for _ in range(random.randint(1, 2)):
        name = random.choice(sorted(training))
        training[name] = odd_json(training[name], random)


def put_arrays(folder: Path, arrays: dict[str, Array], *, told: bool = True) -> None:
    """Other arrays, and a table in the header that fits them, where that is wanted."""
    safetensors.numpy.save_file(arrays, folder / WEIGHTS)
    table = {
        name: {"shape": list(array.shape), "dtype": array.dtype.name}
        for name, array in arrays.items()
    }
    reseal(folder, (lambda header: header.update(arrays=table)) if told else None)


def _spoil_bytes(target: Path, random: Random) -> None:
    file = target / random.choice([HEADER, WEIGHTS])
    file.write_bytes(odd_bytes(file.read_bytes(), random))
    try:
        reseal(target)
    except (ValueError, AttributeError, RecursionError, TypeError):
        return  # no JSON any more: as it is
