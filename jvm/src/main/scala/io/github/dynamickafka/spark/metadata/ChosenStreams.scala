package io.github.dynamickafka.spark.metadata

import java.util.regex.Pattern

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.KafkaStreamSubscriber
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.options.StreamSelection

/** Which of the service's streams are read. A user's subscriber is an object here. */
sealed trait ChosenStreams extends Product with Serializable

object ChosenStreams {

  /** Checks that a subscriber can be made if the options name its class.
    *
    * @throws io.github.dynamickafka.spark.errors.DynamicKafkaException `INVALID_OPTION` if there is no such class
    */
  def check(selection: StreamSelection): Unit = selection match {
    case StreamSelection.SubscriberClass(name) => subscriber(name): Unit
    case _                                     => ()
  }

  private def subscriber(name: String) = UserClass.load("streamSubscriber", name, classOf[KafkaStreamSubscriber])

  final case class Ids(ids: SortedSet[StreamId])                   extends ChosenStreams
  final case class Matching(pattern: Pattern)                      extends ChosenStreams
  final case class BySubscriber(subscriber: KafkaStreamSubscriber) extends ChosenStreams

  /** The streams that the options choose. Finds or creates the subscriber that they name.
    *
    * @throws io.github.dynamickafka.spark.errors.DynamicKafkaException `INVALID_OPTION` if there is none,
    *         `METADATA_UNAVAILABLE` if its constructor throws
    */
  def of(selection: StreamSelection): ChosenStreams = selection match {
    case StreamSelection.Ids(ids)                     => Ids(ids)
    case StreamSelection.Matching(pattern)            => Matching(pattern)
    case StreamSelection.RegisteredSubscriber(handle) => BySubscriber(Registered.findSubscriber(handle))
    case StreamSelection.SubscriberClass(name)        =>
      BySubscriber(subscriber(name).create())
  }
}
