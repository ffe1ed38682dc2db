"""The demo: one query follows a stream from one Kafka cluster to another, and proves that nothing was lost."""
