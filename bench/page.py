"""Writes the results into a page, between two marks. The rest of the page is written by hand."""

from pathlib import Path

BEGIN = "<!-- measured: written by `make bench` -->"
END = "<!-- measured: end -->"


def put(page: Path, text: str) -> None:
    """Replaces the text between the marks. Raises ``ValueError`` unless the page has each of them once."""
    page.write_text(between(page.read_text(), text))


def between(page: str, text: str) -> str:
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise ValueError(f"The page must have {BEGIN!r} and then {END!r}, each once.")
    head, _, rest = page.partition(BEGIN)
    return f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}"
