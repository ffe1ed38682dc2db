"""Links between pages lead somewhere, the site shows each page, and none is longer than somebody reads."""

import ast
import importlib
import json
import re
import textwrap
from pathlib import Path

import dynamic_kafka
import pytest
import yaml

from tests.pages import ROOT, anchors, broken_links, forms_of_offsets, pages
from tests.rows import COLUMNS

DOCS = ROOT / "docs"
SECTIONS = yaml.safe_load((DOCS / "site" / "navigation.yaml").read_text(encoding="utf-8"))
LISTED = [one for section in SECTIONS for one in section["pages"]]
# Two hours of reading, code and all.
MOST_WORDS = 25_000
_RELEASES = re.split(r"^## (.+)\n", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
RELEASES = dict(zip(_RELEASES[::2], _RELEASES[1::2], strict=True))
# A release is two minutes of CHANGELOG.md, at the speed of someone who reads in a foreign language.
MOST_OF_A_RELEASE = 800


def test_each_link_leads_to_a_file_and_a_heading_that_are_there() -> None:
    assert len(pages()) > 40
    assert [problem for page in pages() for problem in broken_links(page)] == []


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("gone.md", "no such file"),
        ("other.md#gone", "no such heading"),
        ("#gone", "no such heading"),
        ("#in-a-block", "no such heading"),
    ],
)
def test_a_broken_link_is_found(tmp_path: Path, link: str, problem: str) -> None:
    (tmp_path / "other.md").write_text("# Other\n")
    page = tmp_path / "page.md"
    page.write_text(
        f"# Page\n\n[here]({link}) [good](other.md#other) [far](https://example.com)\n\n```\n# in a block\n```\n"
    )
    (found,) = broken_links(page)
    assert problem in found


def test_anchors_are_those_of_github(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `kafka.<key>`, and more_so\n## Twice\n## Twice\n## With [a link](x.md)\n")
    assert anchors(page) == {"a-kafkakey-and-more_so", "twice", "twice-1", "with-a-link"}


def test_each_block_of_python_parses_and_imports_what_there_is() -> None:
    found = [(page.name, block) for page in pages() for block in blocks_of_python(page)]
    assert len(found) > 20
    imported = [(page, *one) for page, block in found for one in imports(block)]
    assert len(imported) > 10
    wrong = [one for one in imported if not hasattr(importlib.import_module(one[1]), one[2])]
    assert wrong == []


def blocks_of_python(page: Path) -> list[str]:
    blocks = re.findall(r"^ *```python\n(.*?)^ *```$", page.read_text(), re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block) for block in blocks]


def imports(block: str) -> list[tuple[str, str]]:
    """What a block takes from our package, by module and name."""
    parsed = [one for one in ast.walk(ast.parse(block)) if isinstance(one, ast.ImportFrom)]
    ours = [one for one in parsed if one.module and one.module.partition(".")[0] == "dynamic_kafka"]
    return [(str(one.module), name.name) for one in ours for name in one.names]


def test_the_first_page_of_the_site_shows_the_query_of_the_readme() -> None:
    (block,) = blocks_of_python(DOCS / "index.md")
    readme = blocks_of_python(ROOT / "README.md")[0].splitlines()
    assert [line for line in block.splitlines() if line not in readme] == []


def test_the_site_shows_each_page() -> None:
    own = {section.get("page") for section in SECTIONS}
    listed = {one["path"] for one in LISTED} | own | {"index.md"}
    there = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert {page for page in there if not page.startswith("internals/decisions/")} - listed == set()


def test_the_pages_for_users_are_no_longer_than_somebody_reads() -> None:
    files = [ROOT / "README.md", *DOCS.glob("*.md"), *(DOCS / "reference").glob("*.md")]
    words = {file.name: len(file.read_text().split()) for file in files}
    assert len(words) > 25
    assert sum(words.values()) <= MOST_WORDS, words


def test_each_page_that_the_site_lists_is_there_or_expected() -> None:
    missing = [one["path"] for one in LISTED if not (DOCS / one["path"]).exists()]
    assert [
        path for path in missing if not any(one["path"] == path and set(one) & {"from", "expected"} for one in LISTED)
    ] == []


def test_the_page_of_python_has_each_public_name() -> None:
    page = (DOCS / "reference" / "python.md").read_text()
    named = {
        module: set(names.split())
        for module, names in re.findall(r"^<!-- api: ([\w.]+): (.+) -->$", page, re.MULTILINE)
    }
    for names in re.findall(r"^<!-- api: dynamic_kafka: (.+) -->$", page, re.MULTILINE):
        named["dynamic_kafka"] |= set(names.split())
    assert named["dynamic_kafka"] == set(dynamic_kafka.__all__) - {"DynamicKafkaError"}
    assert named["dynamic_kafka.migrate"] == named["dynamic_kafka.testing"] == {"*"}


def test_the_page_of_the_jvm_has_each_public_type() -> None:
    page = (DOCS / "reference" / "jvm.md").read_text()
    folders = [ROOT / "jvm/src/main" / language / "io/github/dynamickafka/spark" for language in ("java", "scala")]
    types = {file.stem for folder in folders for file in folder.iterdir() if file.suffix in (".java", ".scala")}
    kit = (ROOT / "jvm/testing/src/main").rglob("*.java")
    types |= {file.stem for file in kit if "public final class" in file.read_text()}
    assert types >= {"KafkaStream", "KafkaTestbed"}
    assert {name for name in types if f"`{name}`" not in page} == set()


def test_the_page_of_rows_has_each_column_with_its_type() -> None:
    page = (DOCS / "reference" / "rows.md").read_text()
    assert re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", page, re.MULTILINE) == COLUMNS


def test_the_page_of_concepts_has_each_state_of_a_cluster() -> None:
    code = (ROOT / "jvm/src/main/scala/io/github/dynamickafka/spark/metrics/ClusterState.scala").read_text()
    states = re.findall(r'extends ClusterState\("(\w+)"\)', code)
    assert len(states) > 5
    section = (DOCS / "concepts.md").read_text().partition("\n## The state of a cluster\n")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == sorted([*states, "removed"])


def test_each_form_on_the_page_of_offsets_is_a_word_or_json() -> None:
    for form in forms_of_offsets():
        assert form in ("earliest", "latest") or isinstance(json.loads(form), dict), form


@pytest.mark.parametrize("release", RELEASES)
def test_each_heading_is_a_version_and_its_date_alone(release: str) -> None:
    # The build looks for the last release here, and `make check` compares with it. It refuses any other heading, too.
    assert re.fullmatch(r"\d+\.\d+\.\d+, (not released yet|\d{4}-\d\d-\d\d)", release)


@pytest.mark.parametrize("release", RELEASES)
def test_each_topic_is_there_once_and_a_release_is_short(release: str) -> None:
    text = RELEASES[release]
    topics = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert sorted(topics) == sorted(set(topics))
    assert len(text.split()) < MOST_OF_A_RELEASE
