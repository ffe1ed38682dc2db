package io.github.dynamickafka.spark.metadata

import java.util.{Collection => JCollection, Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStream}

/** A metadata service in another language. Requests and answers are JSON.
  *
  * @param own which methods the service has itself, instead of a default
  */
final class JsonMetadataService private[metadata] (
    call: JsonCall,
    private[metadata] val own: OwnMethods = OwnMethods.Both
) extends KafkaMetadataService {
  private val channel = new JsonChannel(call)

  override def getAllStreams: JSet[KafkaStream] =
    JsonStreams.read("all_streams", channel.ask("all_streams")()).toSet.asJava

  override def describeStreams(streamIds: JCollection[String]): JMap[String, KafkaStream] = {
    val answer = channel.ask("describe_streams") { request =>
      val ids = request.putArray("stream_ids")
      streamIds.forEach { id => ids.add(id); () }
    }
    JsonStreams.read("describe_streams", answer).map(stream => stream.getStreamId -> stream).toMap.asJava
  }

  override def isClusterActive(clusterId: String): Boolean = {
    val answer = channel.ask("is_cluster_active") { request => request.put("cluster_id", clusterId); () }
    if (answer.path("active").isBoolean) answer.get("active").booleanValue
    else throw JsonChannel.wrong("is_cluster_active", "an answer without a boolean `active`")
  }

  override def close(): Unit = {
    channel.ask("close")()
    ()
  }
}
