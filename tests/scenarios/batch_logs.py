"""Which batches a checkpoint has logged, and which of them are committed."""

from pathlib import Path


class BatchLogs:
    """The logs `offsets` and `commits` of one checkpoint."""

    def __init__(self, checkpoint: Path) -> None:
        self._checkpoint = checkpoint

    def numbers(self, log: str) -> list[int]:
        """The batches of a log, in ascending order."""
        return sorted(int(path.name) for path in (self._checkpoint / log).glob("[0-9]*") if path.name.isdigit())

    def all_committed(self) -> bool:
        """Whether there are batches, and none is logged and not committed."""
        return self.numbers("offsets")[-1:] == self.numbers("commits")[-1:] != []

    def leave_over(self, number: int) -> None:
        """Makes them what they would be if the query had been killed between the log of this batch and its commit."""
        for later in self.numbers("offsets"):
            if later > number:
                self.take_off("offsets", later)
        for done in self.numbers("commits"):
            if done >= number:
                self.take_off("commits", done)

    def take_off(self, log: str, number: int) -> None:
        """Takes a batch off a log."""
        (self._checkpoint / log / str(number)).unlink()
        (self._checkpoint / log / f".{number}.crc").unlink(missing_ok=True)
