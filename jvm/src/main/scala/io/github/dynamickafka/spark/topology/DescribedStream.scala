package io.github.dynamickafka.spark.topology

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}

/** One subscribed stream as the metadata service describes it, as plain values. */
final case class DescribedStream(id: StreamId, clusters: SortedMap[ClusterId, DescribedCluster])

/** One cluster of a described stream.
  *
  * @param ownProperties the names of the properties that the metadata gives the cluster
  * @param written all properties, the query's `kafka.*` options included, with placeholders as they are written
  * @param connection the same with placeholders resolved, or why they can't be
  * @param startingOffsets the text of the cluster's own starting offsets
  * @param endingOffsets the text of the cluster's own ending offsets
  * @param continues the earlier ids that this stream gives the cluster
  * @param pause which part of the cluster this stream pauses
  */
final case class DescribedCluster(
    topics: SortedSet[String],
    ownProperties: SortedSet[String],
    written: ConnectionSettings,
    connection: Either[Failure, ConnectionSettings],
    startingOffsets: Option[String] = None,
    endingOffsets: Option[String] = None,
    continues: SortedSet[ClusterId] = SortedSet.empty,
    pause: Pause = Pause.none
)
