"""Where `make release` put what it built."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The one of the release, in place of `make wheel`'s."""
    (built,) = Path(os.environ["RELEASE_PYTHON"]).glob("*.whl")
    return built


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(os.environ["RELEASE_MAVEN"])
