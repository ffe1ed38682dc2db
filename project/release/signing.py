"""Signatures by GnuPG: with a maintainer's key, or in a dry run with one that nobody keeps."""

import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from project.release.place import run


@dataclass(frozen=True, slots=True)
class Key:
    """A key by its name, and where GnuPG finds it."""

    name: str
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(self, command: list[str | Path], folder: Path) -> str:
        return run(command, folder, self.variables)

    def sign(self, file: Path) -> None:
        """Leaves the signature beside the file."""
        options = ["--batch", "--yes", "--local-user", self.name, "--armor", "--detach-sign"]
        self.run(["gpg", *options, file], file.parent)

    def verify(self, file: Path) -> None:
        self.run(["gpg", "--batch", "--verify", f"{file}.asc", file], file.parent)


@contextmanager
def throw_away_key() -> Iterator[Key]:
    """A key in a folder of its own, gone at the end. Not below `build`: the path of its socket must be short."""
    with tempfile.TemporaryDirectory(prefix="release-key-") as home:
        key = Key("dry-run@localhost", {"GNUPGHOME": home})
        make: list[str | Path] = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key"]
        try:
            key.run([*make, key.name, "ed25519", "sign", "1d"], Path(home))
            yield key
        finally:
            subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False, capture_output=True)


def sign_all(key: Key, folder: Path) -> int:
    """Signs what Maven Central wants signed: all but checksums. Returns how many files that were."""
    files = [file for file in sorted(folder.rglob("*")) if file.suffix in {".jar", ".pom"}]
    for file in files:
        key.sign(file)
        key.verify(file)
    return len(files)
