"""What a run asks of its driver."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Order:
    """``folder`` is where everything of the query lies, ``streams`` the metadata file, which a service written in
    Python reads if ``python``. The query's settings are those of the ``seed``, or those that never change of who is
    ``on_call``; ``cuts`` says that logs are cut off. ``session`` is what Spark's session gets beside the usual.
    ``sink`` is how a query in Real-Time Mode reaches its topic; without one, queries write the table."""

    folder: Path
    streams: Path
    stream: str
    seed: int
    python: bool
    session: Mapping[str, str]
    on_call: bool = False
    cuts: bool = False
    sink: Mapping[str, str] = field(default_factory=dict)

    @property
    def table(self) -> Path:
        return self.folder / "table"

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    @property
    def request(self) -> Path:
        """A file that asks the driver to stop the query and start it again."""
        return self.folder / "restart"

    @property
    def trouble(self) -> Path:
        """While this file is there, it says what the service in Python does instead of answering."""
        return self.folder / "trouble"

    @property
    def starts(self) -> Path:
        """Each start of a query, with its settings; one JSON object a line."""
        return self.folder / "starts.jsonl"

    @property
    def endings(self) -> Path:
        """What each query ended with that was not stopped, one JSON object a line."""
        return self.folder / "endings.jsonl"

    @property
    def losses(self) -> Path:
        """How many records a query counts as lost, each time that it is more; one JSON object a line."""
        return self.folder / "losses.jsonl"

    @property
    def progress(self) -> Path:
        """The query's last progress."""
        return self.folder / "progress.json"

    def write(self, path: Path) -> None:
        fields = {**asdict(self), "folder": str(self.folder), "streams": str(self.streams)}
        path.write_text(json.dumps(fields))

    @staticmethod
    def read(path: Path) -> "Order":
        fields = json.loads(path.read_text())
        return Order(**{**fields, "folder": Path(fields["folder"]), "streams": Path(fields["streams"])})
