"""A gate before a server that sends back what it gets: each way does to connections what it says."""

import contextlib
import socket
import socketserver
import struct
import time
from collections.abc import Callable, Iterator

import pytest
from dynamic_kafka._brokers.ports import claim_port

from tests.cluster.gate import PASS, RESET, UNFETCHED, Gate, Way
from tests.cluster.requests import FETCH, RequestKeys
from tests.cluster.serving import serving


class Echo(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):
            while piece := self.request.recv(1 << 16):
                self.request.sendall(piece)


@pytest.fixture(scope="module")
def target() -> Iterator[int]:
    """The port of a server that defers what it gets."""
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo)
    server.daemon_threads = True
    with serving(server) as port:
        yield port


@pytest.fixture
def gate(target: int) -> Iterator[Gate]:
    port = claim_port()
    with Gate(port.number, target) as gate:
        yield gate
    port.release()


@pytest.fixture
def connect(gate: Gate) -> Iterator[Callable[[], socket.socket]]:
    links: list[socket.socket] = []

    def connected() -> socket.socket:
        host, _, port = gate.address.partition(":")
        links.append(socket.create_connection((host, int(port)), timeout=5))
        return links[-1]

    yield connected
    for link in links:
        link.close()


Connect = Callable[[], socket.socket]


def echoed(link: socket.socket, text: bytes) -> bytes:
    """What comes back of it, until it is whole or the other side closes."""
    link.sendall(text)
    return received(link, len(text))


def received(link: socket.socket, size: int) -> bytes:
    back = b""
    while len(back) < size and (piece := link.recv(size)):
        back += piece
    return back


def test_what_is_sent_passes_in_order_whatever_the_delay(gate: Gate, connect: Connect) -> None:
    text = bytes(range(256)) * 4096
    link = connect()
    assert echoed(link, text) == text
    gate.turn(Way(delay=0.2))
    began = time.monotonic()
    assert echoed(link, text) == text
    assert time.monotonic() - began >= 0.2
    link.sendall(b"late ")
    gate.turn(PASS)
    link.sendall(b"soon")
    assert received(link, 9) == b"late soon"


def test_connections_share_the_bandwidth(gate: Gate, connect: Connect) -> None:
    gate.turn(Way(bandwidth=1 << 20))
    text = bytes(1 << 18)
    first, second = connect(), connect()
    began = time.monotonic()
    for link in (first, second):
        link.sendall(text)
    for link in (first, second):
        assert received(link, len(text)) == text
    assert time.monotonic() - began >= 0.5


@pytest.mark.parametrize("then", ["silence", "close", "reset"])
def test_half_an_answer_passes_and_then_the_connection_closes_resets_or_is_silent(
    then: str, gate: Gate, connect: Connect
) -> None:
    gate.turn(Way(passes=3, then=then))  # type: ignore[arg-type]
    link = connect()
    link.sendall(b"answer")
    assert link.recv(6) == b"ans"
    if then == "close":
        assert link.recv(6) == b""
    else:
        link.settimeout(1)
        with pytest.raises(TimeoutError if then == "silence" else ConnectionResetError):
            link.recv(6)


def request(key: int, body: bytes) -> bytes:
    return struct.pack(">ih", len(body) + 2, key) + body


def test_a_gate_turns_at_the_request_for_records_and_lets_no_answer_to_it_through(gate: Gate, connect: Connect) -> None:
    other, fetch = request(3, b"x" * 30), request(FETCH, b"y" * 30)
    link = connect()
    gate.turn_at_fetch(RESET)
    assert echoed(link, other) == other
    with pytest.raises((ConnectionResetError, BrokenPipeError)):
        echoed(link, fetch)
    assert gate.way == RESET


def test_connections_that_ask_for_records_fall_silent_and_the_others_pass(gate: Gate, connect: Connect) -> None:
    gate.turn(UNFETCHED)
    other, fetch = request(3, b"x" * 30), request(FETCH, b"y" * 30)
    link = connect()
    assert echoed(link, other) == other
    link.settimeout(1)
    with pytest.raises(TimeoutError):
        echoed(link, fetch)
    assert echoed(connect(), other) == other


@pytest.mark.parametrize("size", [1, 2, 5, 6, 7, 1000])
def test_requests_are_known_in_whatever_pieces_they_come(size: int) -> None:
    asked = [18, FETCH, 3, FETCH]
    sent = b"".join(request(key, b"z" * 10 * number) for number, key in enumerate(asked))
    keys = RequestKeys()
    pieces = [sent[at : at + size] for at in range(0, len(sent), size)]
    assert [key for piece in pieces for key in keys.begun(piece)] == asked
