"""What the driver's JVM holds at the moment: threads, connections, Kafka's own figures, and its log's level."""

from typing import Any

import psutil
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster

# How the names of all threads begin that the source has on the driver.
_OURS = ("dynamic-kafka", "kafka-admin-client-thread | spark-dynamic-kafka")
# The one of them that is no query's: the executor, which is in the same JVM here, looks for idle consumers with it.
OF_THE_JVM = "dynamic-kafka-consumer-cleaner"


class DriverJvm:
    """Looks into the JVM of a session in local mode, where driver and executor are one process."""

    def __init__(self, spark: SparkSession) -> None:
        jvm = spark._jvm
        assert jvm is not None
        self._jvm = jvm
        gateway = spark.sparkContext._gateway
        assert gateway is not None
        self._gateway = gateway
        self._process = psutil.Process(int(jvm.java.lang.ProcessHandle.current().pid()))

    def threads(self) -> list[str]:
        """The names of all threads."""
        return [str(thread.getName()) for thread in self._jvm.java.lang.Thread.getAllStackTraces().keySet()]

    def system_properties(self) -> dict[str, str]:
        properties = self._jvm.java.lang.System.getProperties()
        return {str(name): str(properties.get(name)) for name in properties.stringPropertyNames()}

    def set_system_property(self, name: str, value: str) -> None:
        self._jvm.java.lang.System.setProperty(name, value)

    def our_threads(self) -> list[str]:
        """The names of the threads that the source started and that still run."""
        return sorted(name for name in self.threads() if name.startswith(_OURS))

    def admin_threads(self) -> list[str]:
        """Those of the clients alone by which the driver asks clusters."""
        return [name for name in self.our_threads() if name.startswith("kafka-admin")]

    def connections(self, cluster: KafkaCluster) -> set[int]:
        """The local ports of all open connections to a cluster, of driver and executor."""
        return self.connections_to(cluster.bootstrap_servers)

    def connections_to(self, address: str) -> set[int]:
        """The same, to one of a cluster's listeners."""
        there = int(address.rsplit(":", 1)[1])
        open_ = self._process.net_connections(kind="tcp")
        return {
            one.laddr.port for one in open_ if one.raddr and one.raddr.port == there and one.status == "ESTABLISHED"
        }

    def consumer_figures(self, prefix: str, group: str, figure: str) -> list[float]:
        """A metric of Kafka's own, by its group and name, of each open consumer whose client id begins so."""
        return self._figures(f"kafka.consumer:type={group},client-id={prefix}-*", figure)

    def requests(self) -> dict[str, float]:
        """How many requests each client has sent so far that is open and reports to JMX."""
        kinds = ("kafka.consumer:type=consumer-metrics,*", "kafka.admin.client:type=admin-client-metrics,*")
        return {
            str(name.getCanonicalName()): float(self._ask_beans("getAttribute", name, "request-total"))
            for kind in kinds
            for name in self._ask_beans("queryNames", self._jvm.javax.management.ObjectName(kind), None)
        }

    def _figures(self, pattern: str, figure: str) -> list[float]:
        found = self._ask_beans("queryNames", self._jvm.javax.management.ObjectName(pattern), None)
        return [float(self._ask_beans("getAttribute", name, figure)) for name in found]

    def beans(self, pattern: str) -> list[str]:
        """The names of the management beans that match."""
        return sorted(
            str(name.getCanonicalName())
            for name in self._ask_beans("queryNames", self._jvm.javax.management.ObjectName(pattern), None)
        )

    def beans_with_values(self, pattern: str) -> str:
        """The same with all their attributes."""
        names = self._ask_beans("queryNames", self._jvm.javax.management.ObjectName(pattern), None)
        return "\n".join(f"{name.getCanonicalName()} {self._values(name)}" for name in names)

    def _values(self, bean: Any) -> dict[str, str]:
        """By attribute; none of a bean that goes meanwhile."""
        try:
            attributes = [one.getName() for one in self._ask_beans("getMBeanInfo", bean).getAttributes()]
            return {attribute: str(self._ask_beans("getAttribute", bean, attribute)) for attribute in attributes}
        except Py4JJavaError:
            return {}

    def histogram(self) -> str:
        """How many objects there are of each class, as a full collection leaves them."""
        command = self._jvm.javax.management.ObjectName("com.sun.management:type=DiagnosticCommand")
        words, kinds = self._array("Object", self._array("String")), self._array("String", "[Ljava.lang.String;")
        return str(self._ask_beans("invoke", command, "gcClassHistogram", words, kinds))

    def _ask_beans(self, method: str, *arguments: Any) -> Any:
        """Calls a method of the management beans' server, by its public interface: py4j does not reach the class that
        implements it."""
        java = self._jvm.java.lang
        kind = java.Class.forName("javax.management.MBeanServerConnection")
        found = next(one for one in kind.getMethods() if one.getName() == method)
        server = java.management.ManagementFactory.getPlatformMBeanServer()
        return found.invoke(server, self._array("Object", *arguments))

    def _array(self, kind: str, *items: Any) -> Any:
        made = self._gateway.new_array(getattr(self._jvm.java.lang, kind), len(items))
        for number, item in enumerate(items):
            made[number] = item
        return made

    def log_level(self, level: str) -> None:
        """Sets the level of everything that is logged."""
        log4j = self._jvm.org.apache.logging.log4j
        log4j.core.config.Configurator.setRootLevel(log4j.Level.toLevel(level))
