"""An address that counts connections and answers none of them."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread


class ConnectionCounter:
    """Counts connections."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self.connections = 0

    @property
    def address(self) -> str:
        return "127.0.0.1:{1}".format(*self._listening.getsockname())

    def accept(self) -> None:
        """Until the socket is closed."""
        with suppress(OSError):
            while True:
                self._listening.accept()[0].close()
                self.connections += 1


@contextmanager
def counting_connections() -> Iterator[ConnectionCounter]:
    listening = socket.create_server(("127.0.0.1", 0))
    counting = ConnectionCounter(listening)
    thread = Thread(target=counting.accept, daemon=True)
    thread.start()
    try:
        yield counting
    finally:
        # A close alone does not wake the thread.
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()
