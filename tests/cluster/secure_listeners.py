"""The listeners of a cluster with certificates, one for each way to connect."""

from collections.abc import Mapping

from tests.cluster.certificates import Certificates

# The system property of Kafka's that lists the addresses which its brokers and clients may ask about tokens.
ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls"

# TLS alone, where everybody is anonymous; mutual TLS; SASL/PLAIN without encryption, and over TLS; SCRAM-SHA-512 and
# OAUTHBEARER over TLS.
PROTOCOLS = {
    "TLS": "SSL",
    "MUTUAL": "SSL",
    "PLAIN": "SASL_PLAINTEXT",
    "PLAIN_TLS": "SASL_SSL",
    "SCRAM": "SASL_SSL",
    "OAUTH": "SASL_SSL",
}

_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required {users};"
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
_OAUTH = "org.apache.kafka.common.security.oauthbearer"


def secure_properties(certificates: Certificates, users: Mapping[str, str]) -> dict[str, str]:
    """The server properties of these listeners. ``users`` are those of SASL/PLAIN, which never change; SCRAM's are in
    Kafka, and have to log in anew every other second, so that a changed password is noticed without new connections.
    One second would be too short: a client logs in some time before it has to, and a broker refuses that so soon."""
    known = " ".join(f'user_{name}="{password}"' for name, password in users.items())
    properties = {
        "delegation.token.secret.key": "of-the-tests",
        "listener.name.mutual.ssl.client.auth": "required",
        "listener.name.mutual.ssl.truststore.type": "PEM",
        "listener.name.mutual.ssl.truststore.certificates": certificates.text("user.pem"),
        "listener.name.mutual.ssl.principal.mapping.rules": "RULE:^CN=(.*)$/$1/",
        "listener.name.scram.sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "listener.name.scram.scram-sha-512.sasl.jaas.config": _SCRAM,
        "listener.name.scram.scram-sha-512.connections.max.reauth.ms": "2000",
        "listener.name.oauth.sasl.enabled.mechanisms": "OAUTHBEARER",
        "listener.name.oauth.oauthbearer.sasl.jaas.config": f"{_OAUTH}.OAuthBearerLoginModule required;",
        "listener.name.oauth.oauthbearer.sasl.server.callback.handler.class": (
            f"{_OAUTH}.OAuthBearerValidatorCallbackHandler"
        ),
        "listener.name.oauth.oauthbearer.sasl.oauthbearer.jwks.endpoint.url": _keys_of(certificates),
        # A connection ends when its token expires, unless the client sends another one in time.
        "listener.name.oauth.oauthbearer.connections.max.reauth.ms": "3600000",
    }
    for name in ("plain", "plain_tls"):
        properties[f"listener.name.{name}.sasl.enabled.mechanisms"] = "PLAIN"
        properties[f"listener.name.{name}.plain.sasl.jaas.config"] = _PLAIN.format(users=known)
    for name in ("tls", "mutual", "plain_tls", "scram", "oauth"):
        properties[f"listener.name.{name}.ssl.keystore.type"] = "PEM"
        properties[f"listener.name.{name}.ssl.keystore.key"] = certificates.text("broker.key")
        properties[f"listener.name.{name}.ssl.keystore.certificate.chain"] = certificates.text("broker.pem")
    return properties


def secure_java_options(certificates: Certificates) -> tuple[str, ...]:
    """Options of the broker's JVM: Kafka asks only allowed addresses about tokens."""
    return (f"-D{ALLOWED_URLS}={_keys_of(certificates)}",)


def _keys_of(certificates: Certificates) -> str:
    return certificates.token_key.jwks.as_uri()
