"""The release's own commit and tag, in a clone: this checkout stays as it is."""

import datetime
import shutil

from project.release import publishing, versions
from project.release.place import ROOT, Place, ReleaseError, run
from project.release.signing import Key


def check_checkout(place: Place, publish: bool) -> str:
    """What a release begins with. Returns what the person must know; raises `ReleaseError` if it can't begin."""
    if publishing.done(place):
        raise ReleaseError(f"{place.version} is public in part, with the files in {place.folder}: PUBLISH=1 goes on.")
    changelog = (ROOT / "CHANGELOG.md").read_text()
    newest = max(map(versions.number, versions.released(changelog)), default=(0, 0, 0))
    if versions.number(place.version) <= newest:
        raise ReleaseError(f"{place.version} does not come after {'.'.join(map(str, newest))}, the newest release.")
    if run(["git", "tag", "--list", place.tag]).strip():
        raise ReleaseError(f"The tag {place.tag} is there already.")
    if not (ROOT / "tests" / "compat" / place.version).is_dir():
        raise ReleaseError(f"tests/compat/{place.version} is missing: run `make compat` and commit what it wrote.")
    for version in versions.released(changelog):
        if run(["git", "diff", "--name-only", f"v{version}", "--", f"tests/compat/{version}"]).strip():
            raise ReleaseError(f"tests/compat/{version} has changed since v{version}: these files never change.")
    changed = run(["git", "status", "--porcelain"]).strip()
    if changed and publish:
        raise ReleaseError(f"The checkout has changes that are not committed:\n{changed}")
    return "What is not committed is not in it." if changed else ""


def prepare(place: Place, key: Key) -> None:
    """Clones this checkout, sets the version, cuts the changelog, commits and tags."""
    shutil.rmtree(place.folder, ignore_errors=True)
    place.folder.mkdir(parents=True)
    run(["git", "clone", "--quiet", ROOT, place.source])
    for name in ("user.name", "user.email"):
        run(["git", "config", name, run(["git", "config", "--default", "release", name]).strip()], place.source)
    versions.set_version(place.source, place.version)
    changelog = place.source / "CHANGELOG.md"
    today = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    changelog.write_text(versions.cut(changelog.read_text(), place.version, today))
    run(["git", "commit", "--quiet", "--all", "--message", f"Release {place.version}"], place.source)
    message = f"Dynamic Kafka for Spark {place.version}"
    key.run(["git", "tag", "--sign", "--local-user", key.name, "--message", message, place.tag], place.source)
    run(["git", "clone", "--quiet", "--branch", place.tag, place.source, place.again])


def begin_next(place: Place) -> str:
    """A second commit, after the tag, for the version that follows. Returns that version."""
    following = versions.next_after(place.version)
    versions.set_version(place.source, following)
    changelog = place.source / "CHANGELOG.md"
    changelog.write_text(versions.begin(changelog.read_text(), following))
    run(["git", "commit", "--quiet", "--all", "--message", f"Begin {following}"], place.source)
    return following
