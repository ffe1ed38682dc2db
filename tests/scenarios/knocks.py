"""An address where everyone who comes is counted and nobody is answered."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread


class Door:
    """Counts connections."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self.knocks = 0

    @property
    def address(self) -> str:
        return "127.0.0.1:{1}".format(*self._listening.getsockname())

    def attend(self) -> None:
        """Until the socket is closed."""
        with suppress(OSError):
            while True:
                self._listening.accept()[0].close()
                self.knocks += 1


@contextmanager
def door() -> Iterator[Door]:
    listening = socket.create_server(("127.0.0.1", 0))
    counting = Door(listening)
    thread = Thread(target=counting.attend, daemon=True)
    thread.start()
    try:
        yield counting
    finally:
        # A close alone does not wake the thread.
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()
