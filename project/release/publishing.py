"""The only part that reaches beyond `build`, and only if PUBLISH=1."""

import hashlib
import shutil
import sys
import tempfile
from pathlib import Path

from project.release import versions
from project.release.place import ROOT, TOOLS, Place, ReleaseError, published, python, run, sbt

_UPLOADED = """
What is left to you:
  1. Look at the deployment in the portal of Central, and publish it there.
  2. git push origin HEAD {tag}
  3. Make a release of the tag where the repository is hosted, with the text of {folder}/notes.md and the
     file bom.cdx.json.
"""
_FAILED = """
Of {version} is done:
{done}
Left to do:
{left}
Mend what failed, and run the same command again: it goes on from here, with the same files. To give {version} up
instead, drop its deployment in the portal of Central. What Python's registry has is public: it can be yanked there, and
its version is never free again.
"""
_DRY = """
Nothing was published: this was a dry run. The signatures are by a key that is gone. To publish, a maintainer needs
  - a GnuPG key that key servers know: KEY=<its id or address>
  - a token of Central's portal: SONATYPE_USERNAME and SONATYPE_PASSWORD
  - a token of Python's registry: TWINE_USERNAME=__token__ and TWINE_PASSWORD
and runs, in a checkout without changes, whose last commit has passed `.ci/run` and `make matrix`:
  PUBLISH=1 KEY=... make release VERSION={version}
It does all of this again, uploads, and puts the commits and the tag into the checkout. Then the maintainer publishes
the deployment in the portal, and pushes.
"""


def publish(place: Place) -> str:
    """Does each step that no earlier run has done. Returns what is done; a `ReleaseError` says what is left, too."""
    if PYTHON not in done(place):
        _refuse_other_files(place)
    for name, step in _STEPS.items():
        if name not in (earlier := done(place)):
            try:
                step(place)
            except ReleaseError as refused:
                raise ReleaseError(f"{refused}\n{_after_failure(place)}") from refused
            _journal(place).write_text("".join(f"{one}\n" for one in [*earlier, name]))
    return "\n".join(done(place))


def done(place: Place) -> list[str]:
    """The steps of publishing that were done, by this run or an earlier one."""
    return _journal(place).read_text().splitlines() if _journal(place).exists() else []


def goes_on(place: Place) -> bool:
    """Whether a release was built to be published, and its files are those to upload: some of them were uploaded, or
    the checkout is still the one that they were built from."""
    if not _ready(place).exists():
        return False
    return bool(done(place)) or _ready(place).read_text() == run(["git", "rev-parse", "HEAD"])


def be_ready(place: Place) -> None:
    """Notes that all is built and tried, and from which commit."""
    _ready(place).write_text(run(["git", "rev-parse", "HEAD"]))


def _upload_to_central(place: Place) -> None:
    sbt(place.source, "sonaUpload")


def _upload_to_python(place: Place) -> None:
    # Of the two files the first may be there already.
    options = ["--non-interactive", "--skip-existing"]
    run([TOOLS / "twine", "upload", *options, *sorted(python(place.source).iterdir())])


def _bring_back(place: Place) -> None:
    run(["git", "fetch", "--quiet", place.source, f"refs/tags/{place.tag}:refs/tags/{place.tag}"])
    run(["git", "pull", "--quiet", "--ff-only", place.source, "HEAD"])


PYTHON = "The Python package is public."
# The first can be taken back until a person publishes it in the portal. Git follows when all is there.
_STEPS = {
    "The Maven artifacts wait in the portal of Central.": _upload_to_central,
    PYTHON: _upload_to_python,
    "The commits and the tag are in this checkout.": _bring_back,
}


def _refuse_other_files(place: Place) -> None:
    """Raises `ReleaseError` if another build of this version is public: an upload would be skipped, or half of it."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--only-binary=:all:"]
        try:
            run([*pip, f"--dest={folder}", f"dynamic-kafka-spark=={place.version}"])
        except ReleaseError as refused:
            if "No matching distribution" in str(refused):
                return
            raise ReleaseError(f"{refused}\nNothing was uploaded: is {place.version} public already?") from refused
        for file in Path(folder).iterdir():
            if file.read_bytes() != (python(place.source) / file.name).read_bytes():
                raise ReleaseError(f"{file.name} is public, with other bytes: release the next version.")


def _after_failure(place: Place) -> str:
    earlier = done(place)
    lists = [
        [f"  {one}" for one in names] or ["  nothing"]
        for names in (earlier, [one for one in _STEPS if one not in earlier])
    ]
    return _FAILED.format(version=place.version, done="\n".join(lists[0]), left="\n".join(lists[1]))


def _journal(place: Place) -> Path:
    return place.folder / "published"


def _ready(place: Place) -> Path:
    return place.folder / "ready"


def keep(place: Place) -> None:
    """Leaves beside the clones the notes, what the jar contains (a bill of materials), and the digest of each file."""
    (place.folder / "notes.md").write_text(
        versions.notes((place.source / "CHANGELOG.md").read_text(), place.version) + "\n"
    )
    shutil.copy(place.source / "jvm" / "target" / "bom.cdx.json", place.folder)
    digests = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in published(place.source).items()}
    (place.folder / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in digests.items()))


def summary(place: Place, published_now: bool) -> str:
    """What there is now, and what a person does next."""
    lines = [
        f"{file.stat().st_size:>10,}  {name}"
        for name, file in published(place.source).items()
        if file.suffix in {".jar", ".pom", ".whl", ".gz"}
    ]
    text = (_UPLOADED if published_now else _DRY).format(
        tag=place.tag, version=place.version, folder=place.folder.relative_to(ROOT)
    )
    beside = f"{place.bundle.name}, SHA256SUMS, bom.cdx.json and notes.md"
    where = f"In {place.source.relative_to(ROOT)}, with {beside} beside it:"
    return "\n".join([where, *lines, text])
