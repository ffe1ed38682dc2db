package io.github.dynamickafka.spark.read

import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.errors.{InterruptException, RetriableException, WakeupException}

/** The calls to the consumer of one cluster. A consumer whose call did not end properly is not used again.
  *
  * @param unread what is not read to its end, for errors
  */
final private[read] class GuardedCalls(lease: Lease, unread: () => ClusterPart) {
  def apply[A](call: => A): A =
    try call
    catch {
      case e @ (_: InterruptException | _: WakeupException) =>
        lease.failed()
        // Kafka sets the thread's interrupt flag again. Spark waits for the checked exception, which clears it.
        Thread.interrupted(): Unit
        throw new InterruptedException(s"stopped while reading cluster ${unread().cluster}: ${e.getMessage}")
      case e: RetriableException => throw e
      case e: KafkaException     =>
        lease.clusterFailed()
        throw ReadFailures.of(unread(), e)
      case e: Throwable =>
        lease.failed()
        throw e
    }
}
