"""``python -m dynamic_kafka.demo``: a query follows a stream from one Kafka cluster to another, each order once."""

__all__: list[str] = []
