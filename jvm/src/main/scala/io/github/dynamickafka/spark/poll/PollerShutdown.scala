package io.github.dynamickafka.spark.poll

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.log.QueryLog

/** Shuts a poller down: closes the user's service, and waits for a call that is still under way.
  *
  * @param masked a failure without secrets
  */
final private[poll] class PollerShutdown(
    log: QueryLog,
    threads: PollThreads,
    masked: DynamicKafkaException => DynamicKafkaException
) {
  private val CallMillis  = 1000L
  private val CloseMillis = 5000L

  /** Closes the service and waits for the call to end. Closing should end a call that hangs. Warns about what still
    * hangs.
    *
    * @param call is interrupted already
    */
  def close(call: Option[Thread], onClose: () => Unit): Unit = {
    // Spark stops a query by interrupting its thread, and that thread runs this code. The interrupt must not end the
    // waits.
    val interrupted = Thread.interrupted()
    try {
      call.foreach(ended(_, CallMillis))
      val closer = threads.thread(closing(onClose))
      closer.start()
      if (!ended(closer, CloseMillis)) abandoned("close() of the metadata service")
      if (!call.forall(ended(_, CallMillis))) abandoned("a call of the metadata service")
    } finally if (interrupted) Thread.currentThread.interrupt()
  }

  private def closing(onClose: () => Unit): Unit =
    try onClose()
    catch {
      case e: Throwable =>
        val text    = s"The metadata service failed to close: $e."
        val failure = masked(DynamicKafkaException(Condition.MetadataUnavailable, text, e))
        log.warn(failure.summary, failure.getCause)
    }

  private def ended(thread: Thread, millis: Long): Boolean = {
    thread.join(millis)
    !thread.isAlive
  }

  private def abandoned(what: String): Unit = log.warn(
    s"${Condition.MetadataUnavailable} The query has ended, but $what still hangs; it is left on a daemon thread. Make " +
      "close() end it."
  )
}
