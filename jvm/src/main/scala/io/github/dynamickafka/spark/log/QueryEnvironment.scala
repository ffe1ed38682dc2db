package io.github.dynamickafka.spark.log

import java.time.Clock

import io.github.dynamickafka.spark.log.QueryLog

/** What the parts of one query's driver side have in common. */
final case class QueryEnvironment(log: QueryLog, clock: Clock)
