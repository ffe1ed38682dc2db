package io.github.dynamickafka.spark.metadata

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say, Wording}
import io.github.dynamickafka.spark.ids.StreamId

/** What is said about streams that the options name and the metadata service does not know. */
object UnknownStreams {

  /** @param known all ids that the service knows, if it was asked and has answered */
  def failure(unknown: SortedSet[StreamId], known: Option[SortedSet[StreamId]]): Failure = Failure(
    Condition.StreamNotFound,
    say"The metadata service does not know stream ${Wording.first(unknown)}, which streamIds names. " +
      s"${known.fold("")(all => s"It knows ${listed(all)}. ")}Correct streamIds, or add the stream."
  )

  /** The first of the known ones, and how many more there are: a service may know thousands. */
  def listed(known: SortedSet[StreamId]): String = {
    val more = known.size - Few
    if (known.isEmpty) "no stream" else known.take(Few).mkString(", ") + (if (more > 0) s" and $more more" else "")
  }

  private val Few = 10
}
