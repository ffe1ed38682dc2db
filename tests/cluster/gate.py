"""A gate before a port, which breaks connections as networks, proxies and brokers do."""

import asyncio
import socket
import struct
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Literal

from tests.cluster.requests import FETCH, RequestKeys

_PIECE = 1 << 16
_SECONDS = 10
_HOST = "127.0.0.1"

Then = Literal["silence", "close", "reset"]


@dataclass(frozen=True, slots=True)
class Way:
    """What a gate does with its connections, new ones and open ones.

    Without ``listens`` new ones are refused and open ones reset. Only each ``every``-th new one gets through, and the
    others are reset. What comes back arrives ``delay`` seconds later, in order, without a limit to how much is on its
    way. All connections together get ``bandwidth`` bytes a second (none: no limit). Of it the next ``passes`` bytes of
    each connection get through (none: all), ``then`` there is silence, or the end. Without ``fetched`` a connection
    falls silent once it asks for records: so it is where executors alone are cut off.
    """

    listens: bool = True
    every: int = 1
    delay: float = 0
    bandwidth: float | None = None
    passes: int | None = None
    then: Then = "silence"
    fetched: bool = True

    @property
    def ends_at_once(self) -> bool:
        return not self.listens or (self.passes == 0 and self.then != "silence")


PASS = Way()
REFUSE = Way(listens=False)
RESET = Way(passes=0, then="reset")
HANG = Way(passes=0)
UNFETCHED = Way(fetched=False)


class Gate:
    """Forwards a port of 127.0.0.1 to another one while it is open, in the way it was last turned to.

    A connection that has lost a byte stays silent, also when the way is a better one by then: its client has to notice.
    """

    def __init__(self, port: int, target: int, way: Way = PASS) -> None:
        self._port = port
        self._target = target
        self._way = way
        self._at_fetch: Way | None = None
        self._arrived = 0
        # When the line has sent all that it was given.
        self._sent = 0.0
        self._open: set[_Passage] = set()
        self._server: asyncio.Server | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"gate-{port}", daemon=True)

    def __enter__(self) -> "Gate":
        self._thread.start()
        self.turn(self._way)
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def address(self) -> str:
        return f"{_HOST}:{self._port}"

    @property
    def way(self) -> Way:
        """The present one."""
        return self._way

    def turn(self, way: Way) -> None:
        """From the return on it behaves like this."""
        self._run(self._turn(way))

    def turn_at_fetch(self, way: Way) -> None:
        """It behaves like this from the next request for records on, that one included."""
        self._at_fetch = way

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_SECONDS)

    async def _turn(self, way: Way) -> None:
        self._way, self._at_fetch = way, None
        if not way.listens and self._server is not None:
            self._server.close()
            self._server = None
        for passage in list(self._open):
            passage.turn(way)
        if way.listens and self._server is None:
            self._server = await asyncio.start_server(self._connected, _HOST, self._port)

    async def _close(self) -> None:
        await self._turn(REFUSE)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    # Not a coroutine: cancelled before its first step, it would leave the connection open, with nobody behind it.
    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._arrived += 1
        passage = _Passage(writer, self._way)
        if self._arrived % self._way.every:
            passage.end("reset")
        elif self._way.ends_at_once:
            passage.end(self._way.then)
        else:
            self._open.add(passage)
            passage.task = self._loop.create_task(self._forwarded(reader, passage))

    async def _forwarded(self, reader: asyncio.StreamReader, passage: "_Passage") -> None:
        try:
            await self._forward(reader, passage)
        except (OSError, asyncio.CancelledError):
            pass  # one of the two has gone, or the gate is closed
        finally:
            self._open.discard(passage)
            passage.close()

    async def _forward(self, reader: asyncio.StreamReader, passage: "_Passage") -> None:
        back_reader, back_writer = await asyncio.open_connection(_HOST, self._target)
        await asyncio.gather(
            self._requests(reader, back_writer, passage), self._answers(back_reader, passage), passage.deliver()
        )

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, passage: "_Passage") -> None:
        keys = RequestKeys()
        try:
            while piece := await reader.read(_PIECE):
                if FETCH in keys.begun(piece):
                    if self._at_fetch is not None:
                        await self._turn(self._at_fetch)
                    if not self._way.fetched:
                        passage.end("silence")
                writer.write(piece)
        finally:
            writer.close()

    async def _answers(self, reader: asyncio.StreamReader, passage: "_Passage") -> None:
        try:
            while piece := await reader.read(_PIECE):
                passage.hold(piece, self._due(len(piece)))
        finally:
            passage.hold(b"", self._due(0))

    def _due(self, size: int) -> float:
        """When so many bytes arrive that are sent now."""
        way = self._way
        self._sent = max(self._sent, self._loop.time()) + (size / way.bandwidth if way.bandwidth else 0)
        return self._sent + way.delay


class _Passage:
    """The way back of one connection."""

    def __init__(self, writer: asyncio.StreamWriter, way: Way) -> None:
        self._writer = writer
        self._held: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        self._left = way.passes
        self._then = way.then
        self._silent = False
        self.task: asyncio.Task[None] | None = None

    def close(self) -> None:
        self._writer.close()

    def turn(self, way: Way) -> None:
        self._left, self._then = way.passes, way.then
        if way.ends_at_once:
            self.end("reset" if not way.listens else way.then)

    def hold(self, piece: bytes, due: float) -> None:
        self._held.put_nowait((due, piece))

    async def deliver(self) -> None:
        """Hands on what is held, each piece when it is due, to the empty one at the end."""
        loop = asyncio.get_running_loop()
        while True:
            due, piece = await self._held.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not piece:
                break
            self._give(piece)
        # A silent one is left open, as by a network that has forgotten it.
        if not self._silent:
            self._writer.close()

    def _give(self, piece: bytes) -> None:
        if self._silent or self._writer.is_closing():
            return
        through = piece if self._left is None else piece[: self._left]
        self._writer.write(through)
        if self._left is not None:
            self._left -= len(through)
        if len(through) < len(piece):
            self.end(self._then)

    def end(self, how: Then) -> None:
        self._silent = True
        if self._writer.is_closing():
            return
        if how == "reset":
            # A close that does not linger is a reset.
            link: socket.socket = self._writer.get_extra_info("socket")
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._writer.transport.abort()
        elif how == "close":
            self._writer.close()
