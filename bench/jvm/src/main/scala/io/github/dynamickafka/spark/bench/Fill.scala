package io.github.dynamickafka.spark.bench

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.Properties
import java.util.concurrent.atomic.AtomicReference

import scala.util.Random

import org.apache.kafka.clients.producer.{KafkaProducer, ProducerRecord}
import org.apache.kafka.common.serialization.ByteArraySerializer

/** Writes many records fast, in the batches that a producer makes by default. Created by reflection, in its own class
  * loader.
  */
final class Fill {

  /** Shares the records among the partitions of an existing topic. Returns when the brokers have all of them.
    *
    * @param bytes of each value, which compresses about as well as JSON; keys have eight
    */
  def write(servers: String, topic: String, partitions: Int, records: Int, bytes: Int, compression: String): Unit =
    write(servers, compression, records, Fill.values(bytes))(i => (topic, i % partitions, null))

  /** The same with times of their own, in lz4: spread evenly from `begin` on, over `span` milliseconds. */
  def writeOver(
      servers: String,
      topic: String,
      partitions: Int,
      records: Int,
      bytes: Int,
      begin: Long,
      span: Long
  ): Unit =
    write(servers, "lz4", records, Fill.values(bytes))(i => (topic, i % partitions, begin + span * i / records))

  /** The same with these values, one a line, repeatedly. */
  def writeLinesOver(
      servers: String,
      topic: String,
      partitions: Int,
      records: Int,
      lines: String,
      begin: Long,
      span: Long
  ): Unit =
    write(servers, "lz4", records, lines.linesIterator.map(_.getBytes(US_ASCII)).toArray)(i =>
      (topic, i % partitions, begin + span * i / records)
    )

  private def write(servers: String, compression: String, records: Int, values: Array[Array[Byte]])(
      place: Int => (String, Int, java.lang.Long)
  ): Unit =
    OwnLoader.use {
      val failure  = new AtomicReference[Exception]
      val producer = Fill.open(servers, compression)
      try {
        var i = 0
        while (i < records) {
          val (topic, partition, time) = place(i)
          val key                      = ByteBuffer.allocate(8).putLong(i.toLong).array
          val record                   = new ProducerRecord(topic, partition, time, key, values(i % values.length))
          producer.send(record, (_, error) => if (error != null) failure.compareAndSet(null, error): Unit)
          i += 1
        }
        producer.flush()
      } finally producer.close()
      Option(failure.get).foreach(throw _)
    }
}

private object Fill {

  private def open(servers: String, compression: String): KafkaProducer[Array[Byte], Array[Byte]] = {
    val properties = new Properties
    properties.put("bootstrap.servers", servers)
    properties.put("compression.type", compression)
    new KafkaProducer(properties, new ByteArraySerializer, new ByteArraySerializer)
  }

  /** The same values each time. Their number is prime, so that each partition gets all of them. */
  private def values(bytes: Int): Array[Array[Byte]] = {
    val random = new Random(7)
    Array.fill(4099)(value(random, bytes))
  }

  private def value(random: Random, bytes: Int): Array[Byte] =
    Iterator
      .continually(
        s"""{"order":${random.nextInt(1000000)},"item":"${random.alphanumeric.take(6).mkString}","paid":true}"""
      )
      .scanLeft("")(_ + _)
      .find(_.length >= bytes)
      .fold(Array.emptyByteArray)(_.take(bytes).getBytes(US_ASCII))
}
