"""Serves a file of streams over HTTP, and shows which query runs which version.

``python metadata_server.py --streams streams.yaml --state state``, then look at http://127.0.0.1:8080. The protocol is
in docs/metadata-http.md.
"""

from __future__ import annotations

import argparse
import hmac
import json
import time
from pathlib import Path
from typing import Any

import uvicorn
from published import Publisher
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.templating import Jinja2Templates
from statuses import VERDICTS, Status, Statuses

_TEMPLATES = Jinja2Templates(directory=Path(__file__).parent / "templates")
_LARGEST_STATUS = 64 * 1024


class MetadataServer:
    """The answers. ``token_file`` holds the token that queries must send, read again for each request."""

    def __init__(self, publisher: Publisher, token_file: Path | None = None) -> None:
        self._publisher = publisher
        self._token_file = token_file
        self._statuses = Statuses()

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/streams", self.streams, methods=["GET"]),
                Route("/streams/status", self.take_status, methods=["POST"]),
                Route("/queries", self.queries, methods=["GET"]),
                Route("/", self.page, methods=["GET"]),
            ]
        )

    async def streams(self, request: Request) -> Response:
        if not self._known(request):
            return _unknown()
        published = self._publisher.current()
        if published is None:
            return PlainTextResponse("no streams are published yet", 503)
        headers = {"ETag": published.tag, "Cache-Control": "no-cache"}
        if _names(request.headers.get("If-None-Match", ""), published.tag):
            return Response(status_code=304, headers=headers)
        return Response(published.body, media_type="application/json", headers=headers)

    async def take_status(self, request: Request) -> Response:
        if not self._known(request):
            return _unknown()
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _LARGEST_STATUS:
                return PlainTextResponse("too large for a status", 413)
        try:
            self._statuses.put(json.loads(body))
        except ValueError as error:
            return PlainTextResponse(str(error), 400)
        return Response(status_code=204)

    async def queries(self, _: Request) -> Response:
        """The same as on the page, for programs."""
        return JSONResponse({"version": self._version(), "queries": self._all()})

    async def page(self, request: Request) -> Response:
        shown = {
            "version": self._version(),
            "problem": self._publisher.problem,
            "queries": self._all(),
        }
        return _TEMPLATES.TemplateResponse(request, "page.html", shown)

    def _version(self) -> int | None:
        published = self._publisher.current()
        return None if published is None else published.version

    def _all(self) -> list[dict[str, Any]]:
        """What needs a look comes first."""
        said = [self._told(status) for status in self._statuses.all()]
        return sorted(said, key=lambda one: VERDICTS.index(one["verdict"]))

    def _told(self, status: Status) -> dict[str, Any]:
        now = time.time()
        return {
            "name": status.name,
            "id": status.key[0],
            "source": status.key[1],
            "verdict": status.verdict(self._version(), now),
            "applied": status.applied,
            "refused": status.refused,
            "heardSecondsAgo": round(status.age(now)),
        }

    def _known(self, request: Request) -> bool:
        if self._token_file is None:
            return True
        wanted = f"Bearer {self._token_file.read_text(encoding='utf-8').strip()}"
        return hmac.compare_digest(wanted.encode(), request.headers.get("Authorization", "").encode())


def _unknown() -> Response:
    return PlainTextResponse("a bearer token is needed", 401, {"WWW-Authenticate": "Bearer"})


def _names(if_none_match: str, tag: str) -> bool:
    """Whether the header names this tag. A proxy that packs answers may have marked it as weak."""
    named = [one.strip().removeprefix("W/") for one in if_none_match.split(",")]
    return tag in named or named == ["*"]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--streams", type=Path, required=True, help="the file of streams, in YAML or JSON")
    arguments.add_argument("--state", type=Path, required=True, help="a folder that keeps the version over restarts")
    arguments.add_argument("--token-file", type=Path, help="holds the token that queries must send")
    arguments.add_argument("--host", default="127.0.0.1")
    arguments.add_argument("--port", type=int, default=8080)
    arguments.add_argument("--tls-certificate", type=Path, help="in PEM; with --tls-key the server speaks HTTPS")
    arguments.add_argument("--tls-key", type=Path)
    given = arguments.parse_args()
    server = MetadataServer(Publisher(given.streams, given.state), given.token_file)
    uvicorn.run(
        server.app(),
        host=given.host,
        port=given.port,
        ssl_certfile=given.tls_certificate,
        ssl_keyfile=given.tls_key,
        access_log=False,
    )


if __name__ == "__main__":
    main()
