package io.github.dynamickafka.spark.driver.report

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.topology.Topology

/** A cluster whose topics are no longer read, because the metadata no longer has their stream. */
final case class MissingStreams(cluster: ClusterId, warning: Failure)

/** The streams that `streamIds` names and that the metadata no longer has. The query treats this as a
  * removal. But it may be a typing error, so there is a warning as long as it lasts.
  */
object MissingStreams {

  /** By cluster.
    *
    * @param held what the query holds positions of
    */
  def of(topology: Topology, held: SourceOffset): Vector[MissingStreams] =
    if (topology.unknown.isEmpty) Vector.empty
    else held.clusters.toVector.flatMap { case (id, cluster) =>
      val gone = cluster.topics.filter { case (name, topic) =>
        topology.unknown(topic.stream) && !topology.lists(id, name)
      }
      Option.when(gone.nonEmpty) {
        // The same text for each of their clusters: a reader sees at once that it is one cause.
        MissingStreams(id, failure(gone.valuesIterator.map(_.stream).to(SortedSet)))
      }
    }

  /** The warning for the log, also if nothing is held of such a stream. */
  def warning(topology: Topology): Option[Failure] = Option.when(topology.unknown.nonEmpty)(
    failure(topology.unknown)
  )

  private def failure(streams: SortedSet[StreamId]): Failure = Failure(
    Condition.StreamNotFound,
    say"The metadata has no stream ${Wording.first(streams)}, which streamIds names. " +
      "So all that is read of it drains or stops, as removedClusterPolicy says. If this is a typing error, correct the " +
      "metadata: reading resumes where it was."
  )
}
