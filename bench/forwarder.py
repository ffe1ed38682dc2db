"""A network that is slow on the way back."""

import asyncio
import threading
from types import TracebackType

_PIECE = 1 << 16


class SlowForwarder:
    """Forwards a port of 127.0.0.1 to another one while it is open. What comes back arrives ``delay`` seconds later, as
    over a long line: in order, and without a limit to how much is on its way."""

    def __init__(self, port: int, target: int, delay: float) -> None:
        self._port = port
        self._target = target
        self._delay = delay
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="slow-forwarder", daemon=True)

    def __enter__(self) -> "SlowForwarder":
        self._thread.start()
        opening = asyncio.start_server(self._connected, "127.0.0.1", self._port)
        self._server = asyncio.run_coroutine_threadsafe(opening, self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            back_reader, back_writer = await asyncio.open_connection("127.0.0.1", self._target)
            await asyncio.gather(_pump(reader, back_writer, 0), _pump(back_reader, writer, self._delay))
        except (OSError, asyncio.CancelledError):
            pass  # one of the two has gone, or the forwarder is closed
        finally:
            writer.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    loop = asyncio.get_running_loop()
    while piece := await reader.read(_PIECE):
        # Called in the order of their times, which is the order in which they came.
        loop.call_later(delay, writer.write, piece)
    loop.call_later(delay, writer.close)
