"""Topics, judged: how well words go together, how much topics differ, how well they agree with
labels, time, memory.

    UNDERTOW_DATA=/folder python -m benchmarks.topics [--corpus 20newsgroups|imdb] [--n 20 --n 50]
    [--seeds 3]
        [--only NAME ...] [--quick] [--documents N] [--json FILE]

NPMI: the mean over all pairs of a topic's ten words, from documents; c_npmi: the same from windows
of 10 words; C_V: from windows of 110. TD: the share of different words among all topics' words. NMI
and ARI: agreement of a document's one topic and its label. All on the documents that were learned
from; windows run over the words of the vocabulary. Every system runs in a process of its own. What
uses our vectors shares one training and counts its seconds each time.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from benchmarks import machine, topic_work
from benchmarks.progress import Say, saying, silent
from benchmarks.tables import Sheet, figure, markdown
from benchmarks.topic_corpora import CORPORA, Counted, Texts, counted, write
from benchmarks.topic_systems import SYSTEMS, UNDERTOW, LeftOut
from benchmarks.topic_work import Order
from undertow.paper.machine import in_words
from undertow.tasks import c_npmi, c_v, diversity, npmi

JUDGED = {
    "npmi": "NPMI",
    "c_npmi": "c_npmi",
    "c_v": "C_V",
    "diversity": "TD",
    "nmi": "NMI",
    "ari": "ARI",
}
SPREAD = ("npmi", "nmi")  # shown with their deviation over seeds
QUICK_DOCUMENTS = 3_000
READ = 20  # topics of ours that are printed, if they were asked for


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    sizes: tuple[int, ...] = (20, 50, 100)
    seeds: int = 3
    systems: tuple[str, ...] = tuple(SYSTEMS)
    sweeps: int = 500
    units: int = 256
    epochs: Any = "auto"


QUICK = Plan(sizes=(20,), seeds=1, sweeps=50)


def measure(corpus: Texts, plan: Plan, say: Say = silent) -> dict[str, Any]:
    """Figures of every run, and why systems or runs are not there."""
    say("counting words")
    began = time.perf_counter()
    read = counted(corpus)
    seconds = time.perf_counter() - began
    runs: list[dict[str, Any]] = []
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        write(corpus, read, Path(name))
        for system in _in_order(plan.systems):
            try:
                runs += of_system(system, Path(name), read, plan, say)
            except (topic_work.Failed, LeftOut) as reason:
                skipped[system] = str(reason)
                say(f"{system} is left out: {reason}")
    shown = [run for run in runs if run["system"] in plan.systems]
    return {
        "machine": machine.describe(),
        "corpus": {"name": corpus.name, "note": corpus.note, "documents": read.counts.shape[0]}
        | {"words": read.counts.shape[1], "seconds_of_counting": seconds},
        "runs": shown,
        "skipped": {system: reason for system, reason in skipped.items() if system in plan.systems},
    }


def _in_order(systems: Sequence[str]) -> list[str]:
    """In the order of the list; undertow goes first where others start from what it leaves."""
    needed = {UNDERTOW} if any(SYSTEMS[system].on_strengths for system in systems) else set()
    return [system for system in SYSTEMS if system in needed | set(systems)]


def of_system(
    system: str, folder: Path, read: Counted, plan: Plan, say: Say
) -> list[dict[str, Any]]:
    """Its runs, judged."""
    entry = SYSTEMS[system]
    if entry.needs is not None and find_spec(entry.needs) is None:
        raise LeftOut(f"{entry.needs} is not installed (pip install undertow[bench])")
    runs, left_out = [], None
    for seed in range(min(plan.seeds, entry.seeds or plan.seeds)):
        say(f"{system}: seed {seed}")
        order = Order(system, str(folder), plan.sizes, seed, plan.sweeps, plan.units, plan.epochs)
        for record in topic_work.run(order):
            if (
                "left_out" in record
            ):  # what it has left for others may still be there: the next seed is run all the same
                left_out = record["left_out"]
                continue
            say(
                f"{system}: seed {seed}: judging {record['n']} topics after "
                f"{record['seconds']:.0f} s"
            )
            runs.append({"system": system, "seed": seed, **judged(record, read)})
    if left_out is not None and not runs:
        raise LeftOut(left_out)
    return runs


def judged(record: dict[str, Any], read: Counted) -> dict[str, Any]:
    """A record of a process with its figures; words instead of their numbers."""
    top, groups = record["words"], np.load(record["groups"], allow_pickle=False)
    labelled = np.array([label is not None for label in read.labels])
    labels = read.labels[labelled].astype(str)
    figures: dict[str, Any] = {
        "npmi": float(npmi(read.counts, top).mean()),
        "c_npmi": float(c_npmi(read.in_order, top).mean()),
        "c_v": float(c_v(read.in_order, top).mean()),
        "diversity": diversity(top),
    }
    if len(labels):
        figures["nmi"] = float(normalized_mutual_info_score(labels, groups[labelled]))
        figures["ari"] = float(adjusted_rand_score(labels, groups[labelled]))
    words = [[read.words[column] for column in topic] for topic in top]
    kept = {name: record[name] for name in ("n", "seconds", "peak_mib", "shown")}
    sizes = np.bincount(groups, minlength=len(top)).tolist()
    return kept | {"topics": len(top), "words": words, "groups": sizes} | figures


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """A table for each number of topics, and ours in words."""
    sizes = sorted({run["n"] for run in found["runs"]})
    made = [_sheet(found, n) for n in sizes]
    read = [run for run in found["runs"] if run["shown"] and run["seed"] == 0 and run["n"] == READ]
    return [*made, *(_words_sheet(run) for run in read[:1])]


def _sheet(found: dict[str, Any], n: int) -> Sheet:
    runs = [run for run in found["runs"] if run["n"] == n]
    rows = []
    for system in dict.fromkeys(run["system"] for run in runs):
        own = [run for run in runs if run["system"] == system]
        cells = [
            _cell([run[name] for run in own if name in run], name in SPREAD) for name in JUDGED
        ]
        costs = [
            figure(float(np.mean([run[name] for run in own]))) for name in ("seconds", "peak_mib")
        ]
        rows.append([_name(system, own, n), *cells, *costs, str(len(own))])
    columns = ["system", *JUDGED.values(), "seconds", "peak MiB", "seeds"]
    return Sheet(f"{found['corpus']['name']}, {n} topics", columns, rows, _notes(found))


def _name(system: str, runs: Sequence[dict[str, Any]], n: int) -> str:
    """With the numbers of topics that were found, where they are not the one that was asked for."""
    found = sorted({run["topics"] for run in runs})
    return system if found == [n] else f"{system} ({', '.join(map(str, found))} topics)"


def _notes(found: dict[str, Any]) -> list[str]:
    corpus = found["corpus"]
    return [
        f"{corpus['note']} {corpus['words']:,} words. Means over seeds, ± deviation. Seconds of "
        f"those that start from "
        f"texts (undertow, hidden units and what uses our vectors) include counting words; others "
        f"start from counts "
        f"({corpus['seconds_of_counting']:.1f} s).",
        *(f"{name}: left out, {reason}." for name, reason in found["skipped"].items()),
    ]


def _cell(values: Sequence[float], spread: bool) -> str:
    if not values:
        return ""
    deviation = f" ± {np.std(values, ddof=1):.3f}" if spread and len(values) > 1 else ""
    return f"{np.mean(values):.3f}{deviation}"


def _words_sheet(run: dict[str, Any]) -> Sheet:
    rows = [
        [topic["name"], f"{topic['share']:.1%}", " ".join(topic["words"])] for topic in run["shown"]
    ]
    return Sheet(
        f"The {run['topics']} topics of undertow, seed 0, unedited",
        ["name", "share", "words"],
        rows,
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", choices=sorted(CORPORA), default="20newsgroups")
    parser.add_argument(
        "--n", type=int, action="append", help="number of topics; may be given several times"
    )
    parser.add_argument("--seeds", type=int)
    parser.add_argument(
        "--only", nargs="+", choices=list(SYSTEMS), metavar="NAME", help=", ".join(SYSTEMS)
    )
    parser.add_argument("--documents", type=int, help="at most so many, drawn at random")
    parser.add_argument(
        "--quick", action="store_true", help=f"one seed, 20 topics, {QUICK_DOCUMENTS:,} documents"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    try:
        corpus = CORPORA[options.corpus](
            options.documents or (QUICK_DOCUMENTS if options.quick else None)
        )
    except FileNotFoundError as missing:
        parser.exit(0, f"Topics are not judged: {missing}.\n")
    given = {
        "sizes": tuple(options.n or ()),
        "seeds": options.seeds,
        "systems": tuple(options.only or ()),
    }
    plan = replace(
        QUICK if options.quick else Plan(),
        **{name: value for name, value in given.items() if value},
    )
    with saying(Console(stderr=True), "topics") as say:
        found = measure(corpus, plan, say)
    print(f"{found['machine']['date']}, {in_words(found['machine'])}\n")
    print("\n".join(markdown(sheet) for sheet in sheets(found)))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
