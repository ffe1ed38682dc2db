package io.github.dynamickafka.spark.metadata

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

/** What becomes of whatever a user's code throws: one `METADATA_UNAVAILABLE` that tells who, where and what. */
private[metadata] object ServiceFailure {

  /** Runs user's code. Its failures are failed fetches, broken classes and endless recursion included; only what
    * makes the whole JVM unfit passes, and what already carries a condition.
    *
    * @param what the call, as a message names it
    */
  def guarded[A](what: => String)(body: => A): A =
    try body
    catch {
      case e: DynamicKafkaException                                      => throw e
      case e: VirtualMachineError if !e.isInstanceOf[StackOverflowError] => throw e
      case e: InterruptedException                                       =>
        Thread.currentThread.interrupt()
        throw failed(what, e)
      case e: Throwable => throw failed(what, e)
    }

  /** An answer that breaks the rules of the interface. */
  def unexpected(what: String, seen: String, expected: String): DynamicKafkaException =
    DynamicKafkaException(
      Condition.MetadataUnavailable,
      s"$what returned $seen; expected $expected. Correct the service."
    )

  private def failed(what: String, e: Throwable): DynamicKafkaException = DynamicKafkaException(
    Condition.MetadataUnavailable,
    s"$what failed: ${e.getClass.getName}: ${e.getMessage}. See the cause; the service is asked again at the next interval.",
    e
  )
}
