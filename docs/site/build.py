"""Builds the documentation as a site: `make site` runs it.

The pages of `docs` are written for two readers of Markdown, GitHub and Sphinx. So they are first put together in
`build/site-pages`: the pages themselves, files of the repository that become pages, and the first page of each section.
Links out of `docs` lead to the repository, drawings are put into their page, so that they follow its theme, and blocks
of the same in several languages become tabs. The search leaves out what is below `internals`.
"""

import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from tabs import with_tabs

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
HERE = DOCS / "site"
PAGES = ROOT / "build" / "site-pages"
SITE = ROOT / "build" / "site"
JVM = ROOT / "jvm" / "target" / "scala-2.13" / "api"

JVM_LINK = '<p><a href="../jvm-api/io/github/dynamickafka/spark/index.html">The Scaladoc</a> has all methods.</p>'

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
DRAWING = re.compile(r"^!\[[^\]]*\]\((?:\.\./)*(drawings/[\w-]+\.svg)\)$", re.MULTILINE)
API = re.compile(r"^<!-- api: ([\w.]+): (.+) -->$", re.MULTILINE)
FENCE = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)

PICTURES = {".svg", ".png", ".gif", ".jpg"}

Section = dict[str, Any]

# The package itself, as it is here.
sys.path.insert(0, str(ROOT / "python" / "src"))


def main() -> None:
    put_together()
    # What is not made any more must not stay.
    shutil.rmtree(SITE, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-c", str(HERE), "-d", str(ROOT / "build" / "site-cache")]
    ended = subprocess.run([*command, "-W", "--keep-going", "-q", str(PAGES), str(SITE)], check=False)
    if ended.returncode:
        sys.exit(ended.returncode)
    if JVM.is_dir():
        shutil.copytree(JVM, SITE / "jvm-api", dirs_exist_ok=True)
    print(f"The site: {SITE / 'index.html'}")


def sections() -> list[Section]:
    """The navigation without pages that are expected, but not there yet."""
    found: list[Section] = yaml.safe_load((HERE / "navigation.yaml").read_text(encoding="utf-8"))
    for section in found:
        section["pages"] = [one for one in section["pages"] if not one.get("expected") or (DOCS / one["path"]).exists()]
    return found


def put_together() -> None:
    """Writes what has changed alone, so that Sphinx reads only that again."""
    there = {name: of_search(name) + text for name, text in pages()}
    for name, text in there.items():
        file = PAGES / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    for file in PAGES.rglob("*.md"):
        if str(file.relative_to(PAGES)) not in there:
            file.unlink()
    for picture in (file for file in DOCS.rglob("*") if file.suffix in PICTURES):
        (PAGES / picture.relative_to(DOCS)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(picture, PAGES / picture.relative_to(DOCS))


def pages() -> Iterator[tuple[str, str]]:
    """Each page of the site by its path, with its text."""
    navigation = sections()
    yield "index.md", page("index.md") + toctree([f"/{first_page(section)}" for section in navigation])
    for section in navigation:
        paths = [f"/{one['path']}" for one in section["pages"]]
        above = page(section["page"]) if "page" in section else of_section(section)
        yield first_page(section), above + toctree(paths)
        for one in section["pages"]:
            children = below(one["path"])
            yield one["path"], page(one["path"], one.get("from")) + (toctree(children) if children else "")
            for child in children:
                path = str(Path(one["path"]).parent / child)
                yield path, page(path)


def of_search(path: str) -> str:
    """The front matter by which Sphinx leaves a page out of its index for searching."""
    return "---\nnosearch: true\n---\n\n" if path.startswith("internals/") else ""


def below(path: str) -> list[str]:
    """A page in a folder called `index` has the others of the folder below it, in the order of its links."""
    if not path.endswith("/index.md"):
        return []
    folder = (DOCS / path).parent
    linked = re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / path).read_text(encoding="utf-8"))
    return list(dict.fromkeys(linked)) + sorted({file.name for file in folder.glob("*.md")} - {"index.md", *linked})


def first_page(section: Section) -> str:
    return str(section.get("page") or section["path"])


def of_section(section: Section) -> str:
    folder = Path(section["path"]).parent
    lines = [f"- [{title(one)}]({os.path.relpath(one['path'], folder)}): {one['why']}" for one in section["pages"]]
    return f"# {section['title']}\n\n{section['intro']}\n\n" + "\n".join(lines) + "\n"


def title(one: dict[str, str]) -> str:
    text = (ROOT / one["from"] if "from" in one else DOCS / one["path"]).read_text(encoding="utf-8")
    return text.partition("\n")[0].removeprefix("# ")


def toctree(paths: list[str]) -> str:
    """A path that begins with a slash is from the top of the site."""
    return "\n```{toctree}\n:hidden:\n\n" + "\n".join(paths) + "\n```\n"


def page(path: str, outside: str | None = None) -> str:
    """A page with its links and drawings as the site needs them."""
    file = ROOT / outside if outside else DOCS / path
    parts = FENCE.split(file.read_text(encoding="utf-8"))
    # Every second part is a block of code.
    return with_tabs(
        "".join(part if number % 2 else on_the_site(part, file, path) for number, part in enumerate(parts))
    )


def on_the_site(text: str, file: Path, path: str) -> str:
    def moved(link: re.Match[str]) -> str:
        label, target, anchor = link.groups(default="")
        if label.endswith(".md"):
            label = heading((file.parent / target).resolve(), anchor.removeprefix("#"))
        return f"[{label}]({moved_target(target, file, path)}{anchor})"

    text = DRAWING.sub(lambda found: drawing(found[1]), LINK.sub(moved, text))
    text = text.replace("<!-- jvm-api -->", JVM_LINK if JVM.is_dir() else "")
    return API.sub(lambda found: python_api(found[1], found[2].split()), text)


def heading(page: Path, anchor: str) -> str:
    """What a link that is named by its file is called on the site: the heading to which it leads."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"): text for text in reversed(headings)}
    return str(slugs.get(anchor, headings[0]))


def moved_target(target: str, file: Path, path: str) -> str:
    if re.match(r"[a-z]+:", target):
        return target
    there = (file.parent / target).resolve()
    become = {ROOT / one["from"]: one["path"] for section in sections() for one in section["pages"] if "from" in one}
    inside = become.get(there)
    if inside is None and there.is_relative_to(DOCS) and there.suffix in (".md", ".svg"):
        inside = str(there.relative_to(DOCS))
    if inside is not None:
        return os.path.relpath(inside, Path(path).parent)
    kind = "tree" if there.is_dir() else "blob"
    return f"{repository()}/{kind}/main/{there.relative_to(ROOT)}"


def repository() -> str:
    """Where the repository is, as the package says."""
    named = re.findall(
        r'^Source = "(.+)"$', (ROOT / "python" / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    return named[0] if named else "https://github.com/dynamickafka/dynamic-kafka-spark"


def drawing(path: str) -> str:
    """The drawing itself, as one block of HTML, which must have no empty line."""
    text = (DOCS / path).read_text(encoding="utf-8")
    lines = "\n".join(line for line in text.splitlines() if line.strip())
    return f'<div class="drawing-frame">\n{lines}\n</div>'


def python_api(module: str, names: list[str]) -> str:
    """What Sphinx's autodoc makes a reference of. `*` stands for all public names of a module."""
    there = importlib.import_module(module)
    lines = []
    for name in there.__all__ if names == ["*"] else names:
        value = getattr(there, name)
        kind = "class" if isinstance(value, type) else "function" if callable(value) else "data"
        members = "\n   :members:\n   :inherited-members: Exception, dict" if kind == "class" else ""
        lines.append(f".. auto{kind}:: {module}.{name}{members}\n")
    return "```{eval-rst}\n" + "\n".join(lines) + "```"


if __name__ == "__main__":
    main()
