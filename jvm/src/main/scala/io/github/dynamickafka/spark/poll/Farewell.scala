package io.github.dynamickafka.spark.poll

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.errors.Condition

/** Waits at the end of a poller for what is the user's: a call on its way, and the closing of the service. */
final private[poll] class Farewell(name: String, threads: PollThreads) {
  private val log = LoggerFactory.getLogger(classOf[MetadataPoller])

  private val CallMillis  = 1000L
  private val CloseMillis = 5000L

  /** Lets the call end, closes the service, which should free a call that hangs, and warns of what hangs on.
    *
    * @param call interrupted already
    */
  def close(call: Option[Thread], onClose: () => Unit): Unit = {
    // A query is stopped by interrupting its thread, which is the one that closes: that must not cut the waits short.
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
        log.warn(s"${Condition.MetadataUnavailable} The metadata service failed to close. source=$name", e)
    }

  private def ended(thread: Thread, millis: Long): Boolean = {
    thread.join(millis)
    !thread.isAlive
  }

  private def abandoned(what: String): Unit = log.warn(
    "{} After the end of the query {} still hangs; it is abandoned on a daemon thread. Make close() free it. source={}",
    Condition.MetadataUnavailable,
    what,
    name
  )
}
