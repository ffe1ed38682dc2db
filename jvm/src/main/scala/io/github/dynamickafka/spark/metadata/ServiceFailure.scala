package io.github.dynamickafka.spark.metadata

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

/** Turns whatever a user's code throws into a `METADATA_UNAVAILABLE` that names the class, the method and the error. */
private[metadata] object ServiceFailure {

  /** Runs a user's code. Whatever it throws is a failed fetch, also a broken class or an endless recursion. Two kinds
    * pass unchanged: errors of the JVM itself, and failures that already have a condition.
    *
    * @param what the call, as messages name it
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

  /** The failure for an answer that breaks the rules of the interface. */
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
