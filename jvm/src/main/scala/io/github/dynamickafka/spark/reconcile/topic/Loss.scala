package io.github.dynamickafka.spark.reconcile.topic

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.offsets.TopicOffset
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Records of a topic that are gone, though they were not read. `failOnDataLoss` decides what follows.
  *
  * @param failure all of it, as an error
  * @param notices the same as warnings
  * @param goesOn the topic as it is read on, without these records
  * @param recreated whether the topic may be another one than was read. That is no loss if the metadata did not list it
  *                  meanwhile, whichever came first
  */
final case class Loss(failure: Failure, notices: Vector[Notice.Lost], goesOn: TopicOffset, recreated: Boolean = false)
