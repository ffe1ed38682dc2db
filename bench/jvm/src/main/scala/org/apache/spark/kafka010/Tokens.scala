package org.apache.spark.kafka010

import java.util.{HashMap => JHashMap, Map => JMap}

import scala.collection.immutable.Seq

import org.apache.spark.SparkConf

/** What Spark's own Kafka source calls to get delegation tokens. The answer is always "none". Its real companion module
  * is not published for Scala 2.13, so these replace it. Names and signatures are Spark's.
  */
class KafkaTokenClusterConf

/** A client's properties on their way to the client.
  *
  * @param module their purpose, in logs
  */
class KafkaConfigUpdater(module: String, properties: Map[String, Object]) {
  private val updated = new JHashMap[String, Object]
  properties.foreach { case (key, value) => updated.put(key, value) }

  def set(key: String, value: Object): this.type = {
    updated.put(key, value)
    this
  }

  def setIfUnset(key: String, value: Object): this.type = {
    updated.putIfAbsent(key, value)
    this
  }

  def setAuthenticationConfigIfNeeded(): this.type = this

  def setAuthenticationConfigIfNeeded(cluster: Option[KafkaTokenClusterConf]): this.type = this

  def build(): JMap[String, Object] = updated

  override def toString: String = module
}

object KafkaTokenUtil {
  def findMatchingTokenClusterConfig(conf: SparkConf, servers: String): Option[KafkaTokenClusterConf] = None

  def needTokenUpdate(properties: JMap[String, Object], cluster: Option[KafkaTokenClusterConf]): Boolean = false
}

object KafkaRedactionUtil {
  def redactParams(properties: Seq[(String, Object)]): Seq[(String, String)] =
    properties.map { case (key, value) => key -> Option(value).map(_.toString).orNull }
}
