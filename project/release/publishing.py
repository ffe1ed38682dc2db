"""The only part that reaches beyond `build`, and only if PUBLISH=1."""

import hashlib

from project.release import versions
from project.release.place import ROOT, TOOLS, Place, ReleaseError, published, python, run, sbt

_UPLOADED = """
Uploaded: the Maven artifacts, which wait in the portal of Central, and the Python package.
The commits and the tag {tag} are in this checkout. What is left to you:
  1. Look at the deployment in the portal of Central, and publish it there.
  2. git push origin HEAD {tag}
  3. Make a release of the tag where the repository is hosted, with the text of {folder}/notes.md.
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


def publish(place: Place) -> None:
    """Uploads. The first upload can be taken back until a person publishes it in the portal; so it comes first."""
    sbt(place.source, "sonaUpload")
    try:
        run([TOOLS / "twine", "upload", "--non-interactive", *sorted(python(place.source).iterdir())])
    except ReleaseError as refused:
        raise ReleaseError(f"{refused}\nA deployment waits in the portal of Central: drop it there.") from refused
    run(["git", "fetch", "--quiet", place.source, f"refs/tags/{place.tag}:refs/tags/{place.tag}"])
    run(["git", "pull", "--quiet", "--ff-only", place.source, "HEAD"])


def keep(place: Place) -> None:
    """Leaves beside the clones what a person looks at: the notes, and the digest of each file."""
    (place.folder / "notes.md").write_text(
        versions.notes((place.source / "CHANGELOG.md").read_text(), place.version) + "\n"
    )
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
    where = f"In {place.source.relative_to(ROOT)}, with {place.bundle.name}, SHA256SUMS and notes.md beside it:"
    return "\n".join([where, *lines, text])
