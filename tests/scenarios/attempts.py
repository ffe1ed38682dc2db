"""How drivers that are killed write down what they read."""

import json
import os
from pathlib import Path

from pyspark.sql import DataFrame


class Attempt:
    """One start of a driver. ``FOLDER/table/<batch>-<attempt>.json`` holds the rows of a batch as a JSON list of lists:
    the value, which is an id, and these columns. The number of the attempt goes up with each start."""

    def __init__(self, folder: Path, *columns: str) -> None:
        self._table = folder / "table"
        self._table.mkdir(parents=True, exist_ok=True)
        self._columns = columns
        self.number = 1 + max((int(path.stem.split("-")[1]) for path in self._table.glob("*.json")), default=0)

    def keep(self, batch: DataFrame, batch_id: int) -> None:
        """For `foreachBatch`."""
        rows = [[bytes(row["value"]).decode(), *(row[name] for name in self._columns)] for row in batch.collect()]
        draft = self._table / f"{batch_id}-{self.number}.draft"
        draft.write_text(json.dumps(rows))
        os.replace(draft, draft.with_suffix(".json"))  # noqa: PTH105 - so that no half file is seen
