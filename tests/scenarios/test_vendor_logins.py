"""docs/security.md: the logins of vendors, as far as they go without the vendors' clouds."""

import json
import subprocess
from base64 import b64decode, urlsafe_b64decode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from tests.cluster import KafkaCluster
from tests.cluster.certificates import Certificates
from tests.cluster.process_broker import kafka
from tests.cluster.secure_listeners import ALLOWED_URLS
from tests.cluster.serving import serving
from tests.cluster.tokens import TokenEndpoint
from tests.cluster.versions import NEWEST
from tests.maven_folder import add_thin_jar
from tests.packages import fetched, fetched_alone
from tests.readme import printed_by
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import FileListing
from tests.scenarios.producing import write
from tests.scenarios.session import KAFKA_PASSWORD
from tests.security_page import VendorLogin, replaced, vendor_logins

PAGE = vendor_logins()
MSK, CONFLUENT = PAGE["Amazon MSK by IAM"], PAGE["Confluent Cloud by OAuth"]
EVENT_HUBS, GOOGLE = PAGE["Azure Event Hubs by Entra"], PAGE["Google Cloud's Managed Kafka"]
# What Google's package depends on, but for one that only Confluent's own registry has and no login needs.
_OF_GOOGLE = "com.google.auth:google-auth-library-oauth2-http:1.23.0+com.google.api-client:google-api-client:1.32.1"
_AWS = {
    "AWS_ACCESS_KEY_ID": "AKIDOFTESTS",
    "AWS_SECRET_ACCESS_KEY": "of-the-tests",
    "AWS_EC2_METADATA_DISABLED": "true",
}
_ACCOUNT = "reader@demo.iam.gserviceaccount.com"
_SECRET = "${file:/run/secrets/kafka-password}"
_TENANT = "https://login.microsoftonline.com/TENANT/oauth2/v2.0/token"
_MODULE = "OAuthBearerLoginModule required"


def first_message(
    login: VendorLogin, folder: Path, jars: list[Path], environment: Mapping[str, str], allowed: str = ""
) -> str:
    """What a client says first to a broker of the vendor: by Kafka's client and these jars alone."""
    written = "".join(f"{name}={value}\n" for name, value in login.properties.items())
    (folder / "client.properties").write_text(f"bootstrap.servers={login.address}\n{written}")
    path = ":".join([kafka(NEWEST).class_path, *map(str, jars)])
    program = str(Path(__file__).with_name("FirstMessage.java"))
    host = login.address.partition(":")[0]
    command = ["java", f"-D{ALLOWED_URLS}={allowed}", "-cp", path, program, str(folder / "client.properties"), host]
    printed = printed_by(command, folder, environment, within=60)
    (found,) = [line.removeprefix("first ") for line in printed.splitlines() if line.startswith("first ")]
    return b64decode(found).decode()


def bearer(message: str) -> tuple[str, dict[str, str]]:
    """The token and the extensions in the first message of OAUTHBEARER."""
    fields = dict(part.split("=", 1) for part in message.split("\1")[1:] if part)
    return fields.pop("auth").removeprefix("Bearer "), fields


def test_msk_gets_a_request_that_is_signed_with_the_credentials_of_the_environment(tmp_path: Path) -> None:
    said = json.loads(first_message(MSK, tmp_path, fetched(MSK.packages[0]), _AWS))
    assert said["host"] == MSK.address.partition(":")[0]
    assert said["action"] == "kafka-cluster:Connect"
    key, _, region, service, _ = said["x-amz-credential"].split("/")
    assert (key, region, service) == (_AWS["AWS_ACCESS_KEY_ID"], "eu-west-1", "kafka-cluster")
    assert len(said["x-amz-signature"]) == 64


@dataclass
class Googles:
    """An endpoint that gives tokens to a service account, and the file that makes a client ask there."""

    credentials: Path
    asked: list[dict[str, list[str]]] = field(default_factory=list)


@pytest.fixture
def google(tmp_path: Path) -> Iterator[Googles]:
    with google_endpoint(tmp_path) as endpoint:
        yield endpoint


@contextmanager
def google_endpoint(folder: Path) -> Iterator[Googles]:
    """Serves until the block ends."""

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            form = self.rfile.read(int(self.headers["Content-Length"])).decode()
            endpoint.asked.append(parse_qs(form))
            body = json.dumps({"access_token": "of-google", "token_type": "Bearer", "expires_in": 3600}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Not into what tests print."""

    make = ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    key = subprocess.run(make, check=True, capture_output=True, text=True).stdout
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    with serving(server) as port:
        account = {
            "type": "service_account",
            "project_id": "demo",
            "private_key_id": "1",
            "private_key": key,
            "client_email": _ACCOUNT,
            "client_id": "1",
            "token_uri": f"http://127.0.0.1:{port}/token",
        }
        (folder / "account.json").write_text(json.dumps(account))
        endpoint = Googles(folder / "account.json")
        yield endpoint


def test_google_gets_a_token_of_the_service_account(google: Googles, tmp_path: Path) -> None:
    jars = [fetched_alone(GOOGLE.packages[0]), *fetched(_OF_GOOGLE)]
    environment = {"GOOGLE_APPLICATION_CREDENTIALS": str(google.credentials)}
    token, extensions = bearer(first_message(GOOGLE, tmp_path, jars, environment))
    head, payload, own = (urlsafe_b64decode(part + "==").decode() for part in token.split("."))
    assert json.loads(head)["alg"] == "GOOG_OAUTH2_TOKEN"
    assert json.loads(payload)["sub"] == _ACCOUNT
    assert (own, extensions) == ("of-google", {})
    assert google.asked[0]["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]


@pytest.fixture
def here(tokens: TokenEndpoint, certificates: Certificates, guarded: KafkaCluster, tmp_path: Path) -> dict[str, str]:
    """What the page's addresses and files stand for, and the trust that certificates of tests need besides."""
    (tmp_path / "password").write_text(KAFKA_PASSWORD)
    trusted = certificates.folder / "broker.pem"
    of_endpoint = f'{_MODULE} ssl.truststore.type="PEM" ssl.truststore.location="{trusted}"'
    of_broker = (
        f"security.protocol: SASL_SSL\n        ssl.truststore.type: PEM\n        ssl.truststore.location: {trusted}"
    )
    return {
        CONFLUENT.address: guarded.secure_address("OAUTH"),
        EVENT_HUBS.address: guarded.secure_address("OAUTH"),
        MSK.address: guarded.secure_address("OAUTH"),
        GOOGLE.address: guarded.secure_address("OAUTH"),
        "https://login.example.com/token": tokens.url,
        _TENANT: tokens.url,
        "/run/secrets/kafka-password": str(tmp_path / "password"),
        _MODULE: of_endpoint,
        "security.protocol: SASL_SSL": of_broker,
    }


@pytest.mark.parametrize("login", [CONFLUENT, EVENT_HUBS], ids=["confluent", "event-hubs"])
def test_what_needs_no_package_logs_in_with_a_token_of_the_endpoint(
    login: VendorLogin,
    here: dict[str, str],
    tokens: TokenEndpoint,
    guarded: KafkaCluster,
    fresh_name: Name,
    file: FileListing,
    source: Source,
) -> None:
    assert login.packages == ()
    topic = fresh_name("orders")
    guarded.create_topic(topic)
    written = write(guarded, topic, "1")
    file.write(replaced(login.file, here).replace("topics: [orders]", f"topics: [{topic}]"))
    asked = len(tokens.asked)
    rows = source(file.service, "orders").bounded().load().collect()
    assert [bytes(row["value"]).decode() for row in rows] == written
    (scope,) = {str(parse_qs(form).get("scope")) for form in tokens.asked[asked:]}
    assert scope == str([login.properties["sasl.oauthbearer.scope"]] if login is EVENT_HUBS else None)


def test_confluents_cluster_and_pool_go_with_the_token(
    here: dict[str, str], tokens: TokenEndpoint, tmp_path: Path
) -> None:
    replaced = dict(CONFLUENT.properties)
    for there, instead in {_SECRET: KAFKA_PASSWORD, **here}.items():
        replaced = {key: value.replace(there, instead) for key, value in replaced.items()}
    login = VendorLogin(CONFLUENT.file, CONFLUENT.address, replaced, ())
    token, extensions = bearer(first_message(login, tmp_path, [], {}, tokens.url))
    assert token == tokens.given[-1]
    assert extensions == {"logicalCluster": "lkc-a1b2c3", "identityPoolId": "pool-a1b2"}


# One session for both packages: what each cluster's login ends with.
_PROGRAM = """
import sys
from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService, configure_spark, find_error
from pyspark.sql import SparkSession

repository, ivy, packages, *files = sys.argv[1:]
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.jars.repositories", repository).config("spark.jars.ivy", ivy)
builder = builder.config("spark.jars.excludes", "io.confluent:kafka-schema-registry-client")
spark = configure_spark(builder, plugins=packages.split(",")).getOrCreate()
for file in files:
    source = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(file)).stream_ids("orders")
    try:
        print("rows", source.bounded().load().count())
    except Exception as failure:
        print("refused", " ".join(str(find_error(failure)).split()))
"""


@pytest.mark.matrix
def test_by_their_packages_both_logins_get_as_far_as_a_broker_of_somebody_else(
    here: dict[str, str], google: Googles, environment: Path, tmp_path: Path
) -> None:
    add_thin_jar(tmp_path / "m2")
    for name, login in (("msk", MSK), ("google", GOOGLE)):
        (tmp_path / f"{name}.yaml").write_text(replaced(login.file, here))
    (tmp_path / "program.py").write_text(_PROGRAM)
    packages = f"{MSK.packages[0]},{GOOGLE.packages[0]}"
    places = [(tmp_path / "m2").as_uri(), str(tmp_path / "ivy"), packages]
    command = [str(environment), "program.py", *places, "msk.yaml", "google.yaml"]
    given = {**_AWS, "AWS_REGION": "eu-west-1", "GOOGLE_APPLICATION_CREDENTIALS": str(google.credentials)}
    printed = printed_by(
        command, tmp_path, {**given, "PYTHONPATH": "", "PYSPARK_SUBMIT_ARGS": "pyspark-shell"}, within=300
    )
    msk, googles = [line for line in printed.splitlines() if line.startswith(("rows", "refused"))]
    assert "AUTHENTICATION_FAILED" in msk
    assert "'AWS_MSK_IAM' not enabled in the server" in msk
    assert "AUTHENTICATION_FAILED" in googles
    assert google.asked, "no token was asked for"
