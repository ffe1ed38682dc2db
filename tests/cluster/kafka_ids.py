"""New ids, as Kafka makes them."""

import base64
import uuid


def new_kafka_id() -> str:
    """22 characters of Base64, the first no dash, which would look like an option."""
    made = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    return made if not made.startswith("-") else new_kafka_id()
