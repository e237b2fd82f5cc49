"""What somebody does first with an installed undertow. `tools/smoke.py` runs this file in an
environment that has the wheel and one extra, in an empty folder; nothing of the repository is used.

python smoke_steps.py core | stem | chinese | ...
"""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import undertow
from undertow import TopicModel, Vectorizer

COMMAND = str(Path(sysconfig.get_path("scripts")) / "undertow")
THEMES = ("apple pear plum cherry orchard", "engine wheel brake clutch gear")
TEXTS = [" ".join(THEMES[n % 2].split()[n % 3 :] * 2) for n in range(60)]
SMALL = ("--n-components", "8", "--max-epochs", "3", "--batch-size", "16", "--seed", "0", "-q")
LIMIT = 600  # seconds, to end what hangs


def shell(*words: str, code: int = 0) -> str:
    """What a command prints; how it ends is checked."""
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=LIMIT)
    if done.returncode != code:
        raise SystemExit(f"undertow {' '.join(words)} ended with {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


def completed(begun: str) -> list[str]:
    """What bash is offered for the beginning of a word."""
    asked = {"_UNDERTOW_COMPLETE": "complete_bash", "COMP_WORDS": f"undertow {begun}"}
    done = subprocess.run(
        [COMMAND], env={**os.environ, **asked, "COMP_CWORD": "1"}, capture_output=True, text=True
    )
    return done.stdout.split()


def small_model(**options: object) -> TopicModel:
    """A model that is fitted in a moment, after kernels are compiled."""
    return TopicModel(8, max_epochs=3, batch_size=16, random_state=0, **options)  # type: ignore[arg-type]


def core() -> None:
    """From a file to topics and vectors, by commands and in Python; what is missing is told."""
    inside = Path(undertow.__file__).parent
    assert inside.is_relative_to(sys.prefix), f"{inside} is not the installed one"
    assert (inside / "py.typed").exists()
    assert shell("--version").strip() == undertow.__version__ == metadata.version("undertow")
    assert completed("fi") == ["fit"]

    shell("fit", "corpus.csv", "--out", "model", *SMALL)
    assert "orchard" in shell("topics", "model", "-n", "2")
    shell("transform", "model", "corpus.csv", "--out", "vectors.parquet", "-q")
    assert "unseen" not in shell("info", "model")
    told = shell("index", "model", "corpus.csv", "--out", "library", code=2)
    assert "pip install 'undertow[search]'" in told

    model = small_model().fit(TEXTS)
    assert len(model.transform(TEXTS)) == len(TEXTS)
    assert {word.word for topic in model.topics(2) for word in topic.words} <= set(
        " ".join(THEMES).split()
    )
    model.save("saved")
    assert (undertow.load("saved").transform(TEXTS[:3]) == model.transform(TEXTS[:3])).all()


def stem() -> None:
    """Words by their stems."""
    assert words_of("engines engine", stemmer="english", min_df=1) == ["engin"]


def chinese() -> None:
    """Words without spaces."""
    assert "苹果" in words_of("我们喜欢吃苹果和梨", segmenter="chinese", min_df=1)


def japanese() -> None:
    """Words without spaces."""
    assert "東京" in words_of("東京に住んでいます", segmenter="japanese", min_df=1)


def thai() -> None:
    """Words without spaces."""
    assert "ภาษาไทย" in words_of("ฉันเรียนภาษาไทยทุกวัน", segmenter="thai", min_df=1)


def words_of(text: str, **options: object) -> list[str]:
    """The vocabulary of one text."""
    made = Vectorizer(**options).fit([text])  # type: ignore[arg-type]
    return [str(word) for word in made.get_feature_names_out()]


def paper() -> None:
    """Figures can be drawn. The paper's experiments need its corpora, and hours."""
    from undertow.paper import plots

    drawn = plots.rendered(lambda: plots.precision_recall_panels({"any": {}, "other": {}}), "png")
    assert drawn.startswith(b"\x89PNG")
    assert "table" in shell("paper", "--help")


def search() -> None:
    """An index, asked by a command and in Python."""
    shell("index", "model", "corpus.csv", "--out", "library", "--force", "-q")
    assert "orchard" in shell("search", "library", "orchard cherry", "-n", "3")
    hits = undertow.Index.open("library").search("engine", 3, where="label = 'machine'")
    assert len(hits) == 3


def explorer() -> None:
    """A report, a figure, and the pages with their API."""
    search()
    shell("report", "library", "--out", "report.html", "-q")
    page = Path("report.html").read_text(encoding="utf-8")
    assert "<html" in page
    assert "orchard" in page
    undertow.write_report(small_model().fit(TEXTS), "made.html", TEXTS)
    assert undertow.plot.tree(small_model().fit(TEXTS)).data
    serving = subprocess.Popen(
        [COMMAND, "explore", "library", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert serving.stdout is not None
        address = re.search(r"http://([\d.]+):(\d+)/", serving.stdout.readline())
        assert address
        asked = http.client.HTTPConnection(address[1], int(address[2]), timeout=LIMIT)
        for path in ("/", "/api/topics"):
            asked.request("GET", path)
            answer = asked.getresponse()
            assert (answer.status, bool(answer.read())) == (200, True), path
    finally:
        serving.kill()
        serving.wait()


def mcp() -> None:
    """An assistant begins to talk, and is answered."""
    search()
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "smoke", "version": "1"},
        },
    }
    pipe = subprocess.PIPE
    command = [COMMAND, "serve-mcp", "library", "-q"]
    serving = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    try:
        assert serving.stdin is not None
        assert serving.stdout is not None
        serving.stdin.write(json.dumps(hello) + "\n")
        serving.stdin.flush()
        assert "serverInfo" in json.loads(serving.stdout.readline())["result"]
    finally:
        serving.kill()
        serving.wait()


def gpu() -> None:
    """PyTorch computes; on the CPU, where there is no card."""
    assert small_model(device="cpu", engine="torch").fit(TEXTS).topics(2)


def cluster() -> None:
    """Two workers of this machine."""
    shell("fit", "corpus.csv", "--out", "led", "--cluster", "local", "--workers", "2", *SMALL)
    assert "orchard" in shell("topics", "led", "-n", "2")


STEPS = (core, stem, chinese, japanese, thai, paper, search, explorer, mcp, gpu, cluster)

if __name__ == "__main__":
    rows = [f"d{n},{text},{('fruit', 'machine')[n % 2]}\n" for n, text in enumerate(TEXTS)]
    Path("corpus.csv").write_text("id,text,label\n" + "".join(rows), encoding="utf-8")
    {step.__name__: step for step in STEPS}[sys.argv[1]]()
