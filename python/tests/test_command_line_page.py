"""docs/command-line.md: its examples print what stands there, and it has all commands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from dynamic_kafka.cli._app import app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"
FILE = re.compile(r"`(\w+\.yaml)`:\n\n```yaml\n(.*?)```", re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def sessions() -> list[str]:
    return CONSOLE.findall(PAGE.read_text())


def commands(session: str) -> list[tuple[str, str]]:
    """Each command, with what follows it."""
    parts = re.split(r"^\$ (.*)\n", session, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def test_each_example_prints_what_the_page_shows(tmp_path: Path) -> None:
    for name, text in FILE.findall(PAGE.read_text()):
        (tmp_path / name).write_text(text)
    ran = 0
    for session in sessions():
        code = 0
        for command, shown in commands(session):
            if command == "echo $?":
                assert str(code) == shown.strip()
                continue
            words = command.split()
            assert words[0] == "dynamic-kafka"
            run = [sys.executable, "-m", "dynamic_kafka.cli", *words[1:]]
            # As in a pipe, where no line is broken but those of tables.
            ended = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert ended.stderr == ""
            assert ended.stdout == shown
            code = ended.returncode
            ran += 1
    assert ran == 4


def test_each_command_has_its_section() -> None:
    headings = set(re.findall(r"^## ([a-z-]+)$", PAGE.read_text(), re.MULTILINE))
    assert {command.name for command in app.registered_commands} <= headings


def test_the_list_of_commands_cuts_nothing_off() -> None:
    run = [sys.executable, "-m", "dynamic_kafka.cli", "--help"]
    shown = subprocess.run(run, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"}).stdout
    listed = shown.partition("Commands:\n")[2].splitlines()
    assert len(listed) == 9
    assert [line for line in listed if not line.endswith(".") or line.endswith("...")] == []
