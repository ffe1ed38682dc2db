"""The classes of ``tests/java``, compiled once."""

import subprocess
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pyspark

from tests.cluster.made_once import made_once

_SOURCES = sorted((Path(__file__).resolve().parents[1] / "java").glob("*.java"))
# What MakeKeys calls is no public part of the JDK.
KEYTOOL = "--add-exports=java.base/sun.security.tools.keytool=ALL-UNNAMED"


def helpers_jar() -> Path:
    """A jar with all of them."""
    texts = "".join(source.read_text() for source in _SOURCES)
    return made_once("helpers.jar", _compile, of=texts + pyspark.__version__)


def _compile(jar: Path) -> None:
    (hadoop,) = (Path(pyspark.__file__).parent / "jars").glob("hadoop-client-api-*.jar")
    with TemporaryDirectory() as classes, zipfile.ZipFile(jar, "w") as archive:
        command = ["javac", KEYTOOL, "-cp", str(hadoop), "-d", classes]
        subprocess.run([*command, *map(str, _SOURCES)], check=True)
        for compiled in sorted(Path(classes).rglob("*.class")):
            archive.write(compiled, compiled.relative_to(classes))
