package io.github.dynamickafka.spark.read

import java.time.Duration

/** How executors read.
  *
  * @param readTimeout how long a cluster may bring a range no further before the task fails
  * @param idleTimeout after which a consumer that no task used is closed
  * @param fetchBytes the limit of [[FetchWindow]]
  * @param groupIdPrefix of the generated group and client ids
  * @param failOnDataLoss whether records that are gone fail the task, or are counted and passed over
  */
final case class ReadSettings(
    readTimeout: Duration,
    idleTimeout: Duration,
    fetchBytes: Long,
    groupIdPrefix: String,
    failOnDataLoss: Boolean
)
