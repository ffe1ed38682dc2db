"""The server of `examples/http-metadata`, as a process of its own."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from dynamic_kafka._brokers.ports import claim_port

from tests.cluster import NotYet, eventually

_PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "http-metadata" / "metadata_server.py"
TOKEN = "t0p-s3cret"


class MetadataServer:
    """Serves ``streams`` while it is open, with what it keeps in ``folder``. May be opened again, at its address."""

    def __init__(self, streams: Path, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.streams, self.folder, self.token_file = streams, folder, folder / "token"
        self.token_file.write_text(f"{TOKEN}\n")
        self._port = claim_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port.number}/streams"

    def __enter__(self) -> "MetadataServer":
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._port.release()

    def open(self, streams: Path | None = None, state: Path | None = None) -> None:
        """Starts it, or starts it again with other files."""
        self.close()
        files = ["--streams", str(streams or self.streams), "--state", str(state or self.folder / "state")]
        given = [*files, "--token-file", str(self.token_file), "--port", str(self._port.number)]
        with (self.folder / "output.txt").open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, str(_PROGRAM), *given], stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        eventually("the server answers", self.queries, until=lambda _: True, within=30)

    def pause(self) -> None:
        """It takes connections, and answers nothing."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def close(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def ask(self, path: str, body: str | None = None, **headers: str) -> tuple[int, str, dict[str, str]]:
        """The status of an answer, its text and its headers; names of headers are given with underscores."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = Request(self.url.removesuffix("/streams") + path, None if body is None else body.encode(), named)  # noqa: S310 - http
        try:
            with urlopen(request, timeout=10) as answer:  # noqa: S310 - the same
                return answer.status, answer.read().decode(), dict(answer.headers)
        except HTTPError as refused:
            return refused.code, refused.read().decode(), dict(refused.headers)
        except OSError as error:
            raise NotYet(f"no answer: {error}") from error

    def queries(self) -> list[dict[str, Any]]:
        """What it knows of the queries."""
        return list(json.loads(self.ask("/queries")[1])["queries"])

    def query(self, query_id: str) -> dict[str, Any]:
        """What it knows of one."""
        for known in self.queries():
            if known["id"] == query_id:
                return known
        raise NotYet(f"query {query_id} is not known")

    def await_query(self, query_id: str, within: float = 40.0, **expected: object) -> dict[str, Any]:
        """Waits until a query is known with these fields; those of ``refused`` as ``refused_version``, and so on."""

        def seen() -> dict[str, Any]:
            known = self.query(query_id)
            return known | {f"refused_{name}": value for name, value in known["refused"].items()}

        return eventually(
            f"the server knows {query_id} as {expected}",
            seen,
            until=lambda known: all(known.get(name) == value for name, value in expected.items()),
            within=within,
        )
