package io.github.dynamickafka.spark.metadata

import java.util.{Set => JSet}

import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStreamSubscriber}

/** A subscriber in another language. It gets all streams of the service and the ids of their inactive clusters, and
  * answers with stream ids.
  */
final class JsonStreamSubscriber(call: JsonCall) extends KafkaStreamSubscriber {
  private val channel = new JsonChannel(call)

  override def getSubscribedStreams(service: KafkaMetadataService): JSet[String] = {
    val streams  = service.getAllStreams.asScala.toVector.sortBy(_.getStreamId)
    val clusters = streams.flatMap(_.getClusters.keySet.asScala).distinct.sorted
    val answer   = channel.ask("subscribed_streams") { request =>
      JsonStreams.write(streams, request.putArray("streams"))
      val inactive = request.putArray("inactive")
      clusters.filterNot(id => service.isClusterActive(id)).foreach(inactive.add)
    }
    JsonStreams.texts("subscribed_streams", answer, "stream_ids").toSet.asJava
  }
}
