package io.github.dynamickafka.spark.poll

import java.time.Instant

import io.github.dynamickafka.spark.errors.DynamicKafkaException

/** How well the metadata service answers.
  *
  * @param failures consecutive ones; 0 after a success
  * @param lastGood when the last good answer was complete
  * @param lastFailure the last of the failures that count
  */
final case class PollHealth(
    failures: Int = 0,
    lastGood: Option[Instant] = None,
    lastFailure: Option[DynamicKafkaException] = None
) {
  def failed(failure: DynamicKafkaException): PollHealth =
    copy(failures = failures + 1, lastFailure = Some(failure))

  def succeeded(at: Instant): PollHealth = PollHealth(lastGood = Some(at))

  /** Whether that is more than is tolerated.
    *
    * @param threshold how many consecutive failures are; none: any number
    */
  def givesUp(threshold: Option[Int]): Boolean = threshold.exists(failures > _)
}
