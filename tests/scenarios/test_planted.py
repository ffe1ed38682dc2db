"""The search for secrets finds what it looks for."""

import base64
import uuid
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.scenarios.planted import Planted
from tests.scenarios.session import PLANTED


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planted:
    monkeypatch.setenv(PLANTED, f"planted-{uuid.uuid4().hex}")
    return Planted(tmp_path)


def test_each_secret_is_found_as_it_is_in_an_address_and_in_base64_wherever_it_stands(planted: Planted) -> None:
    for way, secret in planted.by_way.items():
        forms = [secret, quote(secret, safe="")]
        for before in ("", "x", "xy", "xyz"):
            longer = f"{before}{secret} and more".encode()
            forms += [base64.b64encode(longer).decode(), base64.urlsafe_b64encode(longer).decode()]
        for form in forms:
            assert [found.split(":")[0] for found in planted.found(f"before {form} after")] == [way], form
    assert planted.found(f"{planted.control} and nothing else") == []
    assert planted.shows(f"<{planted.control}>")


def test_each_secret_is_among_the_properties_or_behind_a_placeholder_of_theirs(
    planted: Planted, tmp_path: Path
) -> None:
    given = "".join((planted.properties() | planted.options()).values())
    behind = "".join(path.read_text() for path in tmp_path.iterdir())
    for way, secret in planted.by_way.items():
        assert secret in given + behind or way == "environment", way
    assert f"${{env:{PLANTED}}}" in given
