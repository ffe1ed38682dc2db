"""A broker in a container, where a container engine is reachable."""

from testcontainers.core.container import DockerContainer
from testcontainers.core.docker_client import DockerClient

from tests.cluster.broker import BrokerPlan
from tests.cluster.server_settings import server_properties

_STOP_SECONDS = 20
_DATA = "/var/lib/kafka/data"


class ContainerBroker:
    """Keeps its data in its container, which stays when the broker stops.

    It is the only one of its cluster: controllers in several containers would have to reach each other by name.
    Testcontainers' reaper removes what a killed run left.
    """

    def __init__(self, plan: BrokerPlan) -> None:
        self._plan = plan
        self._container: DockerContainer | None = None
        self.host = DockerClient().host()

    def start(self, kafka_id: str) -> None:
        if self._container is None:
            self._container = self._create(kafka_id)
            self._container.start()
        elif not self.is_running():
            self._container.get_wrapped_container().start()

    def is_running(self) -> bool:
        if self._container is None:
            return False
        wrapped = self._container.get_wrapped_container()
        wrapped.reload()
        return wrapped.status in ("running", "paused")

    def stop(self) -> None:
        self.resume()
        if self._container is not None:
            self._container.get_wrapped_container().stop(timeout=_STOP_SECONDS)

    def kill(self) -> None:
        if self._container is not None and self.is_running():
            wrapped = self._container.get_wrapped_container()
            wrapped.kill()
            wrapped.wait()

    def pause(self) -> None:
        if self._container is not None:
            self._container.get_wrapped_container().pause()

    def resume(self) -> None:
        if self._container is not None:
            wrapped = self._container.get_wrapped_container()
            wrapped.reload()
            if wrapped.status == "paused":
                wrapped.unpause()

    def wipe(self) -> None:
        if self._container is not None:
            self.keep_log()
            self._container.stop()
            self._container = None

    def keep_log(self) -> None:
        if self._container is not None:
            self._plan.log.write_bytes(self._container.get_wrapped_container().logs())

    def _create(self, kafka_id: str) -> DockerContainer:
        plan = self._plan
        anywhere = "0.0.0.0"  # noqa: S104 - inside the container; the engine decides who gets in
        properties = server_properties(
            plan.settings, plan.listeners, plan.quorum, host=self.host, bind=anywhere, data=_DATA
        )
        # The controller talks to itself alone, and an address that means "any" is none to talk to.
        properties["controller.quorum.voters"] = f"{plan.quorum.number}@localhost:{plan.listeners.controller}"
        container = DockerContainer(f"apache/kafka:{plan.settings.version}")
        for port in plan.listeners.for_clients().values():
            container.with_bind_ports(port, port)
        container.with_env("CLUSTER_ID", kafka_id)
        container.with_env("KAFKA_HEAP_OPTS", " ".join(plan.settings.all_java_options()))
        if plan.settings.certificates:
            keys = str(plan.settings.certificates.token_key.jwks)
            container.with_volume_mapping(keys, keys)
        for key, value in properties.items():
            container.with_env(_variable(key), value)
        return container


def _variable(key: str) -> str:
    """The image's name of the environment variable for a server property."""
    return "KAFKA_" + key.upper().replace("_", "__").replace("-", "___").replace(".", "_")
