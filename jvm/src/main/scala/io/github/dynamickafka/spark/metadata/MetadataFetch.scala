package io.github.dynamickafka.spark.metadata

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}

/** How a metadata service is asked. The parameter is the draining clusters, for which it is asked whether they are
  * active.
  */
trait MetadataFetch extends (Set[ClusterId] => FetchedTopology) {

  /** The ids of all streams that the service knows, for the text of an error. */
  def streams(): SortedSet[StreamId] = SortedSet.empty

  /** What the service raised elsewhere, without the secrets that fetches know. */
  def masked(failure: DynamicKafkaException): DynamicKafkaException = failure
}
