package io.github.dynamickafka.spark.metadata

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStream, KafkaStreamSubscriber}
import io.github.dynamickafka.spark.errors.{DynamicKafkaException, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}

/** Calls a user's service and checks each answer, because plain Java types guarantee little. Nothing may be null, of
  * another type, or something that was not asked for. Every method throws `METADATA_UNAVAILABLE` for a failure or a
  * wrong answer.
  *
  * These are the answers of one fetch. All streams are asked for once at most. They also answer what the service leaves
  * to the interface's defaults. Then the number of calls does not grow with the clusters.
  *
  * @param note is given all streams of an answer, before anything else is done with them
  */
final private class ServiceAnswers(service: KafkaMetadataService, note: Iterable[KafkaStream] => Unit) {
  import ServiceFailure._

  private val own = OwnMethods.of(service)

  lazy val allStreams: SortedMap[StreamId, KafkaStream] = {
    val what = call("getAllStreams()")
    guarded(what) {
      val streams = elements(what, service.getAllStreams, "a set of streams, empty for none").map(stream(what, _))
      note(streams)
      val twice = streams.groupBy(_.getStreamId).collect { case (id, same) if same.sizeIs > 1 => id }.toVector.sorted
      if (twice.nonEmpty) throw unexpected(what, s"two streams with the id ${Wording.first(twice)}", "each id once")
      SortedMap.from(streams.map(stream => StreamId(stream.getStreamId) -> stream))
    }
  }

  /** Makes no call if there is no id. */
  def describe(ids: SortedSet[StreamId]): SortedMap[StreamId, KafkaStream] =
    if (ids.isEmpty) SortedMap.empty
    else if (!own.describes) allStreams.filter { case (id, _) => ids(id) }
    else {
      val what = call("describeStreams()")
      guarded(what) {
        val asked   = ids.toVector.map(_.value).asJava
        val answer  = required(what, service.describeStreams(asked), "a map of streams by id, empty for none")
        val streams = entries(answer).map { case (key, value) => described(what, ids, key, value) }
        note(streams.map(_._2))
        SortedMap.from(streams)
      }
    }

  def isActive(id: ClusterId): Boolean =
    if (own.reportsActive) guarded(call(s"isClusterActive($id)"))(service.isClusterActive(id.value))
    else allStreams.values.exists(_.getClusters.containsKey(id.value))

  /** The same for a cluster that is no longer listed. The service may not know it any more, so an error is a valid
    * result too. An interrupted call is not.
    */
  def isStillActive(id: ClusterId): Either[DynamicKafkaException, Boolean] =
    try Right(isActive(id))
    catch { case e: DynamicKafkaException if !Thread.currentThread.isInterrupted => Left(e) }

  def chosenBy(subscriber: KafkaStreamSubscriber): SortedSet[StreamId] = {
    val what = s"The stream subscriber ${subscriber.getClass.getName} in getSubscribedStreams()"
    try guarded(what) {
        val ids = elements(what, subscriber.getSubscribedStreams(service), "a set of stream ids, empty for none")
        ids.map {
          case id: String if id.nonEmpty => StreamId(id)
          case other                     => throw unexpected(what, s"a set with ${seen(other)}", "ids, not empty")
        }.to(SortedSet)
      }
    catch {
      // The subscriber has the service itself, so its error may quote a secret of any stream. This notes them all.
      case failure: DynamicKafkaException if !Thread.currentThread.isInterrupted =>
        Try(allStreams): Unit
        throw failure
    }
  }

  private def described(what: String, ids: SortedSet[StreamId], key: Any, value: Any): (StreamId, KafkaStream) = {
    val found = stream(what, value)
    val id    = StreamId(found.getStreamId)
    if (key != found.getStreamId)
      throw unexpected(what, s"stream $id under the key $key", "each stream under its own id")
    if (!ids(id)) throw unexpected(what, s"stream $id, which was not asked for", s"only ${Wording.first(ids)}")
    id -> found
  }

  private def stream(what: String, element: Any): KafkaStream = element match {
    case stream: KafkaStream => stream
    case other               => throw unexpected(what, s"a collection with ${seen(other)}", "only KafkaStream objects")
  }

  // Java's generic types are not checked at run time, and services may be written in other languages.
  private def elements(what: String, answer: java.util.Collection[_], expected: String): Vector[Any] =
    required(what, answer, expected).asScala.toVector

  private def entries(map: java.util.Map[_, _]): Vector[(Any, Any)] =
    map.entrySet.asScala.toVector.map(entry => (entry.getKey, entry.getValue))

  private def required[A <: AnyRef](what: String, answer: A, expected: String): A =
    Option(answer).getOrElse(throw unexpected(what, "null", expected))

  private def seen(value: Any): String = Option(value).fold("null")(other => s"a ${other.getClass.getName}")

  private def call(method: String): String = s"The metadata service ${service.getClass.getName} in $method"
}
