"""Who may do what on a cluster that has users."""

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from dynamic_kafka._brokers.broker import Broker
from dynamic_kafka.testing._patience import PATIENCE, patiently

from tests.cluster.replicas import Replicas

Rule = TypeVar("Rule")
Answer = TypeVar("Answer")

_ITERATIONS = 4096
_DELEGATION = "org.apache.kafka.tools.DelegationTokenCommand"

# All that were ever set in this process, for who looks where they must not be.
PASSWORDS: set[str] = set()


class Access(Replicas):
    """Users, by SCRAM, and their rights on topics, or on what else there is by its ``kind``."""

    def __init__(self, name: str, address: str, brokers: Sequence[Broker], users: Mapping[str, str]) -> None:
        super().__init__(name, address, brokers)
        self._passwords = dict(users)

    def add_user(self, user: str, password: str) -> None:
        """Creates a user who may do nothing, or changes a password; connections that are open stay logged in."""
        PASSWORDS.add(password)
        # Kafka takes one user but once a call.
        for mechanism in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512):
            login = UserScramCredentialUpsertion(user, ScramCredentialInfo(mechanism, _ITERATIONS), password.encode())
            patiently(f"user {user} gets a password for {mechanism.name}", partial(self._alter, login))
        self._passwords[user] = password

    def set_password(self, user: str, password: str) -> None:
        """The same of a user who may do all with topics and groups."""
        self.add_user(user, password)
        for kind in (ResourceType.TOPIC, ResourceType.GROUP):
            self.allow(user, AclOperation.ALL, "*", kind)

    def allow(self, user: str, operation: AclOperation, name: str, kind: ResourceType = ResourceType.TOPIC) -> None:
        """Allows a user one operation."""
        self._add(AclBinding(*_rule(kind, name, user, operation), AclPermissionType.ALLOW))

    def forbid(self, user: str, name: str, kind: ResourceType = ResourceType.TOPIC) -> None:
        """Denies a user everything, whatever else is allowed."""
        self._add(AclBinding(*_rule(kind, name, user), AclPermissionType.DENY))

    def permit(self, user: str, name: str, kind: ResourceType = ResourceType.TOPIC) -> None:
        """Takes back what ``forbid`` denied."""
        rule = AclBindingFilter(*_rule(kind, name, user), AclPermissionType.DENY)
        patiently(f"{rule} is deleted", lambda: _results(self._admin.delete_acls([rule], request_timeout=PATIENCE)))

    def delegation_token(self, properties: Mapping[str, str]) -> tuple[str, str]:
        """The id and the secret of a new token, for whom these properties log in."""
        with tempfile.NamedTemporaryFile("w", suffix=".properties") as login:
            login.write("".join(f"{name}={value}\n" for name, value in properties.items()))
            login.flush()
            command = self.kafka.command(_DELEGATION, "-XX:TieredStopAtLevel=1")
            command += ["--bootstrap-server", properties["bootstrap.servers"], "--command-config", login.name]
            command += ["--create", "--max-life-time-period", "-1"]
            printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        # The last line is the one row of a table, whose first two columns these are.
        token, secret, *_ = printed.strip().splitlines()[-1].split()
        return token, secret

    def _alter(self, login: UserScramCredentialUpsertion) -> None:
        self._admin.alter_user_scram_credentials([login], request_timeout=PATIENCE)[login.user].result()

    def _add(self, rule: AclBinding) -> None:
        patiently(f"{rule} is created", lambda: _results(self._admin.create_acls([rule], request_timeout=PATIENCE)))


def _rule(
    kind: ResourceType, name: str, user: str, operation: AclOperation = AclOperation.ALL
) -> tuple[ResourceType, str, ResourcePatternType, str, str, AclOperation]:
    return kind, name, ResourcePatternType.LITERAL, f"User:{user}", "*", operation


def _results(asked: Mapping[Rule, Future[Answer]]) -> list[Answer]:
    return [done.result() for done in asked.values()]
