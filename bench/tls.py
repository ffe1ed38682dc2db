"""Brokers with TLS, and clients that trust them."""

import shutil

from tests.cluster.certificates import Certificates, make_certificates

from bench.folders import FOLDER


def new_certificates() -> Certificates:
    """For brokers of this run. Earlier ones are deleted."""
    folder = FOLDER / "certificates"
    shutil.rmtree(folder, ignore_errors=True)
    return make_certificates(folder, "reader", "of-the-stores")


def trusting(certificates: Certificates) -> dict[str, str]:
    """The properties of a client that trusts these brokers."""
    return {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": certificates.text("broker.pem"),
    }
