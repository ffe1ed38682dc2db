"""The folders that benchmarks read and write."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "bench"
SPARK_JARS = FOLDER / "jars" / "spark"
BARE_JARS = FOLDER / "jars" / "bare"
WORK = FOLDER / "work"
PAGE = ROOT / "docs" / "internals" / "measurements.md"
PICTURES = PAGE.with_suffix("")
HISTORY = PICTURES / "history"
