package io.github.dynamickafka.spark.offsets

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}

/** Offsets in the form of Spark's own Kafka source, by topic and partition: `{"orders": {"0": 5, "1": -2}}`. Users who move
  * from that source write them first. Here the cluster comes before the topic.
  */
private[offsets] object PeerOffsets {
  private val Cluster = "<cluster>"

  // Of hundreds of partitions the first show how it is meant.
  private val Longest = 300

  /** What to write instead; none if it is not that form. */
  def instead(node: JsonNode): Option[String] = Option.when(isForm(node)) {
    val ours = JsonNodeFactory.instance.objectNode()
    ours.set[ObjectNode](Cluster, translated(node))
    val text  = ours.toString
    val shown = if (text.length > Longest) text.take(Longest) + "…" else text
    s"it is by topic, as in Spark's own Kafka source; here the cluster comes first: write `$shown`, where $Cluster is the " +
      "id that the metadata gives the cluster"
  }

  // The form has no other meaning here: a number stands for a partition alone, below a cluster and a topic.
  private def isForm(node: JsonNode): Boolean =
    node.isObject && !node.isEmpty && node.properties.asScala.forall { topic =>
      topic.getValue.isObject && !topic.getValue.isEmpty && topic.getValue.properties.asScala.forall { partition =>
        partition.getKey.matches("[0-9]+") && partition.getValue.isIntegralNumber
      }
    }

  private def translated(topics: JsonNode): ObjectNode = {
    val all = JsonNodeFactory.instance.objectNode()
    for (topic <- topics.properties.asScala) {
      val own = all.putObject(topic.getKey)
      for (partition <- topic.getValue.properties.asScala)
        own.set[JsonNode](partition.getKey, point(partition.getValue))
    }
    all
  }

  private def point(offset: JsonNode): JsonNode = offset.asText match {
    case "-1" => JsonNodeFactory.instance.textNode("latest")
    case "-2" => JsonNodeFactory.instance.textNode("earliest")
    case _    => offset
  }
}
