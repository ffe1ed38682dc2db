package io.github.dynamickafka.spark.bench

import java.time.Duration
import java.util.{List => JList, Map => JMap, Properties}
import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.serialization.ByteArrayDeserializer

/** Reads one topic of several clusters with only Kafka's client. This is the time of a reader that does no more than
  * Kafka itself. Created by reflection, in its own class loader.
  */
final class BareRead {

  /** Reads all records that are there now.
    *
    * @param servers the bootstrap servers of each cluster
    * @param threads among which the partitions of all clusters are shared one by one
    * @param more properties of the consumers, which win
    * @return how many bytes the values have in all
    */
  def bytes(servers: JList[String], topic: String, threads: Int, more: JMap[String, String]): Long = OwnLoader.use {
    val pool = Executors.newFixedThreadPool(threads)
    try {
      val shares = BareRead.shares(servers.asScala.toVector, topic, threads, more)
      val tasks  = shares.map(share => (() => BareRead.read(share, more)): Callable[Long])
      pool.invokeAll(tasks.asJava).asScala.map(_.get).sum
    } finally pool.shutdown()
  }
}

private object BareRead {
  private type Consumer = KafkaConsumer[Array[Byte], Array[Byte]]

  private val Moment = Duration.ofMillis(5)

  /** What one thread reads from one cluster: partitions, and the end of each. */
  final private case class Share(servers: String, ends: Map[TopicPartition, Long])

  /** Partition 0 of all clusters, then partition 1, and so on. With as many threads as clusters each has one
    * connection.
    */
  private def shares(
      servers: Vector[String],
      topic: String,
      threads: Int,
      more: JMap[String, String]
  ): Vector[Vector[Share]] = {
    val all = servers.flatMap { cluster =>
      ends(cluster, topic, more).toVector.map { case (partition, end) =>
        (partition.partition, cluster, partition, end)
      }
    }.sortBy { case (number, cluster, _, _) => (number, servers.indexOf(cluster)) }
    all.zipWithIndex.groupMap(_._2 % threads)(_._1).values.map { dealt =>
      dealt.groupMap(_._2) { case (_, _, partition, end) => partition -> end }.map { case (cluster, ends) =>
        Share(cluster, ends.toMap)
      }.toVector
    }.toVector
  }

  private def ends(servers: String, topic: String, more: JMap[String, String]): Map[TopicPartition, Long] = {
    val consumer = open(servers, more)
    try {
      val partitions = consumer.partitionsFor(topic).asScala.map(found => new TopicPartition(topic, found.partition))
      consumer.endOffsets(partitions.asJava).asScala.map { case (partition, end) => partition -> end.longValue }.toMap
    } finally consumer.close()
  }

  private def read(shares: Vector[Share], more: JMap[String, String]): Long = {
    val opened = shares.map(share => new Reading(open(share.servers, more), share.ends))
    try {
      // Each may fetch while another one is read.
      var open = opened
      while (open.nonEmpty) {
        val wait = if (open.size == 1) Duration.ofMillis(100) else Moment
        open.foreach(_.poll(wait))
        open = open.filterNot(_.finished)
      }
      opened.map(_.bytes).sum
    } finally opened.foreach(_.close())
  }

  private def open(servers: String, more: JMap[String, String]): Consumer = {
    val properties = new Properties
    properties.put("bootstrap.servers", servers)
    properties.put("enable.auto.commit", "false")
    // Like the source that it is compared with. By default it takes less at a time, and waits at a partition's end for
    // half a second, which would delay the others of the same broker.
    properties.put("max.poll.records", "5000")
    properties.put("fetch.max.wait.ms", "10")
    properties.putAll(more)
    new KafkaConsumer(properties, new ByteArrayDeserializer, new ByteArrayDeserializer)
  }

  /** Variables of an inner loop: what was read so far, and what is left. */
  final private class Reading(consumer: Consumer, ends: Map[TopicPartition, Long]) {
    private var left = ends.filter(_._2 > 0)
    var bytes: Long  = 0

    consumer.assign(left.keySet.asJava)
    consumer.seekToBeginning(left.keySet.asJava)

    def finished: Boolean = left.isEmpty

    def poll(wait: Duration): Unit = {
      val records = consumer.poll(wait)
      records.partitions.forEach { partition =>
        val found = records.records(partition)
        var i     = 0
        while (i < found.size) {
          bytes += found.get(i).value.length
          i += 1
        }
      }
      records.nextOffsets.forEach((partition, next) =>
        if (left.get(partition).exists(_ <= next.offset)) left -= partition
      )
    }

    def close(): Unit = consumer.close()
  }
}
