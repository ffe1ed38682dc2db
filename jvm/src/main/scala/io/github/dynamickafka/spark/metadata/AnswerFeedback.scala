package io.github.dynamickafka.spark.metadata

import java.time.Instant

import io.github.dynamickafka.spark.errors.DynamicKafkaException

/** A service that gets feedback: whether its answers are used. Both methods return at once and do not throw. */
private[spark] trait AnswerFeedback {

  /** The query uses a good answer. Called at each of its triggers, on its own thread.
    *
    * @param came when the answer was complete
    */
  def applied(version: Option[Long], came: Instant): Unit

  /** A fetch failed: there was no answer, or it can't be used. */
  def refused(failure: DynamicKafkaException): Unit
}
