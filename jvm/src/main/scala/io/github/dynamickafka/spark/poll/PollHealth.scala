package io.github.dynamickafka.spark.poll

import java.time.Instant

import io.github.dynamickafka.spark.errors.DynamicKafkaException

/** The health of the metadata service.
  *
  * @param failures consecutive failures; 0 after a success
  * @param lastGood when the last good answer was complete
  * @param lastFailure the newest failure that counts
  */
final case class PollHealth(
    failures: Int = 0,
    lastGood: Option[Instant] = None,
    lastFailure: Option[DynamicKafkaException] = None
) {
  def failed(failure: DynamicKafkaException): PollHealth =
    copy(failures = failures + 1, lastFailure = Some(failure))

  def succeeded(at: Instant): PollHealth = PollHealth(lastGood = Some(at))

  /** Whether there are more failures than tolerated.
    *
    * @param threshold how many consecutive failures are tolerated. None: any number
    */
  def givesUp(threshold: Option[Int]): Boolean = threshold.exists(failures > _)
}
