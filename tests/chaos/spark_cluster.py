"""A standalone Spark cluster on this machine."""

from pathlib import Path

import psutil
import pyspark
from dynamic_kafka._brokers.ports import claim_port
from dynamic_kafka._brokers.supervised import Supervised

from tests.cluster import eventually
from tests.scenarios import quick_spark

_PATIENCE = 60.0
_HOST = "127.0.0.1"
_EXECUTOR = "CoarseGrainedExecutorBackend"
_HOME = Path(pyspark.__file__).parent


class SparkCluster:
    """Master and workers are processes; each worker runs one executor of one core, which may be killed."""

    def __init__(self, folder: Path, workers: int = 2, home: Path = _HOME, *, apart: bool = False) -> None:
        """``home`` is the Spark that runs it. ``apart``: each worker has an address of its own, since Spark copies no
        task to a host that runs it already."""
        self._apart = apart
        self._folder = folder
        self._home = home
        self._workers = workers
        self._ports = [claim_port() for _ in range(2 + workers)]
        self._processes: list[Supervised] = []
        self.master = f"spark://127.0.0.1:{self._ports[0].number}"

    def __enter__(self) -> "SparkCluster":
        port, page, *pages = (str(port.number) for port in self._ports)
        self._start("master", "Master", "--port", port, "--webui-port", page)
        for number, own_page in enumerate(pages):
            files = str(self._folder / f"work-{number}")
            limits = ("--cores", "1", "--memory", "1g", "--work-dir", files, "--webui-port", own_page)
            host = f"127.0.0.{number + 2}" if self._apart else _HOST
            self._start(f"worker-{number}", "Worker", *limits, self.master, host=host)
        eventually(
            f"{self._workers} workers are registered",
            lambda: (self._folder / "master.txt").read_text().count("Registering worker"),
            until=lambda seen: seen >= self._workers,
            within=_PATIENCE,
        )
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._processes):
            for child in psutil.Process(process.pid).children(recursive=True) if process.runs() else ():
                child.kill()
            process.kill()
        for port in self._ports:
            port.release()

    @property
    def session(self) -> dict[str, str]:
        """What a session needs to run here."""
        return {"spark.master": self.master, "spark.executor.memory": "600m", "spark.executor.cores": "1"}

    def executors(self) -> list[psutil.Process]:
        """Those that run at the moment."""
        found = [child for process in self._processes[1:] for child in psutil.Process(process.pid).children()]
        return [process for process in found if _is_executor(process)]

    def _start(self, name: str, role: str, *arguments: str, host: str = _HOST) -> None:
        command = [str(self._home / "bin" / "spark-class"), f"org.apache.spark.deploy.{role.lower()}.{role}"]
        environment = {
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": host,
            "SPARK_DAEMON_MEMORY": "256m",
            # The archive is of the classes of this Spark.
            "SPARK_DAEMON_JAVA_OPTS": quick_spark.java_options(None if self._home == _HOME else ()),
            # Killed executors are no reason to give up an application.
            "SPARK_MASTER_OPTS": "-Dspark.deploy.maxExecutorRetries=-1",
        }
        where = ("--host", host)
        self._processes.append(Supervised([*command, *where, *arguments], self._folder / f"{name}.txt", environment))


def _is_executor(process: psutil.Process) -> bool:
    try:
        return any(_EXECUTOR in word for word in process.cmdline())
    except psutil.NoSuchProcess:
        return False
