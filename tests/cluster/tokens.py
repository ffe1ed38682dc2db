"""Tokens of OAuth for a test's clients, and who gives them out."""

import contextlib
import json
import secrets
import ssl
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import jwt

from tests.cluster.serving import serving

_ALGORITHM = "HS256"

# How long a request is held at most, seconds.
_HELD = 60.0


@dataclass(frozen=True)
class TokenKey:
    """What tokens are signed with, and brokers check them by: ``jwks``, the file of a JSON Web Key Set."""

    jwks: Path
    secret: bytes = field(repr=False)

    def token(self, subject: str, seconds: int) -> str:
        """A token for this principal."""
        now = int(time.time())
        return jwt.encode({"sub": subject, "iat": now, "exp": now + seconds}, self.secret, _ALGORITHM)


def make_token_key(folder: Path) -> TokenKey:
    """Makes a key, and writes it to ``folder``."""
    secret, jwks = secrets.token_bytes(32), folder / "jwks.json"
    text = urlsafe_b64encode(secret).decode().rstrip("=")
    jwks.write_text(json.dumps({"keys": [{"kty": "oct", "kid": "tests", "alg": _ALGORITHM, "k": text}]}))
    return TokenKey(jwks, secret)


@dataclass
class TokenEndpoint:
    """Gives a token to each client in ``clients`` that comes with its secret, for so many ``seconds``, and keeps
    what was ``asked`` and ``given``. While ``answers`` is not set it takes questions and says nothing."""

    url: str
    clients: dict[str, str] = field(repr=False)
    seconds: int = 60
    asked: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list, repr=False)
    answers: threading.Event = field(default_factory=threading.Event)

    def answer(self, client: str, secret: str, key: TokenKey) -> tuple[int, dict[str, object]]:
        """A status of HTTP and what to say."""
        self.answers.wait(_HELD)
        if self.clients.get(client) != secret:
            return 401, {"error": "invalid_client"}
        token = key.token(client, self.seconds)
        self.given.append(token)
        return 200, {"access_token": token, "token_type": "Bearer", "expires_in": self.seconds}


@contextmanager
def token_endpoint(key: TokenKey, certificate: Path, private_key: Path, **clients: str) -> Iterator[TokenEndpoint]:
    """Answers "client credentials" requests over HTTPS on this machine, until the block ends."""

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            endpoint.asked.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            login = self.headers.get("Authorization", "").removeprefix("Basic ")
            client, _, secret = b64decode(login).decode().partition(":")
            status, answer = endpoint.answer(client, secret, key)
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # who waited too long is gone
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Not into what tests print."""

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, private_key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    with serving(server) as port:
        endpoint = TokenEndpoint(f"https://127.0.0.1:{port}/token", clients)
        endpoint.answers.set()
        yield endpoint
        endpoint.answers.set()
