"""What a Kafka client asks a broker, seen from the network."""

import struct
from collections.abc import Iterator

FETCH = 1

_SIZE = struct.Struct(">i")
_HEAD = struct.Struct(">ih")  # a request's size, and the key of what is asked


class RequestKeys:
    """Finds in the bytes of one connection, in whatever pieces they come, what is asked; without TLS."""

    def __init__(self) -> None:
        self._head = b""
        self._rest = 0

    def begun(self, piece: bytes) -> list[int]:
        """The keys of the requests whose heads end in this piece."""
        return list(self._keys(piece))

    def _keys(self, piece: bytes) -> Iterator[int]:
        while piece:
            passed = min(self._rest, len(piece))
            self._rest -= passed
            piece = piece[passed:]
            wanted = _HEAD.size - len(self._head)
            if not self._rest and piece:
                self._head += piece[:wanted]
                piece = piece[wanted:]
            if len(self._head) == _HEAD.size:
                size, key = _HEAD.unpack(self._head)
                self._head, self._rest = b"", size + _SIZE.size - _HEAD.size
                yield key
