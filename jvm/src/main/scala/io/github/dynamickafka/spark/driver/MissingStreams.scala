package io.github.dynamickafka.spark.driver

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.topology.Topology

/** A cluster with topics that are read no further, because the metadata no longer has their stream. */
final case class MissingStreams(cluster: ClusterId, warning: Failure)

/** The streams that `streamIds` names and that the metadata no longer has. To the query that is a removal. But it may be a
  * typing error, so it is warned of as long as it lasts.
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
        val streams = gone.valuesIterator.map(_.stream).toVector.distinct.sorted
        val topics  = Wording.first(gone.keys.map(Named.topic))
        MissingStreams(
          id,
          failure(streams, say"So topic $topics of cluster $id drains or stops, as removedClusterPolicy says.")
        )
      }
    }

  /** The same for the log. Nothing may be held of such a stream. */
  def warning(topology: Topology): Option[Failure] = Option.when(topology.unknown.nonEmpty)(
    failure(topology.unknown, "So all that is read of it drains or stops, as removedClusterPolicy says.")
  )

  private def failure(streams: Iterable[Any], so: Wording): Failure = Failure(
    Condition.StreamNotFound,
    say"The metadata has no stream ${Wording.first(streams)}, which streamIds names. $so If this is a typing error, " +
      "correct the metadata: reading resumes where it was."
  )
}
