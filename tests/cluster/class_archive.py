"""Archives of the classes that a program loads: with one its JVM is up in about half the time and work."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cluster.made_once import made_once
from tests.cluster.ports import claim_port
from tests.cluster.process_broker import BrokerPlan, ProcessBroker, class_path, new_kafka_id
from tests.cluster.server_settings import Listeners, Quorum, ServerSettings
from tests.cluster.waiting import eventually

_PATIENCE = 60.0


def with_archive(program: str, classes: str, run: Callable[[str], None]) -> tuple[str, ...]:
    """The options by which a JVM with these ``classes`` on its path uses the archive of ``program``.

    Where there is none yet, ``run`` has the program started with the option that it is given, and ended in good order.
    A JVM that can't use the archive goes without, and one that makes none leaves it empty.
    """

    def make(draft: Path) -> None:
        run(f"-XX:ArchiveClassesAtExit={draft}")
        draft.touch()

    java = Path(shutil.which("java") or "java").resolve()
    archive = made_once(f"{program}.jsa", make, of=f"{java} {java.stat().st_mtime} {classes}")
    return (f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off") if archive.stat().st_size else ()


def of_broker(version: str) -> tuple[str, ...]:
    """The options for a broker of this version."""
    return with_archive("broker", class_path(version), partial(_run_broker, version))


def _run_broker(version: str, option: str) -> None:
    settings = ServerSettings(version=version)
    settings = ServerSettings(version=version, java_options=(*settings.java_options, option))
    ports = [claim_port() for _ in range(3)]
    try:
        client, inside, controller = (port.number for port in ports)
        with TemporaryDirectory() as folder:
            quorum = Quorum(1, {1: controller})
            plan = BrokerPlan("archive", Path(folder), Listeners(client, inside, controller), quorum, settings)
            broker = ProcessBroker(plan)
            broker.start(new_kafka_id())
            eventually(
                "a broker has started whose classes are archived",
                lambda: "Kafka Server started" in plan.log.read_text(),
                within=_PATIENCE,
            )
            broker.stop()
    finally:
        for port in ports:
            port.release()
