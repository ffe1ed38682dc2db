"""`python -m project.release VERSION`: builds, checks, and tries a release; publishes it if PUBLISH=1."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from project.release import building, checking, preparing, publishing, signing, trial
from project.release.central import bundle
from project.release.place import ROOT, Place, ReleaseError, maven

_Step = tuple[str, Callable[[], object]]


def main() -> None:
    (version,) = sys.argv[1:]
    place = Place(version, ROOT / "build" / "release" / version)
    publish = os.environ.get("PUBLISH") == "1"
    try:
        if publish and publishing.goes_on(place):
            _say(f"built and tried by an earlier run, in {place.folder}", None)
        else:
            _make(place, publish)
        if publish:
            _say("published", publishing.publish(place))
    except ReleaseError as problem:
        print(f"\nThe release stopped: {problem}", file=sys.stderr)
        sys.exit(1)
    print(f"\n{publishing.summary(place, publish)}")


def _make(place: Place, publish: bool) -> None:
    _say("the checkout can be released", preparing.check_checkout(place, publish) or None)
    with _key(publish) as key:
        for name, step in _steps(place, key):
            began = time.monotonic()
            found = step()
            _say(f"{name}, {time.monotonic() - began:.0f} s", found)
    if publish:
        publishing.be_ready(place)


def _steps(place: Place, key: signing.Key) -> Iterator[_Step]:
    """In this order; what is cheap and fails often comes early."""
    yield "committed and tagged in a clone", lambda: preparing.prepare(place, key)
    yield "the Python API is compared", lambda: checking.check_python_api(place)
    yield "built", lambda: building.build(place, place.source)
    yield "Python's registry would take it", lambda: checking.check_python(place)
    yield "built again elsewhere", lambda: building.build(place, place.again)
    yield "both builds are the same, in files", lambda: building.compare(place)
    yield "a break of the JVM's API would be found", lambda: checking.check_that_breaks_are_found(place)
    yield "installed from there into empty environments, and run", lambda: trial.run_examples(place)
    yield "signed, in files", lambda: signing.sign_all(key, maven(place.source))
    yield "Maven Central would take it", lambda: checking.check_maven(place)
    yield "bundled", lambda: bundle(maven(place.source), place.bundle)
    yield "kept", lambda: publishing.keep(place)
    yield "the next version begins", lambda: preparing.begin_next(place)


@contextmanager
def _key(publish: bool) -> Iterator[signing.Key]:
    if not publish:
        with signing.throw_away_key() as key:
            yield key
    elif "KEY" in os.environ:
        yield signing.Key(os.environ["KEY"])
    else:
        raise ReleaseError("PUBLISH=1 needs KEY=<id or address of your GnuPG key>.")


def _say(done: str, found: object) -> None:
    print(f"- {done}" + (f": {found}" if found is not None else ""), flush=True)


if __name__ == "__main__":
    main()
