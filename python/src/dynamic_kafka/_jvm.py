"""The only module that uses Py4J. It brings the source into a session's JVM, and passes Python objects to it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from dynamic_kafka._bridge import ServiceBridge, Subscriber, SubscriberBridge
from dynamic_kafka._jar import ARTIFACT, DISTRIBUTION, jar_path, version
from dynamic_kafka._metadata import MetadataService
from dynamic_kafka.errors import VersionMismatchError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PACKAGE = "io.github.dynamickafka.spark.metadata"
_BRIDGE = f"{_PACKAGE}.PythonBridge"
_OLDEST_SPARK = 4

# What Py4J returns for any object of the JVM: it has no types.
_Java: TypeAlias = Any


def running_conf(key: str) -> str | None:
    """The value of a Spark setting in the JVM of this process. Empty if it is not set, None without a JVM."""
    from pyspark import SparkConf, SparkContext

    if SparkContext._jvm is None:
        if "PYSPARK_GATEWAY_PORT" not in os.environ:
            return None
        # `spark-submit` started the JVM, which started this process, and what was submitted is known there alone. To
        # connect makes no SparkContext; the one that is made later uses this connection.
        SparkContext._ensure_initialized()
    return SparkConf(_jvm=SparkContext._jvm).get(key, "")


def load(spark: SparkSession, options: Mapping[str, str | MetadataService | Subscriber], *, batch: bool) -> DataFrame:
    """The DataFrame of a session whose driver is the JVM of this process."""
    driver = _Driver(spark)
    driver.check_spark()
    driver.bring_jar()
    driver.check_version()
    # The JVM holds registered objects weakly until the source has resolved them. This keeps them until then.
    handed_over = {key: driver.hand_over(value) for key, value in options.items() if not isinstance(value, str)}
    texts = {key: value for key, value in options.items() if isinstance(value, str)}
    handles = {key: handle for key, (handle, _held) in handed_over.items()}
    reader = spark.read if batch else spark.readStream
    return reader.format("dynamic-kafka").options(**texts, **handles).load()


class _JsonCall:
    """A bridge in the form that Py4J needs: the JVM makes an object of this interface for it."""

    def __init__(self, bridge: ServiceBridge | SubscriberBridge) -> None:
        self.call = bridge.call

    class Java:
        implements = (f"{_PACKAGE}.JsonCall",)


class _Driver:
    """A session's driver, seen from the current thread."""

    _bringing = threading.Lock()

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._gateway: _Java = spark.sparkContext._gateway
        self._jvm: _Java = spark._jvm
        self._session: _Java = spark._jsparkSession

    def check_spark(self) -> None:
        """Raises `VersionMismatchError` for a Spark that is too old; the jar's classes do not load there."""
        found = self._spark.version
        if int(found.partition(".")[0]) < _OLDEST_SPARK:
            raise VersionMismatchError(
                f"The source dynamic-kafka needs Spark {_OLDEST_SPARK}.0 or newer, and this is Spark {found}. "
                "Use a newer Spark, or a newer runtime of your platform."
            )

    def bring_jar(self) -> None:
        """Makes the source available in the session and the current thread. Adds the bundled jar if needed."""
        # Each Python thread has its own thread on the JVM. Spark looks up sources through that thread's class loader.
        thread = self._jvm.java.lang.Thread.currentThread()
        with self._bringing:
            if self._is_brought(thread.getContextClassLoader()):
                return
            loader = self._session.sharedState().jarClassLoader()
            if not self._is_brought(loader):
                self._session.sessionState().resourceLoader().addJar(str(jar_path()))
            thread.setContextClassLoader(loader)

    def _is_brought(self, loader: _Java) -> bool:
        origin = loader.getResource(_BRIDGE.replace(".", "/") + ".class")
        if origin is None:
            return False
        # A class loader outlives its SparkContext. The next context finds the class, but does not know the jar, so it
        # would not send the jar to executors. A jar with another name is the user's, who sends it to executors too.
        jar = origin.toString().split("!")[0].rsplit("/", 1)[-1]
        return not jar.startswith(ARTIFACT) or jar in self._session.sparkContext().listJars().mkString(",")

    def check_version(self) -> None:
        """Raises `VersionMismatchError` unless the jar and this package have the same version."""
        there, here = self._bridge().version(), version()
        if there != here:
            raise VersionMismatchError(
                f"The jar in Spark has version {there}, the Python package has version {here}. Either change Spark's "
                "jar (--packages, --jars, spark.jars.packages, spark.jars, cluster libraries) to "
                f"io.github.dynamickafka:{ARTIFACT}:{here}, or run `pip install {DISTRIBUTION}=={there}`. "
                "Then restart Spark."
            )

    def hand_over(self, value: MetadataService | Subscriber) -> tuple[str, _Java]:
        """The option's value for an object, and an object of the JVM. The value is valid while somebody holds that."""
        self._accept_calls()
        if isinstance(value, MetadataService):
            service = _services.wrapper(self._gateway, value, self._wrap)
            return self._bridge().register(service), service
        subscriber = self._bridge().subscriber(_JsonCall(SubscriberBridge(value)), self._server())
        return self._bridge().registerSubscriber(subscriber), subscriber

    def _wrap(self, service: MetadataService) -> tuple[_Java, _Java]:
        call = _JsonCall(ServiceBridge(service))
        wrapper = self._bridge().service(call, self._server(), *_own_methods(service))
        return wrapper, self._jvm.java.lang.ref.WeakReference(wrapper)

    def _accept_calls(self) -> None:
        from pyspark import java_gateway

        # As foreachBatch does: one server in this process, started once.
        start: Any = java_gateway.ensure_callback_server_started
        start(self._gateway)

    def _server(self) -> _Java:
        """Py4J's server in the JVM, by its name there."""
        from py4j.java_gateway import JavaObject

        return JavaObject("GATEWAY_SERVER", self._gateway._gateway_client)

    def _bridge(self) -> _Java:
        return getattr(self._jvm, _BRIDGE)


def _own_methods(service: MetadataService) -> Iterator[bool]:
    """Whether a service describes streams and reports active clusters itself, or leaves it to the defaults."""
    for name in ("describe_streams", "is_cluster_active"):
        yield getattr(getattr(service, name), "__func__", None) is not getattr(MetadataService, name)


class _Wrappers:
    """The JVM's object for each service in use. Two queries share it, so that calls to the service are serialised.

    The JVM's object keeps the service alive, through Py4J's list of objects that the JVM may call. So it must be held
    weakly here, or neither would ever be freed. While it exists, no other object has the `id` of the service.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._gateway: _Java = None
        self._by_id: dict[int, _Java] = {}

    def wrapper(self, gateway: _Java, service: MetadataService, wrap: Any) -> _Java:
        with self._lock:
            if gateway is not self._gateway:
                self._gateway, self._by_id = gateway, {}
            self._by_id = {key: weak for key, weak in self._by_id.items() if weak.get() is not None}
            known = self._by_id[id(service)].get() if id(service) in self._by_id else None
            if known is not None:
                return known
            wrapper, self._by_id[id(service)] = wrap(service)
            return wrapper


_services = _Wrappers()
