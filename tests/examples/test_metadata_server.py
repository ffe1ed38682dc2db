"""The server of `examples/http-metadata` keeps to the protocol, which `docs/metadata-http.md` shows."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.examples.metadata_server import TOKEN, MetadataServer

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "metadata-http.md").read_text(encoding="utf-8")
STREAMS = ROOT / "examples" / "http-metadata" / "streams.yaml"
LOGIN = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MetadataServer]:
    """One for all tests of this file, since each start takes its time."""
    folder = tmp_path_factory.mktemp("server")
    streams = folder / "streams.yaml"
    streams.write_text(STREAMS.read_text())
    with MetadataServer(streams, folder) as server:
        yield server


@pytest.fixture
def server(opened: MetadataServer) -> MetadataServer:
    """A server with the streams of the example, at whatever version."""
    opened.streams.write_text(STREAMS.read_text())
    opened.token_file.write_text(f"{TOKEN}\n")
    return opened


def version(server: MetadataServer) -> int:
    return int(json.loads(server.ask("/streams", **LOGIN)[1])["version"])


def statuses_of_the_page() -> list[dict[str, Any]]:
    bodies = re.findall(r"```http\nPOST [^`]*?\n\n(.*?)```", PAGE, re.DOTALL)
    return [json.loads(body) for body in bodies]


def test_the_streams_are_the_file_with_a_version_that_goes_up_with_each_change(server: MetadataServer) -> None:
    before = version(server)
    status, body, headers = server.ask("/streams", **LOGIN)
    assert (status, headers["content-type"], headers["etag"]) == (200, "application/json", f'"{before}"')
    assert json.loads(body)["streams"][0]["clusterMetadataList"][1]["clusterId"] == "eu-2"
    text = server.streams.read_text()
    server.streams.write_text("[]")
    assert version(server) == before + 1
    server.streams.write_text(text)
    # What was there before is a new version all the same, and a restart counts on.
    assert version(server) == before + 2
    server.open()
    assert version(server) == before + 2


def test_what_a_query_holds_is_not_sent_again(server: MetadataServer) -> None:
    held = version(server)
    for tag in (f'"{held}"', f'W/"{held}"', f'"0", "{held}"', "*"):
        assert server.ask("/streams", **LOGIN, If_None_Match=tag)[0] == 304
    assert server.ask("/streams", **LOGIN, If_None_Match=f'"{held + 1}"')[0] == 200


def test_a_file_that_cannot_be_read_publishes_nothing_and_the_page_says_so(server: MetadataServer) -> None:
    before = version(server)
    for text in ("streams: {}", "- [", "1"):
        server.streams.write_text(text)
        assert version(server) == before
        assert "is not published" in server.ask("/")[1]
    server.streams.unlink()
    assert version(server) == before


def test_streams_and_statuses_need_the_token(server: MetadataServer) -> None:
    for headers in ({}, {"Authorization": "Bearer other"}, {"Authorization": f"Basic {TOKEN}"}):
        assert server.ask("/streams", **headers)[0] == 401
        assert server.ask("/streams/status", "{}", **headers)[0] == 401
    server.token_file.write_text("rotated")
    assert server.ask("/streams", **LOGIN)[0] == 401
    assert server.ask("/streams", Authorization="Bearer rotated")[0] == 200


def test_the_statuses_of_the_page_are_shown(server: MetadataServer) -> None:
    statuses = statuses_of_the_page()
    assert len(statuses) == 2
    for said in statuses:
        assert server.ask("/streams/status", json.dumps(said), **LOGIN)[0] == 204
    (known,) = server.queries()
    assert (known["name"], known["applied"], known["verdict"]) == ("orders-to-lake", 12, "refused")
    page = server.ask("/")[1]
    for text in ("orders-to-lake", "version 13", "it is missing, or the file is cut off here", "Runs version"):
        assert text in page
    stopped = statuses[0] | {"state": "stopped"}
    server.ask("/streams/status", json.dumps(stopped), **LOGIN)
    assert server.queries()[0]["verdict"] == "stopped"


def test_what_is_no_status_is_refused_and_nothing_of_one_is_markup(server: MetadataServer) -> None:
    good = statuses_of_the_page()[0]
    for said in ("", "[]", "{}", json.dumps(good | {"state": "?"}), json.dumps(good | {"refused": "no"})):
        assert server.ask("/streams/status", said, **LOGIN)[0] == 400
    assert server.ask("/streams/status", json.dumps(good | {"more": "x" * 70_000}), **LOGIN)[0] == 413
    named = good | {"query": good["query"] | {"name": "<script>alert(1)</script>"}}
    assert server.ask("/streams/status", json.dumps(named), **LOGIN)[0] == 204
    page = server.ask("/")[1]
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
