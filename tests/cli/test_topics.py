"""`undertow topics`: what it shows and writes, and curation from the shell."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.shell import Run
from undertow import TopicModel, load
from undertow.cli import _listed

THEMES = (
    "apple pear plum cherry grape melon orchard juice ripe fruit",
    "engine wheel brake clutch gear diesel garage tyre road driver",
    "rocket orbit moon planet launch satellite space comet crew star",
    "violin guitar melody chord concert rhythm singer drum tune band",
)


def make_table(documents: int = 400, seed: int = 0) -> pl.DataFrame:
    """Themes of which each is larger than the next; a fifth of a document's words are of another
    one.
    """
    generator = np.random.default_rng(seed)
    themes = np.minimum(generator.integers(0, 10, documents) // 3, 3)
    rows = []
    for number, theme in enumerate(themes.tolist()):
        own, other = THEMES[theme].split(), THEMES[(theme + 1) % 4].split()
        words = [*generator.choice(own, 12), *generator.choice(other, 3)]
        rows.append({"id": f"d{number}", "text": f"{' '.join(words)}.", "label": str(theme)})
    return pl.DataFrame(rows)


def make_model(table: pl.DataFrame, seed: int = 0) -> TopicModel:
    return TopicModel(16, max_epochs=60, batch_size=32, random_state=seed).fit(table)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus and two models of it."""
    place = tmp_path_factory.mktemp("topics")
    table = make_table()
    table.write_parquet(place / "corpus.parquet")
    make_model(table).save(place / "model")
    make_model(table, seed=1).save(place / "later")
    return place


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of the first model, to be changed."""
    shutil.copytree(made / "model", tmp_path / "model")
    return tmp_path / "model"


def opened(folder: Path) -> TopicModel:
    model = load(folder)
    assert isinstance(model, TopicModel)
    return model


def read(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# Looking


def test_the_own_number_is_shown_and_explained(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    before, model = read(folder), opened(folder)
    code, out, _ = run("topics", folder)
    assert code == 0
    assert f"{len(model.topics())} topics of {folder} (400 documents)" in out
    rows = [line.split("│") for line in out.splitlines() if line.startswith("│")]
    assert [row[1].strip() for row in rows] == [str(topic.id) for topic in model.topics()]
    first = model.topics()[0]
    assert [cell.strip() for cell in rows[0][2:5]] == [
        f"{first.share:.1%}",
        f"{first.documents:,}",
        first.name,
    ]
    assert f"{model.choose_topics().n} is the model's own number" in out
    assert (
        f"-n, up to {len(model.atlas_.tree.leaves)}; --tree nests them; --figures shows the "
        f"figures" in out
    )
    assert "own number" not in run("topics", folder, "-n", 4)[1]
    assert "own number" not in run("topics", folder, "--quiet")[1]
    assert read(folder) == before


@pytest.mark.parametrize("n", [2, 4, 6])
def test_json_holds_whole_records(run: Run, folder: Path, n: int) -> None:
    code, out, err = run("topics", folder, "-n", n, "--n-words", 5, "--json")
    assert (code, err) == (0, "")
    expected = opened(folder).topics(n, n_words=5)
    assert json.loads(out) == json.loads(json.dumps([asdict(topic) for topic in expected]))
    assert [record["documents"] for record in json.loads(out)] == sorted(
        (topic.documents for topic in expected), reverse=True
    )


def test_the_tree_nests_finer_topics(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    model = opened(folder)
    branches = model.topic_tree(16)
    code, out, _ = run("topics", folder, "-n", 16, "--tree", "--n-words", 3)
    lines = out.splitlines()
    assert code == 0
    assert any(branch.branches for branch in branches)
    for branch in branches:
        place = next(
            number for number, line in enumerate(lines) if f"  {branch.topic.id}  " in line
        )
        assert lines[place].startswith(("├── ", "└── "))
        for finer, line in zip(branch.branches, lines[place + 1 :], strict=False):
            assert line.startswith(("│   ├── ", "│   └── ", "    ├── ", "    └── "))
            assert f"{finer.topic.name}  {finer.topic.share:.1%}  {finer.topic.id}  " in line
    nested = json.loads(run("topics", folder, "-n", 16, "--tree", "--json")[1])
    assert [branch["topic"]["id"] for branch in nested] == [branch.topic.id for branch in branches]
    assert [branch["topic"]["id"] for branch in nested[0]["branches"]] == [
        branch.topic.id for branch in branches[0].branches
    ]


def test_the_figures_behind_the_number(run: Run, folder: Path) -> None:
    choice = opened(folder).choose_topics()
    found = json.loads(run("topics", folder, "--figures", "--json")[1])
    assert (found["n"], [(row["n"], row["agreement"]) for row in found["figures"]]) == (
        choice.n,
        list(choice.figures),
    )
    out = run("topics", folder, "--figures")[1]
    (chosen,) = (line for line in out.splitlines() if line.rstrip(" │").endswith("chosen"))
    assert chosen.split("│")[1].strip() == str(choice.n)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json"])
def test_a_file_has_a_row_for_each_topic(
    run: Run, folder: Path, tmp_path: Path, suffix: str
) -> None:
    file = tmp_path / "new" / f"topics{suffix}"
    code, out, _ = run("topics", folder, "-n", 5, "--out", file)
    assert (code, out) == (0, f"Wrote {file}: 5 topics.\n")
    readers: dict[str, Any] = {
        ".parquet": pl.read_parquet,
        ".csv": pl.read_csv,
        ".json": pl.read_json,
    }
    table, topics = readers[suffix](file), opened(folder).topics(5, n_words=8)
    assert table["id"].to_list() == [topic.id for topic in topics]
    assert table["name"].to_list() == [topic.name for topic in topics]
    words = [word.word for word in topics[0].words]
    if suffix == ".csv":
        assert table["words"][0] == ", ".join(words)
    else:
        assert [
            getattr(word, "get", {"word": word}.get)("word") for word in table["words"][0].to_list()
        ] == words
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    code, _, err = run("topics", folder, "--out", file)
    assert (code, f"--out must not exist yet, got {file}" in err) == (2, True)
    assert run("topics", folder, "--out", file, "--force", "--quiet") == (0, "", "")


def test_words_of_the_name_are_not_said_again(made: Path) -> None:
    for topic in opened(made / "model").topics(6):
        shown = _listed.terms(topic, 5).split(", ")
        named = set(topic.name.replace(",", "").split())
        assert 0 < len(shown) <= 5
        assert not named.intersection(shown)
        assert set(shown) <= {word.word for word in (*topic.words, *topic.phrases)}


def test_the_topics_of_an_index(run: Run, made: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    run("index", made / "model", made / "corpus.parquet", "--out", index, "--quiet")
    assert json.loads(run("topics", index, "--json")[1]) == json.loads(
        run("topics", made / "model", "--json")[1]
    )
    assert json.loads(run("units", index, "--json")[1]) == json.loads(
        run("units", made / "model", "--json")[1]
    )
    first = next(iter(opened(made / "model").topic_names()))
    code, out, _ = run("topics", index, "--rename", f"{first}=Other")
    assert (code, f"Saved {index}: " in out) == (0, True)
    assert json.loads(run("topics", index, "--json")[1])[0]["name"] == "Other"
    assert json.loads(run("search", index, "apple", "--json")[1])["results"]
    assert "Other" not in opened(made / "model").topic_names().values()


# Changing


def test_changes_are_made_told_and_saved(run: Run, folder: Path) -> None:
    model = opened(folder)
    own = model.topic_names()
    first, second, third, *_ = own
    code, out, _ = run(
        "topics", folder, "--rename", f"{third}=Third = one", "--merge", f"{first},{second}=Both"
    )
    after = opened(folder)
    (both,) = set(after.topic_names()) - set(own)
    size = model.topic(first).documents + model.topic(second).documents
    assert code == 0
    assert out.splitlines() == [
        f"Renamed {third} {own[third]!r} to 'Third = one'.",
        f"Merged {first} {own[first]!r} and {second} {own[second]!r} into {both} 'Both': {size:,} "
        f"documents.",
        f"Saved {folder}: {len(own) - 1} topics. Next: undertow topics {folder}",
    ]
    assert after.topic_names()[both] == "Both"
    assert after.topic_names()[third] == "Third = one"
    assert set(after.topic_names()) == {both, *own} - {
        first,
        second,
    }  # the others are listed as before
    np.testing.assert_array_equal(after.transform(["apple"]), model.transform(["apple"]))
    assert json.loads(run("info", folder, "--json")[1])["curation"] == "1 rename, 1 merge"
    run("topics", folder, "--rename", f"{third}=", "--quiet")
    assert opened(folder).topic_names()[third] == own[third]


def test_what_is_merged_stays_one_topic_in_every_cut(run: Run, folder: Path) -> None:
    model = opened(folder)
    heights = model.atlas_.tree.heights
    widest = sorted(model.topic_names(8), key=lambda topic: -heights[topic])[
        :2
    ]  # the first that would be split
    run("topics", folder, "--merge", "{},{}=Both".format(*widest), "--quiet")
    for n in (7, 8, 10):
        assert "Both" in opened(folder).topic_names(n).values()


def test_split_drop_and_restore(run: Run, folder: Path) -> None:
    own = opened(folder).topic_names()
    first, second, *_ = own
    _, out, _ = run("topics", folder, "--split", first, "--drop", second)
    split = opened(folder).topic_names()
    parts = set(split) - set(own)
    assert len(parts) == 2
    assert set(split) == {*own, *parts} - {first, second}
    assert f"Split {first} {own[first]!r} into " in out
    assert f"Dropped {second} {own[second]!r}: " in out
    _, out, _ = run("topics", folder, "--restore", second)
    assert f"Restored {second} {own[second]!r}: " in out
    assert set(opened(folder).topic_names()) == {*own, *parts} - {first}


def test_move_and_the_root(run: Run, folder: Path) -> None:
    model = opened(folder)
    topic = next(topic for topic in model.topics(8) if topic.parent is not None)
    other = next(
        other
        for other in model.topics(8)
        if other.children and other.id not in (topic.id, topic.parent)
    )
    code, out, _ = run("topics", folder, "--move", f"{topic.id}:{other.id}")
    assert (code, opened(folder).topic(topic.id).parent) == (0, other.id)
    assert f"Moved {topic.id} {topic.name!r} below {other.id} {other.name!r}." in out
    code, out, _ = run("topics", folder, "--move", f"{topic.id}:root")
    assert (code, opened(folder).topic(topic.id).parent) == (0, None)
    assert "below the root." in out


def test_seeds_are_found_or_said_to_be_absent(run: Run, folder: Path) -> None:
    before = opened(folder)
    code, out, _ = run(
        "topics", folder, "--seed-topic", "Song=violin,guitar", "--seed-topic", "Law=court,judge"
    )
    assert code == 0
    assert "'Song' around violin, guitar: " in out
    assert "No topic for 'Law': its words stand out in no part of the corpus." in out
    model = opened(folder)
    song = next(topic for topic in model.topics() if topic.name == "Song")
    assert {word.word for word in song.words[:5]} <= set(THEMES[3].split())
    assert len(model.curation_.actions) == 1
    unchanged = read(folder)
    assert "Saved" not in run("topics", folder, "--seed-topic", "Law=court,judge")[1]
    assert read(folder) == unchanged
    assert len(before.topics()) <= len(model.topics())


def test_a_seed_of_one_small_topic_keeps_its_name(run: Run, folder: Path) -> None:
    model = opened(folder)
    leaf = int(model.atlas_.tree.leaves[0])
    made = model.seed_topic("One leaf", [], [model.topic(leaf).typical[0].sentence])
    assert made is not None
    assert len(model.atlas_.tree.leaf_rows(made)) == 1
    model.save(folder, overwrite=True)
    for n in (None, 4, len(model.atlas_.tree.leaves)):
        assert opened(folder).topic_names(n)[made] == "One leaf"


def test_a_dry_run_shows_and_saves_nothing(run: Run, folder: Path, tmp_path: Path) -> None:
    before = read(folder)
    first = next(iter(opened(folder).topic_names()))
    export = tmp_path / "curation.json"
    code, out, _ = run(
        "topics", folder, "--rename", f"{first}=Other", "--export", export, "--dry-run"
    )
    assert code == 0
    assert "Dry run: nothing was saved." in out
    assert out.count("Other") == 2  # what would be done, and the table that would come of it
    assert read(folder) == before
    assert not export.exists()


def test_json_after_a_change_is_json_alone(run: Run, folder: Path) -> None:
    first = next(iter(opened(folder).topic_names()))
    code, out, err = run("topics", folder, "--rename", f"{first}=Other", "--json")
    assert code == 0
    assert json.loads(out)[0]["name"] == "Other"
    assert f"to 'Other'.\nSaved {folder}" in err


def test_a_curation_goes_to_a_later_fit(run: Run, made: Path, folder: Path, tmp_path: Path) -> None:
    model = opened(folder)
    first, second, *_ = model.topic_names(4)
    changes = ("--rename", f"{first}=Fruit", "--drop", second, "--seed-topic", "Song=violin,guitar")
    export = tmp_path / "curation.json"
    code, out, _ = run("topics", folder, *changes, "--export", export)
    assert (code, f"Wrote {export}: 3 actions." in out) == (0, True)
    curation = json.loads(export.read_text())
    curation["actions"].append(
        {"kind": "drop", "topics": [{"id": 99999, "name": "Gone", "words": ["court"]}]}
    )
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(curation))
    later = tmp_path / "later"
    shutil.copytree(made / "later", later)
    code, out, _ = run("topics", later, "--apply", edited)
    lines = out.splitlines()
    assert code == 0
    assert lines[0].startswith("Found: rename ")
    assert lines[1].startswith("Found: drop ")
    assert lines[2].startswith("Found: seed 'Song': topic ")
    assert lines[3] == "Left out: drop 'Gone': no topic like 'Gone' was found."
    assert lines[4] == f"Applied 3 of 4 actions of {edited}."
    assert lines[5].startswith(f"Saved {later}: ")
    again = opened(later)
    fruit = next(number for number, name in again.atlas_.names.items() if name == "Fruit")
    assert {word.word for word in again.topic(fruit).words[:5]} <= set(
        THEMES[_theme(model, first)].split()
    )
    code, _, err = run("topics", later, "--export", export)
    assert (code, f"--export must not exist yet, got {export}" in err) == (2, True)


def _theme(model: TopicModel, topic: int) -> int:
    word = model.topic(topic).words[0].word
    return next(number for number, theme in enumerate(THEMES) if word in theme.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rename", "Cars"), "--rename must be ID=NAME, got 'Cars'"),
        (("--rename", "x=Cars"), "--rename must be ID=NAME, got 'x=Cars'"),
        (
            ("--rename", "99999=Cars"),
            "--rename 99999=Cars: topic must be the id of a topic of this model, got 99999",
        ),
        (
            ("--rename", "{first}=A", "--drop", "99999"),
            "--drop 99999: topic must be the id of a topic",
        ),
        (
            ("--rename", "{first}=A", "--rename", "{second}=A"),
            "--rename {second}=A: name must not be that of another",
        ),
        (
            ("--merge", "{first}"),
            "--merge {first}: topics must be at least two different topics, got [{first}]",
        ),
        (("--merge", "{first},two=A"), "--merge must be ID,ID[,ID][=NAME], got '{first},two=A'"),
        (("--split", "0"), "--split 0: topic must have parts to be split"),
        (("--split", "-1"), "--split must be ID, got '-1'"),
        (("--restore", "one"), "--restore must be ID, got 'one'"),
        (("--move", "{first}"), "--move must be ID:PARENT or ID:root, got '{first}'"),
        (("--move", "{first}:{first}"), "--move {first}:{first}: "),
        (("--seed-topic", "health"), "--seed-topic must be NAME=WORD,WORD, got 'health'"),
        (("--seed-topic", "=a,b"), "--seed-topic must be NAME=WORD,WORD, got '=a,b'"),
        (
            ("--apply", "{folder}/none.json"),
            "--apply must be a curation file, got {folder}/none.json",
        ),
        (("--apply", "{folder}/weights.safetensors"), "{folder}/weights.safetensors must be"),
        (("-n", "1"), "-n must be from 2 to "),
        (("-n", "99999", "--drop", "{first}"), "-n must be from 2 to "),
        (
            ("--out", "{folder}/topics.xlsx"),
            "--out must end in .parquet, .csv, .tsv, .jsonl, .arrow, .feather or .json, got "
            "{folder}/topics.xlsx",
        ),
        (
            ("--out", "{folder}/topics.csv", "--tree"),
            "--out must end in .json with --tree or --figures",
        ),
    ],
)
def test_wrong_use_is_one_line_and_changes_nothing(
    run: Run, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    first, second, *_ = opened(folder).topic_names()
    values = {"first": first, "second": second, "folder": folder}
    before = read(folder)
    code, out, err = run("topics", folder, *(part.format(**values) for part in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert message.format(**values) in err
    assert read(folder) == before


def test_a_model_without_topics_says_so(run: Run, folder: Path) -> None:
    model = opened(folder)
    del model.atlas_
    model.save(folder, overwrite=True)
    code, _, err = run("topics", folder)
    assert (code, "must hold a tree of topics" in err, err.count("\n")) == (2, True, 1)
    assert json.loads(run("info", folder, "--json")[1])["topics"] is None


# Shares of documents


def test_shares_are_written(run: Run, made: Path, tmp_path: Path) -> None:
    model, target = opened(made / "model"), tmp_path / "shares.parquet"
    documents = pl.concat(
        [make_table(), pl.DataFrame({"id": ["odd"], "text": ["zygote quark"], "label": ["none"]})]
    )
    documents.write_parquet(tmp_path / "corpus.parquet")
    arguments = (
        "transform",
        made / "model",
        tmp_path / "corpus.parquet",
        "--kind",
        "topics",
        "--out",
        target,
    )
    code, out, _ = run(*arguments, "-n", 5)
    assert (code, "401 documents x 5 topics" in out) == (0, True)
    table = pl.read_parquet(target)
    names = [f"{topic} {name}" for topic, name in model.topic_names(5).items()]
    assert table.columns == ["id", "label", *names, "none"]
    assert table["id"].to_list() == documents["id"].to_list()
    shares = table.select(names).to_numpy()
    np.testing.assert_array_equal(shares, model.transform_topics(documents["text"], 5))
    assert (shares[-1].sum(), table["none"][-1]) == (0.0, 1.0)
    np.testing.assert_allclose(shares.sum(axis=1) + table["none"].to_numpy(), 1.0, atol=1e-6)
    assert run(*arguments, "--force", "--quiet")[0] == 0
    assert len(pl.read_parquet(target).columns) == 3 + len(model.topics())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--kind", "topics", "-n", 9999), "-n must be from 2 to "),
        (
            ("--kind", "strength", "-n", 5),
            "-n must be used with --kind topics, got --kind strength",
        ),
    ],
)
def test_wrong_shares_are_one_line(
    run: Run, made: Path, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    target = tmp_path / "shares.parquet"
    code, _, err = run(
        "transform", made / "model", made / "corpus.parquet", "--out", target, *arguments
    )
    assert (code, message in err, err.count("\n"), target.exists()) == (2, True, 1, False)
