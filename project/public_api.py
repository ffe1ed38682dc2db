"""Writes the public API as two texts, a line for each name: `python -m project.public_api`.

A change of one is a change of what users rely on. So the texts are kept in git, and a test compares them.
"""

import re
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import griffe

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ROOT / "python" / "public-api.txt"
JVM = ROOT / "jvm" / "public-api.txt"
JARS = ROOT / "python" / "src" / "dynamic_kafka" / "jars"

_TOP = "io/github/dynamickafka/spark/"
# The classes of the top package, and of `errors` those that users catch. What has a `$` is made by the compiler.
_PUBLIC_CLASS = re.compile(rf"{_TOP}(?:[A-Z][^/$]*|errors/(?:Condition|DynamicKafkaException))\.class")
# For the JVM this is public, too, but it names what is not.
_INTERNAL = re.compile(r"\$|dynamickafka\.spark\.(?!errors\.(?:Condition|DynamicKafkaException)\b)[a-z]")


def main() -> None:
    (jar,) = JARS.glob("*.jar")
    for file, text in ((PYTHON, of_python()), (JVM, of_jvm(jar))):
        file.write_text(text)
        print(f"wrote {file}")


def of_python(sources: Path = ROOT / "python" / "src") -> str:
    """The names that the public modules export, with their signatures, by what the source says."""
    package = load(sources)
    public = [module for name, module in sorted(package.modules.items()) if not name.startswith("_") and name != "cli"]
    lines = [line for module in [package, *public] for line in _exported(module)]
    return "\n".join(lines) + "\n"


def load(sources: Path) -> griffe.Module:
    package = griffe.load("dynamic_kafka", search_paths=[sources])
    assert isinstance(package, griffe.Module)
    return package


def _exported(module: griffe.Module) -> Iterator[str]:
    for name in sorted(str(one) for one in module.exports or ()):
        found = module[name]
        target = found.final_target if isinstance(found, griffe.Alias) else found
        if isinstance(target, griffe.Class):
            yield from _of_class(f"{module.path}.{name}", target)
        else:
            yield _line(f"{module.path}.{name}", target)


def _of_class(name: str, found: griffe.Class) -> Iterator[str]:
    bases = ", ".join(str(base) for base in found.bases)
    yield f"class {name}({bases})" if bases else f"class {name}"
    for member, one in sorted(found.all_members.items()):
        target = one.final_target if isinstance(one, griffe.Alias) else one
        if not member.startswith("_"):
            yield _line(f"{name}.{member}", target)
    if found.parameters:
        yield f"{name}{_parameters(found.parameters)}"


def _line(name: str, found: griffe.Object) -> str:
    if isinstance(found, griffe.Function):
        return f"{name}{_parameters(found.parameters)} -> {found.returns}"
    if isinstance(found, griffe.Attribute):
        alias = f" = {found.value}" if str(found.annotation) == "TypeAlias" else ""
        return f"{name}: {found.annotation}{alias}"
    return f"{name}: {found.kind.value}"


def _parameters(parameters: griffe.Parameters) -> str:
    # What Python shows of a function says it best: where `*` and `/` stand.
    return griffe.Function("", parameters=parameters).signature().removesuffix(" -> None")


def of_jvm(jar: Path) -> str:
    """What `javap` shows of the public classes. Members that are private in Scala alone are among them."""
    with zipfile.ZipFile(jar) as archive:
        names = sorted(name for name in archive.namelist() if _PUBLIC_CLASS.fullmatch(name))
    classes = [name.removesuffix(".class").replace("/", ".") for name in names]
    shown = subprocess.run(
        ["javap", "-public", "-cp", str(jar), *classes], check=True, capture_output=True, text=True
    ).stdout
    kept = [line for line in shown.splitlines() if line.startswith(("public", "}")) or _is_member(line)]
    return "\n".join(kept) + "\n"


def _is_member(line: str) -> bool:
    return line.startswith("  ") and not _INTERNAL.search(line)


if __name__ == "__main__":
    main()
