"""Nothing leaves the machine unless it is asked for, and then in an order in which a failure can be mended."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from project.release import __main__ as command
from project.release import preparing, publishing
from project.release.place import Place, ReleaseError

VERSION = "0.9.0"
WHEEL = "x.whl"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A release that is built."""
    place = Place(VERSION, tmp_path)
    dist = place.source / "python" / "dist"
    dist.mkdir(parents=True)
    (dist / WHEEL).write_text("ours")
    return place


class Outside:
    """All that is run, instead of running it: what was asked for, in short, and what fails."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.fails: set[str] = set()
        self.public: str | None = None
        self.head = "1\n"

    def sbt(self, _: Path, *arguments: str) -> str:
        return self.run(["sbt", *arguments])

    def run(self, command: Sequence[str | Path], *_: object) -> str:
        words = [str(word) for word in command]
        if "rev-parse" in words:
            return self.head
        if "download" in words:
            return self._download(words)
        name = next(word for word in words if word in {"sonaUpload", "upload", "fetch", "pull"})
        self.commands.append(name)
        if name in self.fails:
            raise ReleaseError(f"{name} failed")
        return ""

    def _download(self, words: list[str]) -> str:
        (folder,) = [word.removeprefix("--dest=") for word in words if word.startswith("--dest=")]
        if "download" in self.fails:
            raise ReleaseError("no route")
        if self.public is None:
            raise ReleaseError(f"ERROR: No matching distribution found for {words[-1]}")
        (Path(folder) / WHEEL).write_text(self.public)
        return ""


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> Outside:
    outside = Outside()
    monkeypatch.setattr(publishing, "run", outside.run)
    monkeypatch.setattr(publishing, "sbt", outside.sbt)
    return outside


def test_what_can_be_taken_back_is_uploaded_first_and_git_follows_when_all_is_there(
    place: Place, outside: Outside
) -> None:
    publishing.publish(place)
    assert outside.commands == ["sonaUpload", "upload", "fetch", "pull"]
    # Once more does nothing.
    publishing.publish(place)
    assert outside.commands == ["sonaUpload", "upload", "fetch", "pull"]


@pytest.mark.parametrize(
    ("fails", "done", "again"),
    [
        ("sonaUpload", 0, ["sonaUpload", "upload", "fetch", "pull"]),
        ("upload", 1, ["upload", "fetch", "pull"]),
        ("fetch", 2, ["fetch", "pull"]),
        ("pull", 2, ["fetch", "pull"]),
    ],
)
def test_after_any_failure_it_says_what_is_done_and_the_next_run_does_the_rest(
    fails: str, done: int, again: list[str], place: Place, outside: Outside
) -> None:
    outside.fails = {fails}
    with pytest.raises(ReleaseError) as refused:
        publishing.publish(place)
    text = str(refused.value)
    assert text.startswith(f"{fails} failed")
    steps = [text.index(step) for step in publishing._STEPS]
    assert steps == sorted(steps)
    assert [at < text.index("Left to do:") for at in steps] == [True] * done + [False] * (3 - done)
    outside.fails, outside.commands, outside.public = set(), [], "ours"
    publishing.publish(place)
    assert outside.commands == again


def test_another_build_that_is_public_is_refused_before_anything_is_uploaded(place: Place, outside: Outside) -> None:
    outside.public = "theirs"
    with pytest.raises(ReleaseError, match=f"{WHEEL} is public, with other bytes"):
        publishing.publish(place)
    outside.fails = {"download"}
    with pytest.raises(ReleaseError, match="no route\nNothing was uploaded"):
        publishing.publish(place)
    assert outside.commands == []


def test_the_same_files_are_uploaded_again_as_long_as_the_checkout_or_a_registry_has_them(
    place: Place, outside: Outside
) -> None:
    assert not publishing.goes_on(place)
    publishing.be_ready(place)
    assert publishing.goes_on(place)
    outside.head = "2\n"
    assert not publishing.goes_on(place)
    outside.fails = {"upload"}
    with pytest.raises(ReleaseError):
        publishing.publish(place)
    assert publishing.goes_on(place)


def test_a_dry_run_does_not_remove_what_is_public_in_part(place: Place, outside: Outside) -> None:
    publishing.publish(place)
    with pytest.raises(ReleaseError, match="public in part"):
        preparing.check_checkout(place, publish=False)


def test_the_next_run_builds_nothing(
    place: Place, outside: Outside, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PUBLISH", "1")
    monkeypatch.setattr(command, "Place", lambda *_: place)
    monkeypatch.setattr(command, "_make", lambda *_: pytest.fail("it builds"))
    monkeypatch.setattr(publishing, "summary", lambda *_: "")
    monkeypatch.setattr("sys.argv", ["release", VERSION])
    publishing.be_ready(place)
    outside.fails = {"pull"}
    with pytest.raises(SystemExit):
        command.main()
    assert "the same command again" in capsys.readouterr().err
    outside.fails = set()
    command.main()
    assert outside.commands == ["sonaUpload", "upload", "fetch", "pull", "fetch", "pull"]


@pytest.mark.parametrize("asked", [None, "", "0", "no"])
def test_a_dry_run_publishes_nothing(
    asked: str | None, outside: Outside, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if asked is not None:
        monkeypatch.setenv("PUBLISH", asked)
    monkeypatch.setattr(preparing, "check_checkout", lambda *_: "")
    monkeypatch.setattr(command, "_steps", lambda *_: iter(()))
    monkeypatch.setattr(publishing, "published", lambda _: {})
    monkeypatch.setattr("sys.argv", ["release", VERSION])
    command.main()
    assert outside.commands == []
    assert "Nothing was published" in capsys.readouterr().out


def test_publishing_without_a_key_is_refused_before_anything_is_built(
    outside: Outside, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PUBLISH", "1")
    monkeypatch.delenv("KEY", raising=False)
    monkeypatch.setattr(preparing, "check_checkout", lambda *_: "")
    monkeypatch.setattr(preparing, "prepare", lambda *_: pytest.fail("it began"))
    monkeypatch.setattr("sys.argv", ["release", VERSION])
    with pytest.raises(SystemExit):
        command.main()
    assert "PUBLISH=1 needs KEY=" in capsys.readouterr().err
    assert outside.commands == []
