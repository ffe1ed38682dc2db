package io.github.dynamickafka.spark.metadata

import java.util.Locale

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say, Wording}
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.options.NearestKey

/** What is said about streams that the options name and the metadata service does not know. The service may know
  * thousands of others, and few of these help.
  */
object UnknownStreams {

  /** @param known all ids that the service knows, if it was asked and has answered */
  def failure(unknown: SortedSet[StreamId], known: Option[SortedSet[StreamId]]): Failure = Failure(
    Condition.StreamNotFound,
    say"The metadata service does not know stream ${Wording.first(unknown)}, which streamIds names. " +
      s"${known.fold("")(all => s"${meant(unknown, all)}It knows ${listed(all)}. ")}Correct streamIds, or add the stream."
  )

  /** Which of the known ones may be meant, as a sentence with a space behind it; nothing if none is near. */
  def meant(unknown: SortedSet[StreamId], known: SortedSet[StreamId]): String = question(unknown, near(unknown, known))

  /** The known ones that may be meant, for some of the unknown. */
  def near(unknown: SortedSet[StreamId], known: SortedSet[StreamId]): SortedMap[StreamId, Vector[StreamId]] = {
    val names = known.toVector.map(_.value)
    unknown.toVector.take(Asked).flatMap(id => near(id.value, names).map(id -> _)).to(SortedMap)
  }

  /** The same as a sentence about these unknown ones. */
  def question(unknown: SortedSet[StreamId], near: SortedMap[StreamId, Vector[StreamId]]): String =
    near.filter { case (id, _) => unknown(id) }.toVector match {
      case Vector()                                => ""
      case Vector((_, few)) if unknown.sizeIs == 1 => s"Did you mean ${few.mkString(" or ")}? "
      case several => several.map { case (id, few) => s"${few.mkString(" or ")} instead of $id" }
          .mkString("Did you mean ", ", ", "? ")
    }

  /** A slip of the finger finds the one that was meant; else an id that is only a part of others finds these. */
  private def near(id: String, known: Vector[String]): Option[Vector[StreamId]] = {
    val small    = id.toLowerCase(Locale.ROOT)
    lazy val own = known.filter(_.toLowerCase(Locale.ROOT).contains(small)).take(Shown)
    NearestKey.to(id, known).map(Vector(_)).orElse(Option.when(own.nonEmpty)(own)).map(_.map(StreamId(_)))
  }

  private def listed(known: SortedSet[StreamId]): String =
    if (known.isEmpty) "no stream"
    else if (known.sizeIs <= Few) known.mkString(", ")
    else f"${known.size}%,d streams, from ${known.head} to ${known.last}"

  private val Few   = 10
  private val Asked = 5
  private val Shown = 3
}
