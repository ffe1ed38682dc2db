"""Blocks of the same in several languages: tabs on the site, and readable without it."""

import re
import sys
from pathlib import Path

import pytest

from tests.pages import ROOT, pages

sys.path.insert(0, str(ROOT / "docs" / "site"))
from tabs import with_tabs

# What a language is called before a block, and as the block's own.
_LABELLED = re.compile(r"^\*\*(Python|Scala|Java|SQL)\*\*[^\n]*(?:\n[^\n]+)*\n\n```(\w+)$", re.MULTILINE)
PAGE = """# Page

**Python**: write it,
and run it:

```python
first
```

**Scala**

```scala
second
```

Text.

**SQL**

```sql
alone
```
"""


def test_blocks_that_follow_each_other_become_one_set_of_tabs_and_one_alone_stays() -> None:
    head, _, rest = with_tabs(PAGE).partition("`````{tab-set}\n:sync-group: language\n\n")
    tabs, _, tail = rest.partition("\n`````\n")
    assert head == "# Page\n\n"
    assert tabs.split("\n\n````{tab-item} ") == [
        "````{tab-item} Python\n:sync: python\n\nWrite it,\nand run it:\n\n```python\nfirst\n```\n````",
        "Scala\n:sync: scala\n\n```scala\nsecond\n```\n````",
    ]
    assert tail == "\nText.\n\n**SQL**\n\n```sql\nalone\n```\n"


@pytest.mark.parametrize("page", ["start.md", "recipes.md", "watermarks.md"])
def test_pages_where_a_user_begins_have_tabs(page: str) -> None:
    made = with_tabs((ROOT / "docs" / page).read_text())
    assert re.findall(r"^````\{tab-item\} (\w+)$", made, re.MULTILINE)[:2] == ["Python", "Scala"]


def test_a_block_is_of_the_language_that_stands_above_it_and_none_stands_alone() -> None:
    labelled = {page: _LABELLED.findall(page.read_text()) for page in pages()}
    assert sum(map(len, labelled.values())) > 7
    wrong = [(page.name, *one) for page, found in labelled.items() for one in found if one[0].lower() != one[1]]
    assert wrong == []
    assert [page.name for page in labelled if _LABELLED.search(without_tabs(page))] == []


def without_tabs(page: Path) -> str:
    """What is no tab of the page as the site has it."""
    return re.sub(r"^`````\{tab-set\}.*?^`````$", "", with_tabs(page.read_text()), flags=re.MULTILINE | re.DOTALL)
