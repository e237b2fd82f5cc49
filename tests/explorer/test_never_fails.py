"""Whatever is asked, the answer is an answer or a clear refusal: never a 500, always JSON that fits
its description.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.explorer.asking import Answer, TestClient, explorer, sent

MODES = st.sampled_from(["hybrid", "semantic", "text", "code"])
TEXTS = st.text(max_size=80) | st.sampled_from(
    ["apple", '"', "a AND", "(", "+-", "*", "\0", "' OR 1=1 --", "𝒜 \u202e"]
)
FILTERS = st.text(max_size=40) | st.builds(
    "{} {} {}".format,
    st.sampled_from(["id", "label", "time", "text", "split", "NOT label", "`id`"]),
    st.sampled_from(["=", "!=", "<", "LIKE", "IN", "IS"]),
    st.sampled_from(
        [
            "'apple'",
            "NULL",
            "NOT NULL",
            "('a', 'b')",
            "DATE '2024-02-30'",
            "TIMESTAMP '2024-02-03'",
            "1e999",
        ]
    )
    | st.text(max_size=10).map(lambda text: f"'{text}'"),
)
IDS = st.text(max_size=40) | st.sampled_from(["d1", "unknown", "..", "/", "%", "\0", "'", "d1\n"])
NUMBERS = (
    st.integers().map(str)
    | st.text(max_size=12)
    | st.sampled_from(["", ",", "1,2", "0,0", "-0", "+1", "1_0"])
)

few = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def client(small_index: Path) -> Iterator[TestClient]:
    with explorer(small_index) as asked:
        yield asked


def ask(client: TestClient, path: str, **parameters: str | None) -> Answer:
    """Sends it; what comes back is an answer, or an error of the client's."""
    query = "&".join(
        f"{name}={quote(value, safe='')}" for name, value in parameters.items() if value is not None
    )
    answer = sent(client, f"{path}?{query}".encode())
    assert answer.status in (200, 404, 409, 422), (path, parameters, answer)
    if answer.headers["content-type"] == "application/json" and answer.status != 200:
        assert isinstance(answer.json()["error"], str)
    return answer


@few
@given(
    q=TEXTS | st.none(),
    like=IDS | st.none(),
    where=FILTERS | st.none(),
    mode=MODES,
    n=st.just("5") | NUMBERS,
)
def test_searches(client: TestClient, q: str, like: str, where: str, mode: str, n: str) -> None:
    ask(client, "/api/search", q=q, like=like, where=where, mode=mode, n=n)


@few
@given(q=TEXTS, where=FILTERS | st.none(), mode=MODES)
def test_searches_by_text(client: TestClient, q: str, where: str, mode: str) -> None:
    ask(client, "/api/search", q=q, where=where, mode=mode)


@few
@given(name=IDS, topic=NUMBERS | st.none(), mode=MODES)
def test_ids(client: TestClient, name: str, topic: str, mode: str) -> None:
    ask(client, f"/api/documents/{quote(name, safe='')}", topic=topic)
    ask(client, f"/api/nearest/{quote(name, safe='')}", mode=mode)


@few
@given(numbers=NUMBERS)
def test_numbers(client: TestClient, numbers: str) -> None:
    ask(client, f"/api/topics/{quote(numbers, safe='')}")
    ask(client, "/api/topics", n=numbers)
    ask(client, "/api/map/documents", rows=numbers)
    ask(client, "/api/time", topics=numbers)
    ask(client, "/api/time", n=numbers)


@few
@given(path=st.text(max_size=30))
def test_paths(client: TestClient, path: str) -> None:
    ask(client, f"/{quote(path)}")
    ask(client, f"/api/{quote(path)}")


EXAMPLES: dict[str, Any] = {"number": "1", "name": "d1", "q": "apple", "rows": "1,2"}


def test_every_route_fits_its_description(client: TestClient) -> None:
    """The required parameters alone, then each other one: answers have exactly the fields that are
    described.
    """
    described = sent(client, b"/openapi.json").json()
    for path, operations in described["paths"].items():
        parameters = operations["get"].get("parameters", [])
        for parameter in parameters:
            if parameter["in"] == "path":
                path = path.replace("{" + parameter["name"] + "}", EXAMPLES[parameter["name"]])
        needed = {
            one["name"]: EXAMPLES[one["name"]]
            for one in parameters
            if one["in"] == "query" and one["required"]
        }
        if path == "/api/search":
            needed["q"] = EXAMPLES["q"]
        answer = ask(client, path, **needed)
        assert answer.status == 200, path
        content = operations["get"]["responses"]["200"]["content"]
        kind = answer.headers["content-type"]
        assert kind in content
        if kind == "application/json":
            _check(answer.json(), content[kind]["schema"], described, path)


def _check(value: Any, schema: dict[str, Any], described: dict[str, Any], where: str) -> None:
    """A small part of JSON schema: what our answers use."""
    if "$ref" in schema:
        schema = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        assert any(_fits(value, one, described) for one in schema["anyOf"]), (where, value)
        return
    kinds: dict[str, type | tuple[type, ...]] = {
        **{"string": str, "boolean": bool, "integer": int, "number": (int, float)},
        **{"object": dict, "array": list, "null": type(None)},
    }
    fits: bool = isinstance(value, kinds[schema["type"]])  # of a type that mypy does not narrow by
    assert fits, (where, value)
    assert not (isinstance(value, bool) and schema["type"] != "boolean"), where
    assert "enum" not in schema or value in schema["enum"], where
    if schema["type"] == "array":
        for one in value:
            _check(one, schema["items"], described, f"{where}[]")
    if "properties" in schema:
        assert set(value) == set(schema["properties"]), where
        for name, one in schema["properties"].items():
            _check(value[name], one, described, f"{where}.{name}")


def _fits(value: Any, schema: dict[str, Any], described: dict[str, Any]) -> bool:
    try:
        _check(value, schema, described, "")
    except AssertionError:
        return False
    return True
