package io.github.dynamickafka.spark

import java.util.{Collection => JCollection, Set => JSet}
import java.util.concurrent.atomic.AtomicReference

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.metadata.{FixedStreams, Snapshots}

/** Streams that the program itself adds and removes while queries run, for tests and notebooks. Any thread may change
  * them. One fetch of a source sees one state. Every cluster is active until it is deactivated.
  *
  * @param streams the first streams; if two have the same id, the later one counts
  */
final class InMemoryMetadataService(streams: JCollection[KafkaStream]) extends KafkaMetadataService with Snapshots {
  import InMemoryMetadataService.State

  private val state = new AtomicReference(
    State(SortedMap.from(streams.asScala.map(stream => stream.getStreamId -> stream)), inactive = Set.empty)
  )

  def this() = this(JSet.of())

  /** Adds a stream, or replaces the one with the same id. */
  def put(stream: KafkaStream): Unit = change(now => now.copy(now.streams.updated(stream.getStreamId, stream)))

  /** Removes a stream. An unknown id changes nothing. */
  def remove(streamId: String): Unit = change(now => now.copy(now.streams.removed(streamId)))

  /** Marks a cluster as inactive: it is not expected to answer. */
  def deactivate(clusterId: String): Unit = change(now => now.copy(inactive = now.inactive + clusterId))

  /** Marks a cluster as active again. */
  def activate(clusterId: String): Unit = change(now => now.copy(inactive = now.inactive - clusterId))

  private def change(step: State => State): Unit = {
    state.updateAndGet(now => step(now))
    ()
  }

  /** A view of the current state, for one fetch. */
  override def snapshot(): KafkaMetadataService = {
    val now = state.get
    new FixedStreams(now.streams, id => !now.inactive(id))
  }

}

private object InMemoryMetadataService {
  final case class State(streams: SortedMap[String, KafkaStream], inactive: Set[String])
}
