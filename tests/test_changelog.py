"""CHANGELOG.md is a page that a user reads in two minutes a release, not a diary."""

import re

import pytest

from tests.readme import ROOT

_PARTS = re.split(r"^## (.+)\n", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
RELEASES = dict(zip(_PARTS[::2], _PARTS[1::2], strict=True))
# Of one release, at the speed of someone who reads in a foreign language.
MOST_WORDS = 800


@pytest.mark.parametrize("release", RELEASES)
def test_each_heading_is_a_version_and_its_date_alone(release: str) -> None:
    # The build looks for the last release here, and `make check` compares with it. It refuses any other heading, too.
    assert re.fullmatch(r"\d+\.\d+\.\d+, (not released yet|\d{4}-\d\d-\d\d)", release)


@pytest.mark.parametrize("release", RELEASES)
def test_each_topic_is_there_once_and_a_release_is_short(release: str) -> None:
    text = RELEASES[release]
    topics = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert sorted(topics) == sorted(set(topics))
    assert len(text.split()) < MOST_WORDS
