"""Where Java is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from dynamic_kafka.errors import NoJavaError

LEAST = 17


def java_program() -> str:
    """The one of JAVA_HOME, else of the PATH. Raises `NoJavaError` if there is none."""
    home = os.environ.get("JAVA_HOME")
    if home:
        java = Path(home, "bin", "java.exe" if os.name == "nt" else "java")
        if not java.is_file():
            raise NoJavaError(
                f"JAVA_HOME is {home}, where there is no bin/java. Set it to Java 17 or newer, or unset it."
            )
        return str(java)
    found = shutil.which("java")
    if found is None:
        raise NoJavaError(
            "There is no Java, and this needs Java 17 or newer. Install one, and set JAVA_HOME or put it on the PATH."
        )
    return found


def require_java() -> str:
    """The same. Raises `NoJavaError` if it is too old."""
    java = java_program()
    asked = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603 - Java
    said = asked.stderr + asked.stdout
    # Before Java 9 it says 1.8.
    named = re.search(r'version "(?:1\.)?(\d+)', said)
    if named is None:
        raise NoJavaError(f"{java} does not start: {' '.join(said.split()) or 'it printed nothing'}")
    if int(named[1]) < LEAST:
        raise NoJavaError(f"{java} is Java {named[1]}: Java {LEAST} or newer is needed. Set JAVA_HOME to one.")
    return java
