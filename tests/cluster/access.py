"""Who may do what on a cluster that has users."""

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

from tests.cluster.patience import PATIENCE

_ITERATIONS = 4096


def set_password(admin: AdminClient, user: str, password: str) -> None:
    """Creates a user or changes the password of one; sessions that are open go on."""
    upsertion = UserScramCredentialUpsertion(
        user, ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, _ITERATIONS), password.encode()
    )
    admin.alter_user_scram_credentials([upsertion], request_timeout=PATIENCE)[user].result()


def forbid(admin: AdminClient, user: str, name: str, kind: ResourceType = ResourceType.TOPIC) -> None:
    """Denies a user everything on a topic, or a group. Kafka then also denies every other user who is not allowed by
    name."""
    rule = AclBinding(
        kind,
        name,
        ResourcePatternType.LITERAL,
        f"User:{user}",
        "*",
        AclOperation.ALL,
        AclPermissionType.DENY,
    )
    for done in admin.create_acls([rule], request_timeout=PATIENCE).values():
        done.result()


def permit(admin: AdminClient, user: str, name: str, kind: ResourceType = ResourceType.TOPIC) -> None:
    """Takes back what ``forbid`` denied."""
    rule = AclBindingFilter(
        kind,
        name,
        ResourcePatternType.LITERAL,
        f"User:{user}",
        "*",
        AclOperation.ALL,
        AclPermissionType.DENY,
    )
    for done in admin.delete_acls([rule], request_timeout=PATIENCE).values():
        done.result()
