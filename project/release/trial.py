"""Installs what was built where nothing of it is yet, and runs the queries of docs/start.md on real brokers."""

import sys

from project.release.place import ROOT, Place, maven, python, run

_PYTEST = ["-m", "pytest", "-c", "python/pyproject.toml", "--rootdir=.", "--timeout=600", "-m", "release"]


def run_examples(place: Place) -> str:
    """By `tests/release/test_trial.py`. Returns the last line of its report."""
    where = {"RELEASE_MAVEN": str(maven(place.source)), "RELEASE_PYTHON": str(python(place.source))}
    printed = run([sys.executable, *_PYTEST, "tests/release"], ROOT, {**where, "RELEASE_VERSION": place.version})
    return printed.splitlines()[-1].strip("= ")
