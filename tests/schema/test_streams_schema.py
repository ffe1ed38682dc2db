"""`docs/reference/streams.schema.json`: it takes the files that the JVM's reader takes, and refuses what it can see."""

import json
import re
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from tests.pages import ROOT, pages
from tests.schema.core_yaml import load

SCHEMA = json.loads((ROOT / "docs/reference/streams.schema.json").read_text())
STREAMS = Draft7Validator(SCHEMA)
# Tried on the JVM's reader by `StreamsSchemaSuite`.
SAMPLES: dict[str, Any] = yaml.safe_load((ROOT / "tests/schema/samples.yaml").read_text())
_CLUSTER = "- streamId: s\n  clusterMetadataList:\n  - clusterId: eu-1\n    bootstrapServers: b:1\n    topics: [t]\n"


def samples(kind: str) -> list[str]:
    return [*SAMPLES[kind].values(), *(f"{_CLUSTER}    {field}\n" for field in SAMPLES[f"{kind} fields"])]


def problems(text: str) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in STREAMS.iter_errors(load(text))]


def files() -> dict[str, str]:
    """Each file of streams in the pages, the examples and the stored ones of each version."""
    stored = [*(ROOT / "examples").glob("*/streams*.yaml"), *(ROOT / "tests/compat").glob("*/*.yaml")]
    found = {str(file.relative_to(ROOT)): file.read_text() for file in stored}
    for page in pages():
        blocks = re.findall(
            r"^ *```yaml\n((?:#[^\n]*\n)? *- streamId.*?)^ *```$", page.read_text(), re.MULTILINE | re.DOTALL
        )
        found |= {f"{page.name} {number}": text for number, text in enumerate(blocks)}
    return found


def test_the_schema_is_one() -> None:
    Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"].endswith("/docs/reference/streams.schema.json")


@pytest.mark.parametrize("text", samples("good"))
def test_what_the_reader_takes_the_schema_takes(text: str) -> None:
    assert problems(text) == []


@pytest.mark.parametrize("text", samples("bad"))
def test_what_is_wrong_in_itself_the_schema_refuses(text: str) -> None:
    assert problems(text)


@pytest.mark.parametrize("text", samples("blind"))
def test_what_a_schema_can_not_see_is_left_to_the_reader(text: str) -> None:
    assert problems(text) == []


def test_each_file_of_pages_examples_and_versions_is_taken() -> None:
    found = files()
    assert len(found) > 12
    # The command line shows what is wrong with this one.
    wrong = {name for name, text in found.items() if problems(text)}
    assert wrong == {name for name, text in found.items() if "colour: red" in text}


def test_the_page_tells_editors_where_the_schema_is() -> None:
    assert f"# yaml-language-server: $schema={SCHEMA['$id']}" in (ROOT / "docs/metadata.md").read_text()
