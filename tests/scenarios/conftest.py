"""What every scenario has: the session, queries that are stopped afterwards, and a source with short intervals."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from dynamic_kafka import (
    DynamicKafkaSource,
    DynamicKafkaSourceBuilder,
    JvmMetadataService,
    MetadataService,
    SingleClusterMetadataService,
)
from dynamic_kafka._brokers.ports import claim_port
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, KafkaClusters, ServerSettings
from tests.cluster.certificates import Certificates, make_certificates
from tests.cluster.fixtures import has_failed, kept_folder
from tests.cluster.secure_listeners import ALLOWED_URLS
from tests.cluster.tokens import TokenEndpoint, token_endpoint
from tests.monitoring.prometheus import exporter
from tests.scenarios import shown_places
from tests.scenarios.checkpoint_texts import connections_in_checkpoints
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.incident_view import IncidentView, incident_view
from tests.scenarios.last_look import watched
from tests.scenarios.listing import FileListing, Listing, ProgramListing, on
from tests.scenarios.operating import Operator
from tests.scenarios.planted import Planted
from tests.scenarios.queries import Queries
from tests.scenarios.real_time import LiveQuery, live_query
from tests.scenarios.scene import Scene
from tests.scenarios.session import KAFKA_PASSWORD, MONITORED, RACK, STORE_PASSWORD, start_spark
from tests.scenarios.session_log import SessionLog
from tests.scenarios.spark_kafka import kafka_jars
from tests.scenarios.spark_programs import SmallStream, small_stream

Name = Callable[[str], str]
Source = Callable[..., DynamicKafkaSourceBuilder]
Creates = Callable[..., str]

# Another leader, of a partition or of the controllers, is there within four seconds.
HASTY = {
    "controller.quorum.fetch.timeout.ms": "1000",
    "controller.quorum.election.timeout.ms": "500",
}


# Of the three brokers, by their numbers. Only a client that says where it is takes notice.
RACKS = ("north", RACK, "east")


@pytest.fixture(scope="session")
def spark_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the session's log `spark.log`, its `events` and its `warehouse` are."""
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="session")
def exported() -> Iterator[str]:
    """Where the session shows its metrics to Prometheus."""
    port = claim_port()
    yield f"127.0.0.1:{port.number}"
    port.release()


@pytest.fixture(scope="session")
def spark(spark_folder: Path, exported: str) -> Iterator[SparkSession]:
    """The one session of the run, with the pages on which tests look for secrets, and the monitoring plugin."""
    shown = {"spark.ui.enabled": "true", "spark.driver.defaultJavaOptions": exporter(exported)}
    session = start_spark(spark_folder, more={**shown, **MONITORED})
    yield session
    session.stop()


@pytest.fixture
def jvm(spark: SparkSession) -> DriverJvm:
    return DriverJvm(spark)


@pytest.fixture
def log(spark: SparkSession, spark_folder: Path) -> SessionLog:
    """What the session logs from now on."""
    return SessionLog(spark_folder / "spark.log")


@pytest.fixture
def queries(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Queries]:
    """Starts queries; those left over are looked at once more and stopped."""
    with watched(tmp_path, lambda: has_failed(request.node)) as started:
        yield started


@pytest.fixture(autouse=True)
def session_log_is_kept(request: pytest.FixtureRequest) -> Iterator[None]:
    """Of a test that fails, what the session logged during it."""
    log = request.getfixturevalue("log") if "spark" in request.fixturenames else None
    yield
    if log is not None and has_failed(request.node):
        folder = kept_folder(request.node)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "spark.log").write_text("\n".join(log.lines("")))


@pytest.fixture(autouse=True)
def no_connection_in_a_checkpoint(request: pytest.FixtureRequest) -> Iterator[None]:
    """Looks through each checkpoint that a test leaves."""
    folder = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    yield
    if folder is not None:
        found = connections_in_checkpoints(folder)
        assert not found, f"connection settings in a checkpoint: {found}"


@pytest.fixture(scope="session")
def warm_session(spark: SparkSession, started_clusters: KafkaClusters) -> SparkSession:
    """The session once it has asked a cluster. What a new JVM loads for that takes longer than the short limits of some
    tests where the machine is busy. No consumer is opened."""
    cluster = started_clusters.get("a")
    cluster.create_topic("empty")
    service = SingleClusterMetadataService("a", {"bootstrap.servers": cluster.bootstrap_servers})
    empty = DynamicKafkaSource.builder(spark).metadata_service(service).stream_ids("empty").bounded().load()
    assert empty.count() == 0
    return spark


@pytest.fixture(scope="module")
def both(warm_session: SparkSession) -> SparkSession:
    """The session, with Spark's own source as `--packages` brings it. That keeps its consumers
    for five minutes: who counts connections comes before."""
    for jar in kafka_jars().split(","):
        warm_session.sql(f"ADD JAR '{jar}'")
    return warm_session


@pytest.fixture
def source(warm_session: SparkSession) -> Source:
    """A builder of a read from the earliest offsets that asks often, gives up soon: ``source(service, "orders")``."""

    def make(service: MetadataService | JvmMetadataService | str, *stream_ids: str) -> DynamicKafkaSourceBuilder:
        builder = DynamicKafkaSource.builder(warm_session).metadata_service(service).starting_offsets("earliest")
        builder.metadata_discovery_interval("300ms").cluster_request_timeout("10s").cluster_read_timeout("20s")
        # Idle consumers would outlive their test by far, and be seen by the next one.
        builder.consumer_idle_timeout("2s")
        return builder.stream_ids(*stream_ids) if stream_ids else builder

    return make


@pytest.fixture(params=["yaml", "python"])
def listing(request: pytest.FixtureRequest, tmp_path: Path) -> Listing:
    """A metadata service that a test changes: once as a file, once in Python."""
    return FileListing(tmp_path / "streams.yaml") if request.param == "yaml" else ProgramListing()


@pytest.fixture
def program() -> ProgramListing:
    return ProgramListing()


@pytest.fixture
def scene(program: ProgramListing, queries: Queries, source: Source) -> Scene:
    return Scene(program, queries, source)


@pytest.fixture
def file(tmp_path: Path) -> FileListing:
    return FileListing(tmp_path / "streams.yaml")


@pytest.fixture
def filed(file: FileListing, queries: Queries, source: Source) -> Scene:
    """The same, with the streams in a file."""
    return Scene(file, queries, source)


@pytest.fixture
def operator(file: FileListing, queries: Queries, source: Source, fresh_name: Name) -> Operator:
    """Who looks after one stream, in a file."""
    return Operator(file, queries, source, fresh_name("stream"), fresh_name("topic"))


@pytest.fixture
def seen(exported: str, log: SessionLog, tmp_path: Path, file: FileListing) -> Iterator[IncidentView]:
    """Somebody on call, who looks at a query of the operator."""
    with incident_view(exported, log, tmp_path, file.path) as found:
        yield found


@pytest.fixture
def skipping(operator: Operator, seen: IncidentView) -> DynamicKafkaSourceBuilder:
    """The read of the operator, which goes on while a cluster is sick, and keeps a status."""
    read = operator.read().unavailable_cluster_policy("skip").cluster_request_timeout("3s")
    return read.status_path(seen.statuses)


@pytest.fixture
def a(clusters: KafkaClusters) -> KafkaCluster:
    return clusters.get("a")


@pytest.fixture
def b(clusters: KafkaClusters) -> KafkaCluster:
    return clusters.get("b")


@pytest.fixture
def c(clusters: KafkaClusters) -> KafkaCluster:
    return clusters.get("c")


@pytest.fixture
def partitions_of_topic() -> int:
    """A file of tests may have another number."""
    return 1


@pytest.fixture
def topic(a: KafkaCluster, b: KafkaCluster, fresh_name: Name, partitions_of_topic: int) -> str:
    """The usual scene: a topic of one name on a and on b. A file of tests may have another one."""
    name = fresh_name("topic")
    for cluster in (a, b):
        cluster.create_topic(name, partitions=partitions_of_topic)
    return name


@pytest.fixture
def small(a: KafkaCluster, b: KafkaCluster, file: FileListing, fresh_name: Name) -> SmallStream:
    return small_stream(a, b, file, fresh_name)


@pytest.fixture(scope="module")
def started_trio() -> Iterator[KafkaCluster]:
    with KafkaClusters() as clusters:
        (cluster,) = clusters.start("trio", settings=ServerSettings(brokers=3, racks=RACKS, properties=HASTY))
        yield cluster


@pytest.fixture
def trio(started_trio: KafkaCluster) -> KafkaCluster:
    """Three brokers in three racks, all up."""
    started_trio.heal()
    return started_trio


@pytest.fixture
def creates(trio: KafkaCluster, a: KafkaCluster, program: ProgramListing, fresh_name: Name) -> Creates:
    """Creates a topic on trio, and one of its name and one partition on a, which are the stream `orders`."""

    def create(replicas: Sequence[Sequence[int]], **config: str) -> str:
        name = fresh_name("topic")
        dotted = {key.replace("_", "."): value for key, value in config.items()}
        trio.create_topic(name, replicas=replicas, config=dotted)
        a.create_topic(name)
        program.publish("orders", {"trio": on(trio, name), "a": on(a, name)})
        return name

    return create


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Those of the guarded cluster and of its `reader`."""
    return make_certificates(tmp_path_factory.mktemp("certificates"), "reader", STORE_PASSWORD)


@pytest.fixture(scope="session")
def guarded_cluster(certificates: Certificates, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """A cluster where clients log in, started when the first test asks. Tests ask for ``guarded``."""
    settings = ServerSettings(users={"reader": KAFKA_PASSWORD}, certificates=certificates)
    with KafkaClusters(tmp_path_factory.mktemp("guarded")) as clusters:
        (cluster,) = clusters.start("guarded", settings=settings)
        yield cluster


@pytest.fixture
def guarded(guarded_cluster: KafkaCluster) -> KafkaCluster:
    """A cluster where clients log in, as `reader` with the password `first`; with the listeners of
    ``secure_listeners``, too."""
    guarded_cluster.heal()
    guarded_cluster.set_password("reader", KAFKA_PASSWORD)
    return guarded_cluster


@pytest.fixture(scope="session")
def all_tokens(spark: SparkSession, certificates: Certificates) -> Iterator[TokenEndpoint]:
    """One for the run: the session's JVM learns once that it may ask it. Tests ask for ``tokens``."""
    known = (certificates.folder / "broker.pem", certificates.folder / "broker.key")
    with token_endpoint(certificates.token_key, *known, reader=KAFKA_PASSWORD) as endpoint:
        DriverJvm(spark).set_system_property(ALLOWED_URLS, endpoint.url)
        yield endpoint


@pytest.fixture
def tokens(all_tokens: TokenEndpoint) -> Iterator[TokenEndpoint]:
    """Gives tokens of a minute to `reader` for the guarded cluster."""
    clients, seconds = dict(all_tokens.clients), all_tokens.seconds
    all_tokens.given = []
    yield all_tokens
    all_tokens.clients, all_tokens.seconds = clients, seconds
    all_tokens.answers.set()


@pytest.fixture
def planted(jvm: DriverJvm, tmp_path: Path) -> Iterator[Planted]:
    """Secrets by each way they come in, and a control that is no secret."""
    secrets = Planted(tmp_path)
    jvm.set_system_property("dynamic.kafka.tests", secrets.control)
    yield secrets
    jvm.set_system_property("dynamic.kafka.tests", "")


@pytest.fixture
def everything_logged(jvm: DriverJvm, spark_folder: Path) -> Iterator[Callable[[], str]]:
    """Logs at debug; the function gives what was logged since."""
    log = spark_folder / "spark.log"
    before = log.stat().st_size
    jvm.log_level("DEBUG")
    yield lambda: log.read_bytes()[before:].decode(errors="replace")
    jvm.log_level("INFO")


@pytest.fixture
def events_logged(spark_folder: Path) -> Callable[[], str]:
    """A function that gives what Spark's event log has of this test."""
    before = shown_places.sizes(spark_folder / "events")
    return lambda: shown_places.files(spark_folder / "events", before)


@pytest.fixture
def three(a: KafkaCluster, b: KafkaCluster, c: KafkaCluster, fresh_name: Name) -> str:
    """A topic of two partitions on each of three clusters."""
    name = fresh_name("live")
    for cluster in (a, b, c):
        cluster.create_topic(name, partitions=2)
    return name


@pytest.fixture
def live(both: SparkSession, a: KafkaCluster, tmp_path: Path, fresh_name: Name) -> Iterator[LiveQuery]:
    assert both
    with live_query(tmp_path / "live", a, fresh_name("output")) as running:
        yield running
