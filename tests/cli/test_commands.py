"""From a file to topics, vectors and an evaluation, and what wrong use says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import undertow
from tests.shell import Run
from undertow import TopicModel
from undertow.cli import common, main
from undertow.learn import EpochRecord

THEMES = (
    "apple pear plum cherry grape melon orchard juice ripe fruit",
    "engine wheel brake clutch gear diesel garage tyre road driver",
)


def make_table(documents: int = 120, seed: int = 0) -> pl.DataFrame:
    generator = np.random.default_rng(seed)
    rows = []
    for number in range(documents):
        words = generator.choice(THEMES[number % 2].split(), size=generator.integers(6, 15))
        rows.append(
            {
                "id": f"d{number}",
                "text": " ".join(words),
                "label": ("fruit", "cars")[number % 2],
                "split": "test" if number % 5 == 0 else "train",
            }
        )
    return pl.DataFrame(rows)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.parquet"
    make_table().write_parquet(path)
    return path


SMALL = ("--n-components", 8, "--max-epochs", 30, "--batch-size", 32)


def test_three_commands_from_a_file_to_an_evaluation(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    code, out, _ = run("fit", corpus, "--out", model, *SMALL)
    assert code == 0
    assert "Wrote" in out
    assert "undertow topics" in out
    assert "30/30" in out  # the live line
    assert run("topics", model, "--n-words", 3)[0] == 0
    assert run("units", model, "--n-words", 3)[0] == 0
    code, out, _ = run("evaluate", model, corpus, "--json")
    figures = json.loads(out)
    assert code == 0
    assert list(figures) == [
        "accuracy",
        "map",
        "precision_at_10",
        "precision_at_recall",
        "split_half_mrr",
        "topics",
        "npmi",
        "c_npmi",
        "c_v",
        "diversity",
        "nmi",
        "ari",
        "unknown_tokens",
        "documents_per_second",
    ]
    assert figures["accuracy"] > 0.9
    assert figures["map"] > 0.8
    assert 0.02 in [point["recall"] for point in figures["precision_at_recall"]]
    assert figures["unknown_tokens"] == 0.0
    assert figures["nmi"] > 0.3  # fruit and cars


def test_any_number_of_topics_is_judged(run: Run, corpus: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    run("fit", corpus, "--out", model, "--quiet", *SMALL)
    two, three = (json.loads(run("evaluate", model, corpus, "-n", n, "--json")[1]) for n in (2, 3))
    assert (two["topics"], three["topics"]) == (2, 3)
    assert min(two["nmi"], two["ari"]) > 0.9  # fruit and cars
    assert three["nmi"] < two["nmi"]
    lines = run("evaluate", model, corpus, "-n", 2)[1].splitlines()
    assert {tuple(line.split()) for line in lines} > {
        ("topics", "2"),
        ("nmi", f"{two['nmi']:.4f}"),
        ("ari", f"{two['ari']:.4f}"),
    }
    code, _, err = run("evaluate", model, corpus, "-n", 999)
    assert (code, "-n must be from 2 to" in err) == (2, True)


def test_perplexity_is_told_where_it_is_asked_for(run: Run, corpus: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    run("fit", corpus, "--out", model, "--quiet", *SMALL)
    code, out, _ = run("evaluate", model, corpus, "--perplexity", "--json")
    figures = json.loads(out)
    assert code == 0
    low, value, high = (figures[f"perplexity{end}"] for end in ("_low", "", "_high"))
    assert 1.0 < low <= value <= high
    assert figures["unigram_perplexity"] > 1.0
    assert figures["perplexity_documents"] == int((make_table()["split"] == "test").sum())
    assert figures["calibrated"] is False  # learned by alpha-NCE
    lines = run("evaluate", model, corpus, "--perplexity")[1].splitlines()
    assert {tuple(line.split()) for line in lines} > {
        ("calibrated", "no"),
        ("perplexity", f"{value:.4f}"),
    }
    assert lines[-1].startswith("The model is not calibrated: ")
    assert "not calibrated" not in run("evaluate", model, corpus)[1]
    likely = ("--learner", "pcd", "--weighting", "none", "--max-epochs", 1)
    run("fit", corpus, "--out", tmp_path / "likely", "--quiet", *SMALL, *likely)
    lines = run("evaluate", tmp_path / "likely", corpus, "--perplexity")[1].splitlines()
    assert ("calibrated", "yes") in {tuple(line.split()) for line in lines}
    assert not any("not calibrated" in line for line in lines)


def test_test_rows_are_never_trained_on(run: Run, tmp_path: Path) -> None:
    table = make_table().with_columns(
        pl.when(pl.col("split") == "test")
        .then(pl.lit("secret words only here"))
        .otherwise("text")
        .alias("text")
    )
    table.write_parquet(tmp_path / "corpus.parquet")
    run("fit", tmp_path / "corpus.parquet", "--out", tmp_path / "model", "--quiet", *SMALL)
    model = undertow.load(tmp_path / "model")
    assert isinstance(model, TopicModel)
    assert "secret" not in model.vectorizer_.vocabulary_


def test_without_labels_there_is_still_a_judgement(run: Run, tmp_path: Path) -> None:
    make_table().select("text").write_csv(tmp_path / "corpus.csv")
    run("fit", tmp_path / "corpus.csv", "--out", tmp_path / "model", "--quiet", *SMALL)
    _, out, _ = run("evaluate", tmp_path / "model", tmp_path / "corpus.csv", "--json")
    of_topics = {"topics", "npmi", "c_npmi", "c_v", "diversity"}
    assert (
        set(json.loads(out))
        == {"split_half_mrr", "unknown_tokens", "documents_per_second"} | of_topics
    )
    _, out, _ = run("evaluate", tmp_path / "model", tmp_path / "corpus.csv")
    assert "split_half_mrr" in out


@pytest.mark.parametrize(
    ("kind", "size", "dtype"), [("posterior", 8, pl.Float32), ("code", 1, pl.UInt8)]
)
def test_vectors_are_written(
    run: Run, corpus: Path, tmp_path: Path, kind: str, size: int, dtype: Any
) -> None:
    run("fit", corpus, "--out", tmp_path / "model", "--quiet", *SMALL)
    target = tmp_path / "vectors.parquet"
    code, out, _ = run(
        "transform", tmp_path / "model", corpus, "--out", target, "--kind", kind, "--json"
    )
    assert code == 0
    assert json.loads(out)["documents"] == 120
    table = pl.read_parquet(target)
    assert table.columns == ["id", "label", "split", "vector"]
    assert table.schema["vector"] == pl.Array(dtype, size)
    model = undertow.load(tmp_path / "model")
    np.testing.assert_array_equal(
        table["vector"].to_numpy(), model.encode(make_table()["text"], kind)
    )
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


def test_info_tells_how_it_was_made(run: Run, corpus: Path, tmp_path: Path) -> None:
    run(
        "fit",
        corpus,
        "--out",
        tmp_path / "model",
        "--quiet",
        "--noise-level",
        0.25,
        "--learning-rate",
        0.02,
        *SMALL,
    )
    code, out, _ = run("info", tmp_path / "model", "--json")
    facts = json.loads(out)
    assert (code, facts["units"], facts["words"], facts["epochs"]) == (0, 8, 20, 30)
    loaded = common.load_topic_model(tmp_path / "model")
    assert (facts["topics"], facts["curation"]) == (len(loaded.topics()), "none")
    assert facts["smallest_topics"] == len(loaded.atlas_.tree.leaves) >= facts["topics"]
    assert "noise_level=0.25" in facts["learner"]
    assert "topics" in run("info", tmp_path / "model")[1]


def test_the_same_seed_gives_the_same_model(run: Run, corpus: Path, tmp_path: Path) -> None:
    weights = []
    for name in ("one", "two"):
        run("fit", corpus, "--out", tmp_path / name, "--quiet", "--seed", 4, *SMALL)
        weights.append((tmp_path / name / "weights.safetensors").read_bytes())
    assert weights[0] == weights[1]


def test_an_interrupt_keeps_the_model_so_far(
    run: Run, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from undertow.estimators import ReplicatedSoftmax

    def interrupt(_model: Any, record: EpochRecord) -> bool:
        if record.epoch == 4:
            raise KeyboardInterrupt
        return False

    original = ReplicatedSoftmax._fit_held

    def fit(self: ReplicatedSoftmax, *given: Any) -> ReplicatedSoftmax:
        self.callbacks = [interrupt]
        return original(self, *given)

    monkeypatch.setattr(ReplicatedSoftmax, "_fit_held", fit)
    code, out, _ = run("fit", corpus, "--out", tmp_path / "model", *SMALL)
    assert code == 0
    assert "Interrupted: kept what was learned so far" in out
    monkeypatch.undo()
    loaded = undertow.load(tmp_path / "model")
    assert isinstance(loaded, TopicModel)
    assert loaded.softmax_.n_iter_ == 5
    assert f"{len(loaded.topics())} topics, from 8 units" in out


def test_an_interrupt_in_the_first_epoch_keeps_what_was_learned(
    run: Run, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from undertow.learn import Run as TrainingRun

    original, steps = TrainingRun.advance, 0

    def advance(*arguments: Any) -> None:
        nonlocal steps
        if steps == 2:
            raise KeyboardInterrupt
        steps += 1
        original(*arguments)

    monkeypatch.setattr(TrainingRun, "advance", advance)
    code, out, _ = run("fit", corpus, "--out", tmp_path / "model", "--json", *SMALL)
    assert (code, json.loads(out)["interrupted"], json.loads(out)["loss"]) == (0, True, None)
    assert json.loads(out)["topics"] >= 2
    steps = 2  # and without a single step there is nothing to keep
    assert run("fit", corpus, "--out", tmp_path / "none", *SMALL)[0] == 130
    assert not (tmp_path / "none").exists()


def test_counts_that_do_not_fit_go_to_disk(run: Run, corpus: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    options = ("--memory-limit", "1kB", "--scratch-folder", scratch, *SMALL)
    code, out, _ = run("fit", corpus, "--out", tmp_path / "disk", "--json", *options)
    facts = json.loads(out)
    assert (code, facts["documents"]) == (0, 96)
    assert facts["scratch_bytes"] > 0 < facts["reading_seconds"]
    assert 0 <= facts["waited_seconds"] <= facts["seconds"]
    assert list(scratch.iterdir()) == []
    code, out, _ = run("fit", corpus, "--out", tmp_path / "memory", "--json", *SMALL)
    assert json.loads(out)["scratch_bytes"] == 0
    weights = [
        (tmp_path / name / "weights.safetensors").read_bytes() for name in ("disk", "memory")
    ]
    assert weights[0] == weights[1]  # so few documents come in the same order
    code, out, _ = run("fit", corpus, "--out", tmp_path / "shown", *options)
    assert f"they go to {scratch / 'undertow-'}" in out
    assert "counted 96 documents" in out


def test_seeds_of_a_fit_are_topics_or_said_to_be_absent(
    run: Run, corpus: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    seeds = ("--seed-topic", "Fruit = apple, pear", "--seed-topic", "Music=violin,guitar")
    code, out, _ = run("fit", corpus, "--out", tmp_path / "model", "--json", *seeds, *SMALL)
    assert (code, json.loads(out)["seeds_absent"]) == (0, ["Music"])
    assert "the seed 'Music' makes no topic" in caplog.text
    names = common.load_topic_model(tmp_path / "model").topic_names()
    assert "Fruit" in names.values()
    assert json.loads(out)["topics"] == len(names)


def test_units_are_shown(run: Run, corpus: Path, tmp_path: Path) -> None:
    run("fit", corpus, "--out", tmp_path / "model", "--quiet", *SMALL)
    model = common.load_topic_model(tmp_path / "model")
    found = json.loads(run("units", tmp_path / "model", "-n", 3, "--n-words", 2, "--json")[1])
    expected = model.units(n_words=2)[:3]
    assert [unit["id"] for unit in found] == [unit.id for unit in expected]
    assert [unit["up"][0]["word"] for unit in found] == [unit.up[0].word for unit in expected]
    out = run("units", tmp_path / "model", "-n", 3)[1]
    assert "3 hidden units" in out
    assert f"{expected[0].activity:.1%}" in out


def test_a_folder_of_shards_is_transformed_in_order(run: Run, corpus: Path, tmp_path: Path) -> None:
    """Chunk by chunk: nothing but the result is left, and it is that of all texts at once."""
    shards = tmp_path / "shards"
    shards.mkdir()
    for number in range(6):
        make_table()[20 * number : 20 * number + 20].write_parquet(shards / f"{number}.parquet")
    run("fit", shards, "--out", tmp_path / "model", "--quiet", *SMALL)
    before = {path.name for path in tmp_path.iterdir()}
    code, out, _ = run(
        "transform", tmp_path / "model", shards, "--out", tmp_path / "vectors.parquet", "--json"
    )
    assert (code, json.loads(out)["documents"]) == (0, 120)
    assert {path.name for path in tmp_path.iterdir()} == before | {"vectors.parquet"}
    table = pl.read_parquet(tmp_path / "vectors.parquet")
    assert table["id"].to_list() == make_table()["id"].to_list()
    model = undertow.load(tmp_path / "model")
    np.testing.assert_array_equal(table["vector"].to_numpy(), model.encode(make_table()["text"]))


def test_a_text_that_cannot_be_encoded_leaves_nothing(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    run("fit", corpus, "--out", tmp_path / "model", "--quiet", *SMALL)
    pl.DataFrame({"text": ["apple", None]}).write_parquet(tmp_path / "broken.parquet")
    before = {path.name for path in tmp_path.iterdir()}
    code, _, err = run(
        "transform",
        tmp_path / "model",
        tmp_path / "broken.parquet",
        "--out",
        tmp_path / "v.parquet",
    )
    assert code == 2
    assert "got null in row 1" in err
    assert {path.name for path in tmp_path.iterdir()} == before


def test_a_data_set_by_name(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from undertow import datasets

    few = [
        datasets.DocumentedObject(f"d{i}", text, "p") for i, text in enumerate(make_table()["text"])
    ]
    monkeypatch.setattr(datasets, "load_python_docs", lambda: few)
    assert run("fit", "python-docs", "--out", tmp_path / "model", "--quiet", *SMALL)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("fit", "{tmp}/absent.csv", "--out", "{tmp}/m"), 2, "absent.csv, which does not exist"),
        (("fit", "{corpus}", "--out", "{tmp}"), 2, "--out must not exist yet"),
        (("fit", "{corpus}", "--out", "{tmp}/m", "--text-column", "body"), 2, "body"),
        (
            ("fit", "{corpus}", "--out", "{tmp}/m", "--noise-level", "half"),
            2,
            "--noise-level must be a number in [0, 1) or 'auto', got 'half'",
        ),
        (
            ("fit", "{corpus}", "--out", "{tmp}/m", "--noise-level", 3),
            2,
            "--noise-level must be in [0, 1), got 3.0",
        ),
        (
            ("fit", "{corpus}", "--out", "{tmp}/m", "--learner", "em"),
            2,
            "--learner must be one of 'alpha-nce'",
        ),
        (
            ("fit", "{corpus}", "--out", "{tmp}/m", "--learner", "cd", "--n-noise", 3),
            2,
            "--n-noise must be used with",
        ),
        (
            ("fit", "{corpus}", "--out", "{tmp}/m", "--stop-words", "klingon"),
            2,
            "--stop-words must be a file with a word a line or one of afrikaans",
        ),
        (
            ("fit", "{corpus}", "--out", "{tmp}/m", "--segmenter", "thai,klingon"),
            2,
            "--segmenter must be 'auto', 'none', or one or several of 'chinese', 'japanese', "
            "'thai', 'pairs', got",
        ),
        (("fit", "{corpus}", "--out", "{tmp}/m", "--min-df", 999), 2, "--min-df"),
        (
            ("fit", "{corpus}", "--out", "{tmp}/m", "--memory-limit", "lots"),
            2,
            "--memory-limit must be a number of bytes such as",
        ),
        (
            ("fit", "{corpus}", "--out", "{tmp}/m", "--scratch-folder", "{tmp}/x"),
            2,
            "--scratch-folder must be a folder, got",
        ),
        (
            ("fit", "{corpus}", "--out", "{tmp}/m", "--seed-topic", "fruit"),
            2,
            "--seed-topic must be NAME=WORD,WORD, got 'fruit'",
        ),
        (("topics", "{tmp}"), 1, "must"),
        (("units", "{tmp}"), 1, "must"),
        (("info", "{tmp}/absent"), 1, "absent"),
        (("transform", "{tmp}/absent", "{corpus}", "--out", "{tmp}/v.parquet"), 1, "absent"),
    ],
)
def test_wrong_use_is_one_line(
    run: Run, corpus: Path, tmp_path: Path, arguments: Any, code: int, message: str
) -> None:
    filled = [str(part).format(tmp=tmp_path, corpus=corpus) for part in arguments]
    before = sorted(path.name for path in tmp_path.iterdir())
    found, _, err = run(*filled)
    assert (found, message in err, err.count("\n")) == (code, True, 1), err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_debug_shows_the_traceback(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sys, "argv", ["undertow", "fit", "absent.csv", "--out", str(tmp_path / "m"), "--debug"]
    )
    with pytest.raises(undertow.InvalidInput):
        main()


def test_every_command_has_examples(run: Run) -> None:
    for command in ("fit", "topics", "units", "transform", "info", "evaluate", "serve-mcp", "demo"):
        code, out, _ = run(command, "--help")
        assert code == 0
        assert f"undertow {command}" in out.split("Example")[1]
