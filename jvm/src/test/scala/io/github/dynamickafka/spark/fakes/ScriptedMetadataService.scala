package io.github.dynamickafka.spark.fakes

import java.util.{Collection => JCollection, Map => JMap, Set => JSet}

import scala.collection.mutable.ListBuffer
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStream}

/** A service with set answers, evaluated at each call. It records the calls. */
final class ScriptedMetadataService(
    all: => JSet[KafkaStream] = JSet.of(),
    describe: Seq[String] => JMap[String, KafkaStream] = _ => JMap.of(),
    active: String => Boolean = _ => true
) extends KafkaMetadataService {
  val calls: ListBuffer[String] = ListBuffer.empty

  override def getAllStreams: JSet[KafkaStream] = {
    calls += "all"
    all
  }

  override def describeStreams(streamIds: JCollection[String]): JMap[String, KafkaStream] = {
    calls += streamIds.asScala.mkString("describe ", ",", "")
    describe(streamIds.asScala.toSeq)
  }

  override def isClusterActive(clusterId: String): Boolean = {
    calls += s"active $clusterId"
    active(clusterId)
  }

  override def close(): Unit = calls += "close"
}

object ScriptedMetadataService {

  /** A service with these streams. */
  def of(streams: KafkaStream*): ScriptedMetadataService = new ScriptedMetadataService(
    streams.toSet.asJava,
    ids =>
      streams.filter(stream => ids.contains(stream.getStreamId)).map(stream =>
        stream.getStreamId -> stream
      ).toMap.asJava
  )
}
