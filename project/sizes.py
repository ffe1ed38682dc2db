"""Checks that no file, function or list of parameters has outgrown its limit."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Lines of a file, by its ending.
FILES = {".scala": 300, ".java": 300, ".py": 350}
# Of a Python function. Scala's are left to the reader: counting them takes a parser.
LINES = 40
PARAMETERS = 7
COMMANDS = "python/src/dynamic_kafka/cli"
# Written by a program for a program.
GENERATED = {"_options.py", "_option_methods.py"}
FOLDERS = ("jvm", "python", "tests", "project", "bench", "examples", "docs")


def main() -> None:
    problems = [problem for file in sources() for problem in too_large(file)]
    print("\n".join(problems) or "sizes: all within their limits")
    sys.exit(1 if problems else 0)


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            built = {"target", "dist"} & set(file.relative_to(ROOT).parts)
            if file.suffix in FILES and file.name not in GENERATED and not built:
                yield file


def too_large(file: Path) -> Iterator[str]:
    name, text = file.relative_to(ROOT), file.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    if lines > FILES[file.suffix]:
        yield f"{name}: {lines} lines; at most {FILES[file.suffix]}. Cut it where its name would need an `and`."
    if file.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from outgrown(f"{name}:{node.lineno} {node.name}", node)


def outgrown(where: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    parameters = sum(argument.arg not in ("self", "cls") for argument in given)
    if lines > LINES:
        yield f"{where}: {lines} lines; at most {LINES}. Give its parts names."
    # Nobody passes a test's parameters, the fixtures that it names, or a command's: they are the options of its users.
    passed = (
        not function.name.startswith("test_")
        and where != f"{COMMANDS}/{function.name}.py:{function.lineno} {function.name}"
    )
    if parameters > PARAMETERS and passed:
        yield f"{where}: {parameters} parameters; at most {PARAMETERS}. Name a record of them."


if __name__ == "__main__":
    main()
