"""What each version of Spark writes into checkpoints of queries that read its own Kafka source."""
