"""The corpus that every Python has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.at_hand import PythonDocs
from undertow.datasets import DocumentedObject
from undertow.datasets.python_docs import _documents, _label, _with_ids_of_their_own


@pytest.fixture
def documents(python_docs: PythonDocs) -> list[DocumentedObject]:
    return python_docs.documents


def test_it_is_large_and_labelled(documents: list[DocumentedObject]) -> None:
    assert 8_000 < len(documents) < 20_000
    labels = {document.label for document in documents}
    assert {
        "json",
        "argparse",
        "scipy.sparse",
        "numpy.fft",
        "polars.expr",
        "sklearn.cluster",
    } <= labels
    assert len({document.text for document in documents}) == len(documents)
    assert len({document.id for document in documents}) == len(documents)


def test_names_that_occur_twice_are_numbered() -> None:
    twice = [
        DocumentedObject(name, text, "json") for name, text in [("a", "1"), ("b", "2"), ("a", "3")]
    ]
    numbered = _with_ids_of_their_own([*twice, DocumentedObject("a", "4", "json")])
    assert [document.id for document in numbered] == ["a", "b", "a (2)", "a (3)"]
    assert [document.text for document in numbered] == ["1", "2", "3", "4"]


def test_it_holds_what_the_demo_searches_for(documents: list[DocumentedObject]) -> None:
    names = {document.id for document in documents}
    assert {
        "argparse.ArgumentParser.parse_args",
        "scipy.sparse.linalg._dsolve.linsolve.splu",
    } & names


def test_nothing_is_imported(python_docs: PythonDocs) -> None:
    assert len(python_docs.documents) > 0
    assert not python_docs.loaded & {"tkinter", "turtle", "distutils", "sklearn", "polars"}


def test_a_source_is_read_and_never_run(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    prose = "Says a great deal about what this function does, in more than sixty characters."
    source.write_text(
        f'raise SystemExit\ndef some_name():\n    """{prose}\n\n'
        '    Examples\n    --------\n    >>> 1\n    """\n'
        f'def _private():\n    """{prose}"""\nclass Short:\n    """Too short."""\n'
        f'    def method(self):\n        """{prose} Twice."""\n'
    )
    found = list(_documents("json.module", source))
    assert [document.id for document in found] == [
        "json.module.some_name",
        "json.module.Short.method",
    ]
    assert found[0].text == f"some name\n{prose}\n"
    assert found[0].label == "json"


@pytest.mark.parametrize("content", [b"def broken(:\n", b"# \xff\xfe not utf-8\n"])
def test_what_cannot_be_read_is_passed_over(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd.py").write_bytes(content)
    assert list(_documents("odd", tmp_path / "odd.py")) == []


@pytest.mark.parametrize(
    ("module", "label"),
    [
        ("scipy.sparse.linalg", "scipy.sparse"),
        ("numpy", "numpy"),
        ("numpy._core.x", "numpy"),
        ("email.mime.text", "email"),
    ],
)
def test_labels(module: str, label: str) -> None:
    assert _label(module) == label
