"""Nothing leaves the machine unless it is asked for, and then in an order in which a failure can be mended."""

from pathlib import Path

import pytest
from project.release import __main__ as command
from project.release import preparing, publishing
from project.release.place import Place, ReleaseError

VERSION = "0.9.0"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(VERSION, tmp_path)
    dist = place.source / "python" / "dist"
    dist.mkdir(parents=True)
    (dist / "x.whl").touch()
    return place


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was run, instead of running it: the last words of each command."""
    commands: list[str] = []
    monkeypatch.setattr(publishing, "run", lambda command, *_: commands.append(" ".join(map(str, command[1:]))))
    monkeypatch.setattr(publishing, "sbt", lambda _, *arguments: commands.append(" ".join(arguments)))
    return commands


def test_what_can_be_taken_back_is_uploaded_first_and_git_follows_when_all_is_there(
    place: Place, started: list[str]
) -> None:
    publishing.publish(place)
    assert [one.split()[0] for one in started] == ["sonaUpload", "upload", "fetch", "pull"]
    assert started[1].endswith("x.whl")
    assert f"refs/tags/v{VERSION}" in started[2]


def test_a_failed_upload_says_what_waits_in_the_portal(
    place: Place, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise ReleaseError("403")

    monkeypatch.setattr(publishing, "run", refused)
    with pytest.raises(ReleaseError, match=r"403\n.*drop it there"):
        publishing.publish(place)
    assert started == ["sonaUpload"]


@pytest.mark.parametrize("asked", [None, "", "0", "no"])
def test_a_dry_run_publishes_nothing(
    asked: str | None, started: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if asked is not None:
        monkeypatch.setenv("PUBLISH", asked)
    monkeypatch.setattr(preparing, "check_checkout", lambda *_: "")
    monkeypatch.setattr(command, "_steps", lambda *_: iter(()))
    monkeypatch.setattr(publishing, "published", lambda _: {})
    monkeypatch.setattr("sys.argv", ["release", VERSION])
    command.main()
    assert started == []
    assert "Nothing was published" in capsys.readouterr().out


def test_publishing_without_a_key_is_refused_before_anything_is_built(
    started: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PUBLISH", "1")
    monkeypatch.delenv("KEY", raising=False)
    monkeypatch.setattr(preparing, "check_checkout", lambda *_: "")
    monkeypatch.setattr(preparing, "prepare", lambda *_: pytest.fail("it began"))
    monkeypatch.setattr("sys.argv", ["release", VERSION])
    with pytest.raises(SystemExit):
        command.main()
    assert "PUBLISH=1 needs KEY=" in capsys.readouterr().err
    assert started == []
