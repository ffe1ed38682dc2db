"""What tests need and is the same in each run: kept in ``build/made-once``, where ``make clean`` removes it."""

from functools import partial
from pathlib import Path

from dynamic_kafka._brokers import made_once as everywhere

made_once = partial(everywhere.made_once, within=Path(__file__).resolve().parents[2] / "build" / "made-once")
