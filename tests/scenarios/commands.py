"""Commands of `dynamic-kafka`, each as a process of its own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.scenarios.session import KAFKA_PASSWORD


def command(*arguments: str | Path) -> tuple[int, Any]:
    """The exit code of a command, and its JSON."""
    run = [sys.executable, "-m", "dynamic_kafka.cli", *map(str, arguments), "--json"]
    ended = subprocess.run(run, capture_output=True, text=True, check=False)
    assert KAFKA_PASSWORD not in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.returncode, json.loads(ended.stdout)


def printed(*arguments: str | Path) -> str:
    """What a command prints where there are 80 columns; each table fits, whatever the paths around it."""
    run = [sys.executable, "-m", "dynamic_kafka.cli", *map(str, arguments)]
    narrow = {**os.environ, "COLUMNS": "80"}
    ended = subprocess.run(run, capture_output=True, text=True, check=False, env=narrow)
    assert max((len(line) for line in ended.stdout.splitlines() if re.match(r" \S", line)), default=0) <= 80
    return ended.stdout
