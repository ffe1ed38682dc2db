"""Blocks of the same in several languages, as tabs.

In Markdown each of them stands below its language: ``**Python**``, or ``**Python**: how to run it``. Blocks that follow
each other in this way become one set of tabs. Who chooses a language once gets it in all sets of all pages.
"""

import re

_TAB = re.compile(
    r"^\*\*(?P<language>Python|Scala|Java|SQL)\*\*(?P<text>[^\n]*(?:\n[^\n]+)*)\n\n(?P<block>```\w+\n.*?^```)$",
    re.MULTILINE | re.DOTALL,
)
Tab = re.Match[str]


def with_tabs(page: str) -> str:
    """The page with its sets of tabs. A block alone stays as it is."""
    parts, end = [], 0
    for tabs in _sets(page):
        parts += [page[end : tabs[0].start()], _set_of(tabs)]
        end = tabs[-1].end()
    return "".join([*parts, page[end:]])


def _sets(page: str) -> list[list[Tab]]:
    found: list[list[Tab]] = []
    for tab in _TAB.finditer(page):
        if found and not page[found[-1][-1].end() : tab.start()].strip():
            found[-1].append(tab)
        else:
            found.append([tab])
    return [tabs for tabs in found if len(tabs) > 1]


def _set_of(tabs: list[Tab]) -> str:
    items = "\n\n".join(_item(tab) for tab in tabs)
    return f"`````{{tab-set}}\n:sync-group: language\n\n{items}\n`````"


def _item(tab: Tab) -> str:
    language = tab["language"]
    text = tab["text"].removeprefix(":").strip()
    body = "\n\n".join(part for part in (text[:1].upper() + text[1:], tab["block"]) if part)
    return f"````{{tab-item}} {language}\n:sync: {language.lower()}\n\n{body}\n````"
