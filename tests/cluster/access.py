"""Who may do what on a cluster that has users."""

import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from tests.cluster.patience import PATIENCE, patiently

Rule = TypeVar("Rule")
Answer = TypeVar("Answer")

_ITERATIONS = 4096

# All that were ever set in this process, for who looks where they must not be.
PASSWORDS: set[str] = set()


def delegation_token(command: list[str], properties: Mapping[str, str]) -> tuple[str, str]:
    """The id and the secret of a new token, for whom these properties log in. ``command`` is Kafka's own tool."""
    with tempfile.NamedTemporaryFile("w", suffix=".properties") as login:
        login.write("".join(f"{name}={value}\n" for name, value in properties.items()))
        login.flush()
        command = [*command, "--bootstrap-server", properties["bootstrap.servers"], "--command-config", login.name]
        command += ["--create", "--max-life-time-period", "-1"]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    # The last line is the one row of a table, whose first two columns these are.
    token, secret, *_ = printed.strip().splitlines()[-1].split()
    return token, secret


def set_password(admin: AdminClient, user: str, password: str) -> None:
    """Creates a user or changes the password of one; sessions that are open go on."""
    PASSWORDS.add(password)
    for mechanism in (
        ScramMechanism.SCRAM_SHA_256,
        ScramMechanism.SCRAM_SHA_512,
    ):  # Kafka takes one user but once a call
        login = UserScramCredentialUpsertion(user, ScramCredentialInfo(mechanism, _ITERATIONS), password.encode())
        change = partial(_alter, admin, login)
        patiently(f"user {user} gets a password for {mechanism.name}", change)


def _alter(admin: AdminClient, login: UserScramCredentialUpsertion) -> None:
    admin.alter_user_scram_credentials([login], request_timeout=PATIENCE)[login.user].result()


def forbid(admin: AdminClient, user: str, name: str, kind: ResourceType = ResourceType.TOPIC) -> None:
    """Denies a user everything on a topic, or a group, whatever else is allowed."""
    _create(admin, AclBinding(*_everything(kind, name, user), AclPermissionType.DENY))


def permit(admin: AdminClient, user: str, name: str, kind: ResourceType = ResourceType.TOPIC) -> None:
    """Takes back what ``forbid`` denied."""
    rule = AclBindingFilter(*_everything(kind, name, user), AclPermissionType.DENY)
    patiently(f"{rule} is deleted", lambda: _results(admin.delete_acls([rule], request_timeout=PATIENCE)))


def allow_all(admin: AdminClient, user: str) -> None:
    """Allows a user everything on all topics and groups."""
    for kind in (ResourceType.TOPIC, ResourceType.GROUP):
        _create(admin, AclBinding(*_everything(kind, "*", user), AclPermissionType.ALLOW))


def allow(admin: AdminClient, user: str, operation: AclOperation, kind: ResourceType, name: str) -> None:
    """Allows a user one operation on one topic or group."""
    rule = (kind, name, ResourcePatternType.LITERAL, f"User:{user}", "*", operation, AclPermissionType.ALLOW)
    _create(admin, AclBinding(*rule))


def _everything(
    kind: ResourceType, name: str, user: str
) -> tuple[ResourceType, str, ResourcePatternType, str, str, AclOperation]:
    return kind, name, ResourcePatternType.LITERAL, f"User:{user}", "*", AclOperation.ALL


def _create(admin: AdminClient, rule: AclBinding) -> None:
    patiently(f"{rule} is created", lambda: _results(admin.create_acls([rule], request_timeout=PATIENCE)))


def _results(asked: Mapping[Rule, Future[Answer]]) -> list[Answer]:
    return [done.result() for done in asked.values()]
