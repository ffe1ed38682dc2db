"""The story: orders are on eu-1, then on both clusters, then only on eu-2."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from dynamic_kafka._brokers import SetupError
from dynamic_kafka._brokers.broker import Broker
from dynamic_kafka.demo._orders import Orders
from dynamic_kafka.demo._query import OrderQuery
from dynamic_kafka.demo._screen import Line, Screen

_TIMEOUT_SECONDS = 120
_CHECK_EVERY_SECONDS = 0.5
_PER_PHASE = 2_000
# So many that the query still has some of them to drain when it sees that the old cluster is no longer listed.
_BURST = 12_000

_ENTRY = """\
    - clusterId: {0.name}
      bootstrapServers: {0.address}
      topics: [orders]
"""


def write_streams(file: Path, *brokers: Broker) -> None:
    """Lists exactly these clusters for the stream. The file is replaced as a whole: nobody reads half of it."""
    draft = file.with_suffix(".new")
    draft.write_text("- streamId: orders\n  clusterMetadataList:\n" + "".join(map(_ENTRY.format, brokers)))
    draft.replace(file)


class Story:
    """Moves the stream, and shows what arrives. ``began`` is when the demo began, by `time.time`."""

    def __init__(
        self, brokers: tuple[Broker, Broker], streams: Path, orders: Orders, screen: Screen, began: float
    ) -> None:
        self._brokers = brokers
        self._streams = streams
        self._orders = orders
        self._screen = screen
        self._began = began
        self._listed: tuple[Broker, ...] = ()
        self._events: list[tuple[float, str]] = []

    def play(self, start: Callable[[], OrderQuery], check: Callable[[], None]) -> OrderQuery:
        """``start`` starts the query, once the stream is listed. ``check`` may end the story by an exception."""
        old, new = self._brokers
        self._check = check
        self._orders.write_to(old.name)
        self._list(old)
        self._query = start()
        self._until("the first order comes", lambda: self._arrived() > 0)
        self._tell("the first order came out of the query")
        self._until(f"orders come from {old.name}", lambda: self._arrived(old) >= _PER_PHASE)

        self._orders.write_to(old.name, new.name)
        self._list(old, new)
        self._until(f"orders come from {new.name}", lambda: self._arrived(new) >= _PER_PHASE)

        self._orders.write_to(new.name)
        self._orders.burst(old.name, _BURST)
        self._orders.finish(old.name)
        self._tell(f"{_BURST:,} last orders are on {old.name}; all others go to {new.name}")
        self._list(new)
        self._until(f"the query leaves {old.name}", lambda: old.name not in self._states())
        arrived = self._arrived(new)
        self._until(f"orders come from {new.name} alone", lambda: self._arrived(new) >= arrived + _PER_PHASE)

        self._orders.stop()
        self._orders.finish(new.name)
        self._tell("no more orders")
        self._until("all orders are there", lambda: self._arrived() >= len(self._orders.sent))
        return self._query

    def _list(self, *brokers: Broker) -> None:
        write_streams(self._streams, *brokers)
        self._listed = brokers
        self._tell(f"streams.yaml says: orders is on {' and '.join(one.name for one in brokers)}")

    def _tell(self, text: str) -> None:
        self._events.append((time.time(), text))

    def _arrived(self, broker: Broker | None = None) -> int:
        arrived = self._query.arrived()
        return arrived.total() if broker is None else arrived[broker.name]

    def _states(self) -> dict[str, str]:
        return {row.cluster: row.state for row in self._query.progress().rows()}

    def _until(self, claim: str, reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        while not reached():
            self._check()
            self._show()
            if time.monotonic() > deadline:
                raise SetupError(
                    f"Waited {_TIMEOUT_SECONDS} s in vain until {claim}. To keep its logs, name a --folder."
                )
            time.sleep(_CHECK_EVERY_SECONDS)
        self._show()

    def _show(self) -> None:
        found = self._query.progress()
        reported = {row.cluster: row for row in found.rows()}
        written, arrived = self._orders.count(), self._query.arrived()
        lines = []
        for one in self._brokers:
            line = Line(one.name, one in self._listed, written[one.name], arrived[one.name])
            row = reported.get(one.name)
            lines.append(line if row is None else line.reporting(row))
        seen = [(change.at.timestamp(), f"the query saw {change.what}") for change in found.changes]
        events = sorted([*self._events, *seen])
        self._screen.show(
            time.time() - self._began, lines, [f"{at - self._began:6.1f} s  {text}" for at, text in events]
        )
