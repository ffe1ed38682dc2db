"""Servers of a test's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import TCPServer
from threading import Thread


@contextmanager
def serving(server: TCPServer) -> Iterator[int]:
    """Answers on a thread until the block ends: at this port of the machine."""
    thread = Thread(target=server.serve_forever, name="serving", daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
