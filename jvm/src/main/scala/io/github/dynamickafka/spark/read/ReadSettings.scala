package io.github.dynamickafka.spark.read

import java.time.Duration

/** How executors read.
  *
  * @param readTimeout how long a task tries to read from a cluster without success before it fails
  * @param idleTimeout after which a consumer that no task used is closed
  * @param fetchBytes the limit of [[FetchWindow]]: of one task
  * @param groupIdPrefix of the generated group and client ids
  * @param failOnDataLoss whether records that are gone fail the task; otherwise they are counted and passed over
  * @param advice what an error advises if a cluster can't be read: see [[plan.RecoveryAdvice]]
  * @param agreement for how long brokers must agree that a topic was deleted
  * @param executorBytes the limit of [[FetchBudget]]: of one executor, whose heap decides if it is not set
  */
final case class ReadSettings(
    readTimeout: Duration,
    idleTimeout: Duration,
    fetchBytes: Long,
    groupIdPrefix: String,
    failOnDataLoss: Boolean,
    advice: String,
    executorBytes: Option[Long] = None,
    agreement: Duration = Duration.ofSeconds(30)
) {

  /** On the executor that calls this. */
  private[read] def fetchLimits: FetchBudget.Limits =
    FetchBudget.Limits(fetchBytes, executorBytes.getOrElse(FetchBudget.ofHeap(Runtime.getRuntime.maxMemory)))
}
