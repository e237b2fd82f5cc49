"""What the site is made of: code that is run, links out of docs/, and the reference."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import pytest

import undertow
from tools.site import gallery, notebooks, reference
from tools.site.running import cut, with_results

ROOT = Path(__file__).parents[2]
CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
RUN = sorted(
    page
    for page in (ROOT / "docs").rglob("*.md")
    if page.relative_to(ROOT / "docs").as_posix().startswith(("start.md", "guides/", "understand/"))
)
PAGE = """# A page

```python
print(6 * 7)
```

```console
$ echo one; echo two
```

```sh
not run
```
"""


def test_what_code_prints_is_shown_below_it() -> None:
    text = with_results(PAGE, "guides/a.md")
    assert "print(6 * 7)\n```\n\n```text\n42\n```" in text
    assert "```console\n$ echo one; echo two\none\ntwo\n```" in text
    assert text.endswith("```sh\nnot run\n```\n")


@pytest.mark.torture  # minutes; `make docs` does the same
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_pages_run(page: Path) -> None:
    with_results(page.read_text(encoding="utf-8"), page.name)


def test_search_needs_no_network() -> None:
    """The plugin "offline" would load a script of this name from elsewhere."""
    (script,) = re.findall(r"^  polyfills: \[(.*iframe-worker.*)\]", CONFIG, flags=re.MULTILINE)
    assert (ROOT / "docs" / script).exists()


def test_help_of_make_tells_every_target() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    told = set(re.findall(r'@echo "make ([a-z-]+) ', text))
    (targets,) = re.findall(r"^\.PHONY: (.*)$", text, flags=re.MULTILINE)
    assert set(targets.split()) == told | {"help", "environment"}


def test_templates_of_issues_ask_for_something() -> None:
    files = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    forms = [text for file in files if "body:" in (text := file.read_text(encoding="utf-8"))]
    assert len(forms) >= 3
    for form in forms:
        assert re.match(r"name: .+\ndescription: .+\nbody:\n", form)
        asked = re.findall(r"^    id: (\w+)$", form, flags=re.MULTILINE)
        assert len(asked) == len(set(asked)) >= 3
        assert form.count("      label: ") == len(asked)


def test_blocks_share_names_and_an_empty_folder() -> None:
    before = Path.cwd()
    page = "```python\nfrom pathlib import Path\n\nPath('a').touch()\nx = 1\n```\n"
    page += "```console\n$ ls\n```\n```python\nprint(x + 1)\n```\n"
    text = with_results(page, "start.md")
    assert "$ ls\na\n```" in text
    assert "```text\n2\n```" in text
    assert Path.cwd() == before


@pytest.mark.parametrize("block", ["```python\n1 / 0\n```\n", "```console\n$ false\n```\n"])
def test_a_page_whose_code_fails_ends_the_build(block: str) -> None:
    with pytest.raises(SystemExit, match=r"guides/a\.md: "):
        with_results(block, "guides/a.md")


def test_figures_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    page = "```python\nfrom plotly.graph_objects import Figure\nfigure = Figure()\n```\n"
    assert '<script src="../assets/plotly.min.js"></script>' in with_results(page, "guides/a.md")
    monkeypatch.setenv("UNDERTOW_DOCS_SKIP_EXAMPLES", "1")
    assert with_results(page, "guides/a.md") == page


def test_what_a_notebook_shows_is_shown() -> None:
    html = "'<p>a\\n\\nb</p>'"
    cell = f"class Shown:\n    def _repr_html_(self):\n        return {html}\n\nshown = Shown()\n"
    text = with_results(f"```python\n{cell}```\n", "guides/a.md")
    assert '\n\n<div class="cell"><p>a&#10;&#10;b</p></div>' in text


def test_long_output_is_cut() -> None:
    assert cut("\n".join("abc" for _ in range(70))).splitlines()[-1] == "... 10 more lines"


def test_every_public_name_has_a_place() -> None:
    page = reference.package("undertow")
    for name in undertow.__all__:
        assert f".{name}\n" in page or f"## {name}\n" in page
    assert page.index(".TopicModel\n") < page.index(".Adam\n")
    assert all(f"`{name}`" in reference.overview() for name in reference.PACKAGES)


def test_every_command_is_shown_with_its_examples() -> None:
    page = reference.commands()
    assert "## undertow fit\n" in page
    assert "\nundertow fit reviews.parquet --out model\n" in page
    assert "| `--out" in page


def test_examples_have_a_title_and_no_surprise() -> None:
    for one in gallery.examples():
        assert one.title
        assert len(one.title) < 90


@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="mkdocs is not installed")
def test_links_out_of_docs_stay_on_the_site() -> None:
    from tools.site.hooks import of_docs, of_project, slug

    assert of_docs("a.md", "", "x", "../CHANGELOG.md#b") == "[x](project/changelog.md#b)"
    assert of_docs("guides/a.md", "", "x", "../../ARCHITECTURE.md") == (
        "[x](../project/architecture.md)"
    )
    assert of_docs("a.md", "", "`x`", "../src/undertow/load.py") == "`x`"
    assert of_docs("a.md", "!", "x", "../benchmarks/a.svg") == "![x](outside/benchmarks/a.svg)"
    assert of_docs("a.md", "", "x", "topics.md#how") == "[x](topics.md#how)"
    assert of_project("", "x", "docs/topics.md") == "[x](../topics.md)"
    assert slug("How many, and *which*?", "-") == "how-many-and-which"


@pytest.mark.parametrize("one", gallery.examples(), ids=lambda one: one.name)
def test_notebooks_keep_up_with_their_examples(one: gallery.Example) -> None:
    path = notebooks.path_of(one)
    assert path.read_text("utf-8") == notebooks.notebook(one), "python -m tools.site.notebooks"
    code = [cell for cell in notebooks.cells(one) if cell["cell_type"] == "code"]
    for cell in code:
        ast.parse("".join(cell["source"]))  # no statement is cut in two
    joined = "\n".join("".join(cell["source"]) for cell in code[:-1])
    assert ast.dump(ast.parse(joined)) == ast.dump(ast.parse(one.code))
