"""A schema registry, as far as a reader asks it."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.cluster.serving import serving


@dataclass(frozen=True, slots=True)
class Registry:
    """Where it is, and the paths it was asked for."""

    url: str
    asked: list[str] = field(default_factory=list)


@contextmanager
def registry(schemas: Mapping[int, str]) -> Iterator[Registry]:
    """One that knows these schemas by id."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            here.asked.append(self.path)
            schema = schemas.get(int(self.path.removeprefix("/schemas/ids/")))
            self.send_response(200 if schema else 404)
            self.end_headers()
            self.wfile.write(json.dumps({"schema": schema}).encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            pass

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        here = Registry(f"http://127.0.0.1:{port}")
        yield here
