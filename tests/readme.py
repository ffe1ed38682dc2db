"""The examples of README.md, of `docs/start.md` and of `examples`, and programs that run them as they stand there."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlparse

from dynamic_kafka._brokers.supervised import Supervised

from tests.cluster import KafkaCluster, NotYet
from tests.scenarios import quick_spark

ROOT = Path(__file__).resolve().parents[1]
START = ROOT / "docs" / "start.md"
# Records of the topic `orders` on the first cluster and on the second.
IN_FIRST = 100
IN_SECOND = 50
_WITH_ADDRESSES = {".yaml", ".properties", ".sql", ".md"}
# No page of Spark's; and a query without a trigger looks for news five times a second, not a hundred times.
_CALM = "-Dspark.ui.enabled=false -Dspark.sql.streaming.pollingDelay=200ms"


def examples(language: str, page: Path = ROOT / "README.md") -> list[str]:
    """The blocks of one language, in their order. Raises ``LookupError`` if there is none."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    if not blocks:
        raise LookupError(f"{page} has no block of {language}.")
    return blocks


class Steps:
    """The blocks of a page from top to bottom. A test takes each of them, in its order, so that it leaves none out.

    Two things are changed: the addresses of clusters, to those of real ones, and how long a reader waits until a new
    file is seen.
    """

    def __init__(self, page: Path, clusters: Sequence[KafkaCluster]) -> None:
        text = _with_addresses(page.read_text(), clusters).replace('"10s"', '"1s"')
        self._left = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    def take(self, language: str) -> str:
        """The next block. Raises ``LookupError`` if it is none of this language."""
        found, text = self._left.pop(0) if self._left else ("nothing", "")
        if found != language:
            raise LookupError(f"The next block is not of {language} but of {found}:\n{text}")
        return str(text)

    def left(self) -> list[str]:
        """The languages of the blocks that were not taken yet."""
        return [language for language, _ in self._left]


def streams_files(clusters: Sequence[KafkaCluster], page: Path = ROOT / "README.md") -> list[str]:
    """The YAML files of a page, with the addresses of real clusters."""
    return [_with_addresses(text, clusters) for text in examples("yaml", page)]


def replace(path: Path, text: str) -> None:
    """Puts a file in place as a whole."""
    draft = path.with_suffix(".draft")
    draft.write_text(text)
    draft.replace(path)


def copied(example: str, clusters: Sequence[KafkaCluster], into: Path) -> str:
    """Copies a folder of `examples`, with the addresses of real clusters. Returns the command that its README names."""
    no_leftovers = shutil.ignore_patterns("target", "__pycache__")
    shutil.copytree(ROOT / "examples" / example, into, ignore=no_leftovers, dirs_exist_ok=True)
    for file in into.rglob("*"):
        if file.suffix in _WITH_ADDRESSES:
            file.write_text(_with_addresses(file.read_text(), clusters))
    (command,) = examples("sh", into / "README.md")
    return command


def _with_addresses(text: str, clusters: Sequence[KafkaCluster]) -> str:
    for number, cluster in enumerate(clusters, start=1):
        text = text.replace(f"kafka-{number}.example.com:9092", cluster.bootstrap_servers)
    return text


Started = TypeVar("Started", bound="Program")


class Program:
    """A command that runs in a folder, with what it prints kept in ``<folder>/output.txt``; gone with all its children
    at the end."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._command = command
        self._folder = folder
        of_spark = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_SUBMIT_OPTS": f"{quick_spark.java_options()} {_CALM}"}
        self._environment = {**of_spark, **(environment or {})}
        self._printed = folder / "output.txt"

    def __enter__(self: Started) -> Started:
        self._printed.unlink(missing_ok=True)
        self._process = Supervised(self._command, self._printed, self._environment, self._folder)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()

    def printed(self) -> str:
        return self._printed.read_text(errors="replace")

    def end(self, within: float) -> int:
        """Waits until it ends by itself, and returns its exit code."""
        return self._process.end(within)

    def signal(self, name: str) -> None:
        """To the program alone, not to its children."""
        self._process.signal(name)

    def check(self) -> None:
        """Raises ``RuntimeError`` if the program ended by itself."""
        if not self._process.runs():
            raise RuntimeError(f"The program ended with {self._process.end(0)}:\n{self.printed()[-4000:]}")

    def read_from(self) -> Counter[str]:
        """How many rows the example has written so far, by cluster. Raises ``RuntimeError`` if the program ended."""
        self.check()
        return Counter(str(row["cluster"]) for row in rows_of(self._folder / "orders"))


def printed_by(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None, *, within: float, code: int = 0
) -> str:
    """What a command prints that ends by itself, with this exit code."""
    with Program(command, folder, environment) as program:
        assert program.end(within) == code, program.printed()[-6000:]
        return program.printed()


def rows_of(sink: Path) -> list[dict[str, object]]:
    """The rows in a folder that Spark's JSON sink writes: of committed files alone, which its log names."""
    log = sink / "_spark_metadata"
    if not log.is_dir():
        raise NotYet(f"{log} is not there yet")
    entries = [line for file in log.glob("[0-9]*") for line in file.read_text().splitlines() if line.startswith("{")]
    files = {unquote(urlparse(json.loads(entry)["path"]).path) for entry in entries}
    return [json.loads(line) for file in files for line in Path(file).read_text().splitlines()]
