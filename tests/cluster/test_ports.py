"""Ports that are claimed for brokers."""

import socket

from tests.cluster.ports import claim_port


def test_no_port_is_given_twice_while_it_is_held() -> None:
    held = [claim_port() for _ in range(50)]
    assert len({port.number for port in held}) == 50
    for port in held:
        port.release()


def test_a_claimed_port_can_be_bound() -> None:
    port = claim_port()
    with socket.socket() as server:
        server.bind(("127.0.0.1", port.number))
    port.release()
