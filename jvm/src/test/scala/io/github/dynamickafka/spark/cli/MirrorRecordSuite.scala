package io.github.dynamickafka.spark.cli

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.time.Instant

import scala.collection.immutable.SortedSet

import munit.FunSuite

import io.github.dynamickafka.spark.kafka.consumer.TopicRecord

/** Checkpoints of MirrorMaker 2, as bytes. Those that it wrote itself: tests/scenarios/test_mirrormaker.py. */
class MirrorRecordSuite extends FunSuite {
  private def bytes(write: DataOutputStream => Unit): Array[Byte] = {
    val out = new ByteArrayOutputStream
    write(new DataOutputStream(out))
    out.toByteArray
  }

  // Text here is short, and has the same form as in Kafka: two bytes of length, and UTF-8.
  private def key(group: String, topic: String, partition: Int) = bytes { out =>
    out.writeUTF(group)
    out.writeUTF(topic)
    out.writeInt(partition)
  }

  private def value(upstream: Long, offset: Long, metadata: String = "", version: Int = 0) = bytes { out =>
    out.writeShort(version)
    out.writeLong(upstream)
    out.writeLong(offset)
    out.writeUTF(metadata)
  }

  test("a key and a value are read, whatever a consumer wrote beside its offset") {
    assertEquals(MirrorRecord.key(key("bi\u00e9", "eu-1.orders", 3)), Right(MirrorKey("bi\u00e9", "eu-1.orders", 3)))
    for (metadata <- Seq("", "checkpoint 7"))
      assertEquals(MirrorRecord.value(value(1L << 40, 12, metadata)), Right(MirrorCheckpoint(1L << 40, 12)))
  }

  test("another version, and what is no checkpoint, is refused with the reason") {
    assertEquals(MirrorRecord.value(value(5, 4, version = 1)), Left("it has version 1, and this release knows 0"))
    assertEquals(MirrorRecord.value(value(5, 4).dropRight(1)), Left("it is cut off"))
    assertEquals(MirrorRecord.value(value(5, 4) :+ 0.toByte), Left("1 bytes are left over"))
    assertEquals(MirrorRecord.key(null), Left("it is empty"))
    assertEquals(MirrorRecord.key(Array(-1, -1, 0)), Left("it is cut off"))
    assertEquals(MirrorRecord.key("orders".getBytes), Left("it is cut off"))
  }

  private def record(key: Array[Byte], value: Array[Byte], offset: Long = 0) =
    TopicRecord(0, offset, Instant.EPOCH, key, value)

  test("the last checkpoint of each partition counts, also a smaller one, and an empty value takes it away") {
    val records = Vector(
      record(key("billing", "eu-1.orders", 0), value(9, 9)),
      record(key("other", "eu-1.orders", 0), value(1, 1)),
      record(key("billing", "eu-1.orders", 1), value(7, 6)),
      record(key("billing", "eu-1.orders", 0), value(3, 2)),
      record(key("billing", "eu-1.orders", 1), null)
    )
    val found = records.foldLeft(MirrorCheckpoints.none("billing"))((all, one) => all.and(one).toOption.get)
    assertEquals(found.groups, SortedSet("billing", "other"))
    assertEquals(
      found.records.toVector.map { case (at, one) => at -> MirrorRecord.value(one.value) },
      Vector(MirrorKey("billing", "eu-1.orders", 0) -> Right(MirrorCheckpoint(3, 2)))
    )
  }

  test("a record without a key of a checkpoint says which one it is") {
    val wrong = record(null, value(1, 1), offset = 7)
    assertEquals(MirrorCheckpoints.none("billing").and(wrong), Left(wrong -> "its key: it is empty"))
  }
}
