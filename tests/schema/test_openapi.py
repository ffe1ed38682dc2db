"""`docs/reference/metadata-http.openapi.yaml`: what the page shows, the example's server answers and queries send."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from referencing import Registry, Resource

from tests.examples.metadata_server import TOKEN, MetadataServer
from tests.pages import ROOT

DOCUMENT_FILE = ROOT / "docs/reference/metadata-http.openapi.yaml"
STREAMS_FILE = DOCUMENT_FILE.with_name("streams.schema.json")
DOCUMENT: dict[str, Any] = yaml.safe_load(DOCUMENT_FILE.read_text())
PAGE = (ROOT / "docs/metadata-http.md").read_text()
_LOGIN = {"Authorization": f"Bearer {TOKEN}"}
_DOCUMENT = "https://example.com/metadata-http.openapi.yaml"


def body_problems(name: str, body: object) -> list[str]:
    """What a schema of the document finds wrong in a body."""
    streams = Resource.from_contents(json.loads(STREAMS_FILE.read_text()))
    whole = Resource.from_contents({"$schema": "https://json-schema.org/draft/2020-12/schema", **DOCUMENT})
    known: Registry[Any] = Registry().with_resources(
        [(_DOCUMENT, whole), ("https://example.com/streams.schema.json", streams)]
    )
    schema = {"$ref": f"{_DOCUMENT}#/components/schemas/{name}"}
    found = Draft202012Validator(schema, registry=known).iter_errors(body)
    return [f"{error.json_path}: {error.message}" for error in found]


def described(method: str, path: str, status: int) -> dict[str, Any]:
    """What the document says of this response. Raises ``LookupError`` where it says nothing."""
    responses = DOCUMENT["paths"][path][method]["responses"]
    for name in (str(status), f"{status // 100}XX", "default"):
        if name in responses:
            return dict(responses[name])
    raise LookupError(f"{method} {path}: {status}")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MetadataServer]:
    (tmp_path / "streams.yaml").write_text((ROOT / "examples/http-metadata/streams.yaml").read_text())
    with MetadataServer(tmp_path / "streams.yaml", tmp_path / "server") as opened:
        yield opened


def shown(pattern: str) -> list[Any]:
    return [json.loads(body) for body in re.findall(pattern, PAGE, re.MULTILINE | re.DOTALL)]


def test_the_document_is_openapi() -> None:
    validate(DOCUMENT, base_uri=DOCUMENT_FILE.as_uri())


def test_what_the_page_shows_is_what_the_document_says() -> None:
    answers = shown(r"^HTTP/1.1 200 OK\n(?:[^`\n]+\n)*\n(.*?)^```")
    assert [len(body_problems("Answer", one)) for one in answers] == [0, 0, 1]
    (missing,) = body_problems("Answer", answers[-1])
    assert "'bootstrapServers' is a required property" in missing
    statuses = shown(r"^POST [^`]*?\n\n(.*?)^```")
    assert len(statuses) == 2
    assert [problem for one in statuses for problem in body_problems("Status", one)] == []
    assert set(re.findall(r"^(?:GET|POST) (\S+) HTTP", PAGE, re.MULTILINE)) == set(DOCUMENT["paths"])


def test_the_answers_of_the_examples_server_are_as_the_document_says(server: MetadataServer) -> None:
    status, body, headers = server.ask("/streams", **_LOGIN)
    says = described("get", "/streams", status)
    assert headers["content-type"] in says["content"]
    assert {name.lower() for name in says["headers"]} <= set(headers)
    assert body_problems("Answer", json.loads(body)) == []
    held, _, headers = server.ask("/streams", **_LOGIN, If_None_Match=headers["etag"])
    assert held == 304
    assert {name.lower() for name in described("get", "/streams", held)["headers"]} <= set(headers)
    for code, answer in {401: server.ask("/streams"), 400: server.ask("/streams/status", "{}", **_LOGIN)}.items():
        assert answer[0] == code


def without(body: dict[str, Any], *path: str) -> dict[str, Any]:
    if len(path) == 1:
        return {name: value for name, value in body.items() if name != path[0]}
    return {**body, path[0]: without(body[path[0]], *path[1:])}


@pytest.mark.parametrize(
    "broken",
    [
        lambda status: without(status, "query"),
        lambda status: without(status, "query", "runId"),
        lambda status: without(status, "at"),
        lambda status: {**status, "state": "?"},
        lambda status: {**status, "applied": "no"},
        lambda status: {**status, "refused": "no"},
    ],
)
def test_what_the_examples_server_refuses_is_no_status_in_the_document(
    broken: Callable[[dict[str, Any]], dict[str, Any]], server: MetadataServer
) -> None:
    status = shown(r"^POST [^`]*?\n\n(.*?)^```")[0]
    assert server.ask("/streams/status", json.dumps(status), **_LOGIN)[0] == 204
    wrong = broken(status)
    assert server.ask("/streams/status", json.dumps(wrong), **_LOGIN)[0] == 400
    assert body_problems("Status", wrong)


@pytest.mark.parametrize(
    "wrong", [{}, {"version": 1}, {"streams": []}, {"version": -1, "streams": []}, {"version": "1", "streams": []}]
)
def test_what_no_query_takes_is_no_answer_in_the_document(wrong: dict[str, Any]) -> None:
    assert body_problems("Answer", {"version": 1, "streams": []}) == []
    assert body_problems("Answer", wrong)
    assert body_problems("Answer", {"version": 1, "streams": [], "more": 1})
