package io.github.dynamickafka.spark.poll

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.metadata.{FetchedTopology, MetadataFetch}

/** Refuses metadata with ending offsets, which Real-Time Mode can't keep. At the start the query fails; later the last
  * topology stays, as for any answer that can't be used.
  */
final class EndlessStreams(fetch: MetadataFetch) extends MetadataFetch {
  override def apply(draining: Set[ClusterId]): FetchedTopology = {
    val found = fetch(draining)
    val ended = found.topology.clusters.collect { case (id, cluster) if cluster.endingOffsets.isDefined => id }.toVector
    if (ended.nonEmpty) throw DynamicKafkaException(
      Condition.InvalidMetadata,
      say"Real-Time Mode reads without an end, and the metadata give ending offsets for ${Wording.list(
          ended.sorted.map(id => Named.cluster(id.value))
        )}. Leave them out, or use another trigger."
    )
    found
  }

  override def streams(): SortedSet[StreamId] = fetch.streams()
}
