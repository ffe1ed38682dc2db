"""Looks through a built site: each link leads to a page and a place in it, nothing is fetched from elsewhere, and the
search finds no page of those who work on the source.

python docs/site/links.py build/site
"""

import json
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

# What a browser fetches by itself, by element.
FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
# Links of these kinds are only read by machines.
NAMES_ONLY = {"canonical", "author", "license"}


class Page(HTMLParser):
    """The links, the places and what is fetched, of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        self.places |= {has[name] for name in ("id", "name") if name in has}
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        if FETCHED.get(tag) in has and has.get("rel") not in NAMES_ONLY:
            self.fetched.append(has[FETCHED[tag]])


def main() -> None:
    site = Path(sys.argv[1]).resolve()
    # The JVM's pages are made by another tool, and link to each other as that tool likes. They are only linked to.
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    ours = [file for file in pages if "jvm-api" not in file.relative_to(site).parts]
    problems = [f"{file.relative_to(site)}: {problem}" for file in ours for problem in broken(file, pages)]
    problems += [
        f"{file.relative_to(site)}: fetches {address}"
        for file, page in pages.items()
        for address in page.fetched
        if address.startswith(("http:", "https:", "//"))
    ]
    problems += [f"{name}: the search finds it" for name in searched(site) if name.startswith("internals/")]
    print(
        "\n".join(problems) or f"links: all of {len(ours)} pages lead somewhere, and nothing is fetched from elsewhere"
    )
    sys.exit(1 if problems else 0)


def broken(file: Path, pages: dict[Path, Page]) -> Iterator[str]:
    for link in pages[file].links:
        path, place = urldefrag(link)
        if ":" in path.partition("/")[0]:
            continue
        target = (file.parent / unquote(path)).resolve() if path else file
        if target.is_dir():
            target /= "index.html"
        if not target.exists():
            yield f"{link} leads nowhere"
        elif target in pages and unquote(place) not in pages[target].places:
            yield f"{link}: there is no such place"


def searched(site: Path) -> list[str]:
    """The pages that Sphinx's index for searching leads to, by a word or by a heading."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    words = [found for kind in ("terms", "titleterms") for found in index[kind].values()]
    numbers = {number for found in words for number in (found if isinstance(found, list) else [found])}
    numbers |= {number for headings in index["alltitles"].values() for number, _ in headings}
    return [index["docnames"][number] for number in sorted(numbers)]


if __name__ == "__main__":
    main()
