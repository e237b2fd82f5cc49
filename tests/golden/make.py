"""Writes the golden files of a version: a model, a model of counts, an index, and their answers.

    python -m tests.golden.make 0.1.0

Run once for each release, with what is released, and NEVER again for that version: a change after
which the tests beside this file fail makes the files of users unreadable. Until a version is
released, its folder may be made anew.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.oracles.subjects import corpus, halves
from undertow import Index, ReplicatedSoftmax, TopicModel

HERE = Path(__file__).parent
QUESTION = "a rocket to the moon"
MODES = ("hybrid", "text", "semantic", "code")
TEXTS = halves("sport", "politics", 2)[:3]
COUNTS = np.random.default_rng(0).poisson(np.repeat([[3, 3, 0, 0], [0, 0, 3, 3]], 20, axis=0))


def topic_answers(model: TopicModel) -> dict[str, Any]:
    """What a model of texts says of texts and of its topics."""
    return {
        "vectors": model.transform(TEXTS).tolist(),
        "topics": model.transform_topics(TEXTS).tolist(),
        "names": {str(topic): name for topic, name in model.topic_names().items()},
        "words": [[one.word for one in topic.words[:5]] for topic in model.topics()],
    }


def count_answers(model: ReplicatedSoftmax) -> dict[str, Any]:
    """What a model of counts says of counts."""
    kinds = ("balanced", "posterior", "activation")
    return {kind: model.encode(COUNTS[:4], kind).tolist() for kind in kinds} | {
        "free_energy": model.free_energy(COUNTS[:4]).tolist()
    }


def index_answers(index: Index) -> dict[str, Any]:
    """How well the best five of each mode answer; which they are may hang on the last digit."""
    return {mode: [hit.score for hit in index.search(QUESTION, 5, mode=mode)] for mode in MODES}


def make(target: Path) -> None:
    """All of it into a new folder."""
    table = corpus(("sport", "politics", "space"), 90)
    model = TopicModel(8, min_df=2, max_epochs=10, random_state=0, n_jobs=1).fit(table)
    counts = ReplicatedSoftmax(4, learner="cd", weighting=None, max_epochs=3, random_state=0)
    model.save(target / "topics")
    counts.fit(COUNTS).save(target / "counts")
    index = Index.create(target / "index", model, table)
    answers = {
        "topics": topic_answers(model),
        "counts": count_answers(counts),
        "index": index_answers(index),
    }
    (target / "answers.json").write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Replaces the folder of the version that is named."""
    (version,) = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / version
        make(made)
        shutil.rmtree(HERE / version, ignore_errors=True)
        shutil.copytree(made, HERE / version)
    files = [path for path in (HERE / version).rglob("*") if path.is_file()]
    print(f"{len(files)} files, {sum(path.stat().st_size for path in files):,} bytes")


if __name__ == "__main__":
    main()
