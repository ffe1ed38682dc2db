package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

import munit.ScalaCheckSuite
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.Offsets
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}

class OffsetJsonSuite extends ScalaCheckSuite {
  private def refused(text: String): DynamicKafkaException = {
    val failure = intercept[DynamicKafkaException](OffsetJson.read(text))
    assertEquals(failure.condition, Condition.OffsetVersion)
    failure
  }

  property("what is written is read again as it was, whatever the names") {
    forAll(Offsets.all)(held => assertEquals(OffsetJson.read(OffsetJson.write(held)), held))
  }

  property("the text is one line, and never the `-` that stands for no offset in Spark's log") {
    forAll(Offsets.all) { held =>
      val text = OffsetJson.write(held)
      assert(text != "-" && !text.exists(char => char == '\n' || char == '\r'), text)
    }
  }

  property("equal offsets are equal texts, in whatever order they were built") {
    forAll(Offsets.all) { held =>
      val rebuilt = held.copy(clusters = held.clusters.toVector.reverse.map { case (cluster, here) =>
        val topics = here.topics.toVector.reverse.map { case (name, topic) =>
          name -> topic.copy(
            partitions = topic.partitions.toVector.reverse.to(SortedMap),
            ends = topic.ends.toVector.reverse.to(SortedMap)
          )
        }
        cluster -> here.copy(topics = topics.to(SortedMap))
      }.to(SortedMap))
      assertEquals(OffsetJson.write(rebuilt), OffsetJson.write(held))
    }
  }

  property("different offsets are different texts") {
    forAll(Offsets.all, Offsets.all) { (one, other) =>
      assertEquals(OffsetJson.write(one) == OffsetJson.write(other), one == other)
    }
  }

  test("names that look alike once joined stay apart") {
    val here = PartitionOffset(0, 5, 0)
    val held = offset(id("a", "b-c", 0) -> here, id("a-b", "c", 0) -> here.copy(next = 6))
    assertEquals(OffsetJson.read(OffsetJson.write(held)), held)
    assertNotEquals(
      OffsetJson.write(offset(id("a", "b-c", 0) -> here)),
      OffsetJson.write(offset(id("a-b", "c", 0) -> here))
    )
  }

  test("the text is the documented one") {
    val topic = TopicOffset(Some("t1"), StreamId("orders"), SortedMap(0 -> PartitionOffset(1000, 1200, 0)))
    val held  = SourceOffset(SortedMap(ClusterId("eu-1") -> ClusterOffset(Some("k1"), SortedMap("orders" -> topic))))
    assertEquals(
      OffsetJson.write(held),
      """{"version":1,"clusters":{"eu-1":{"kafkaId":"k1","topics":{"orders":{"kafkaId":"t1","stream":"orders",""" +
        """"partitions":{"0":[1000,1200,0]}}}}}}"""
    )
  }

  test("the text of every field is the documented one, partitions in the order of their numbers") {
    val topic = TopicOffset(
      None,
      StreamId("s"),
      SortedMap(10 -> PartitionOffset(1, 2, 3), 9 -> PartitionOffset(4, 5, 6)),
      Some(Removal.Draining(77, SortedMap(10 -> Drain.Unknown, 9 -> Drain.Until(8)))),
      SortedMap(10 -> 11L)
    )
    val cluster = ClusterOffset(None, SortedMap("t" -> topic), Some(PendingStart("latest", 12)), Some("{}"))
    assertEquals(
      OffsetJson.write(SourceOffset(SortedMap(ClusterId("c") -> cluster), nextIncarnation = 4, initial = true)),
      """{"version":1,"initial":true,"nextIncarnation":4,"clusters":{"c":{"pending":{"rule":"latest","since":12},""" +
        """"endings":"{}","topics":{"t":{"stream":"s","removed":77,"drain":{"9":8,"10":null},"ends":{"10":11},""" +
        """"partitions":{"9":[4,5,6],"10":[1,2,3]}}}}}}"""
    )
  }

  test("a newer version is refused by its number") {
    assert(refused("""{"version":3,"clusters":{},"new":[1]}""").getMessage.contains("version 3"))
  }

  private def inTopic(fields: String) = s"""{"version":1,"clusters":{"c":{"topics":{"t":{$fields}}}}}"""

  private def inCluster(fields: String) = s"""{"version":1,"clusters":{"c":{$fields}}}"""

  for (
    (what, text) <- Seq(
      "nothing"                        -> "",
      "blanks"                         -> "  ",
      "no JSON"                        -> "{",
      "the text for no offset"         -> "-",
      "null"                           -> "null",
      "a number"                       -> "1",
      "a text"                         -> "\"version\"",
      "an array"                       -> "[]",
      "an empty object"                -> "{}",
      "another source's offset"        -> """{"orders":{"0":12}}""",
      "a version of another kind"      -> """{"version":"1","clusters":{}}""",
      "a fraction as version"          -> """{"version":1.5,"clusters":{}}""",
      "version 0"                      -> """{"version":0,"clusters":{}}""",
      "a version beyond any"           -> """{"version":18446744073709551617,"clusters":{}}""",
      "no clusters"                    -> """{"version":1}""",
      "clusters that are null"         -> """{"version":1,"clusters":null}""",
      "clusters that are a list"       -> """{"version":1,"clusters":[]}""",
      "an unknown field"               -> """{"version":1,"clusters":{},"more":1}""",
      "a field twice"                  -> """{"version":1,"clusters":{},"clusters":{}}""",
      "text behind the end"            -> """{"version":1,"clusters":{}} {"version":1}""",
      "initial of another kind"        -> """{"version":1,"initial":"yes","clusters":{}}""",
      "an incarnation beyond an Int"   -> """{"version":1,"nextIncarnation":3000000000,"clusters":{}}""",
      "a cluster that is a number"     -> """{"version":1,"clusters":{"c":1}}""",
      "a cluster without topics"       -> inCluster(""""kafkaId":"k""""),
      "an unknown field of a cluster"  -> inCluster(""""topics":{},"more":1"""),
      "a kafkaId that is null"         -> inCluster(""""kafkaId":null,"topics":{}"""),
      "a pending start without a time" -> inCluster(""""pending":{"rule":"latest"},"topics":{}"""),
      "an unknown field of a pending"  -> inCluster(""""pending":{"rule":"latest","since":1,"x":1},"topics":{}"""),
      "endings that are no text"       -> inCluster(""""endings":{},"topics":{}"""),
      "a topic without a stream"       -> inTopic(""""partitions":{}"""),
      "a topic without partitions"     -> inTopic(""""stream":"s""""),
      "an unknown field of a topic"    -> inTopic(""""stream":"s","partitions":{},"more":1"""),
      "a drain without a removal"      -> inTopic(""""stream":"s","drain":{"0":1},"partitions":{}"""),
      "a partition that is no number"  -> inTopic(""""stream":"s","partitions":{"x":[0,0,0]}"""),
      "a negative partition"           -> inTopic(""""stream":"s","partitions":{"-1":[0,0,0]}"""),
      "a partition in two spellings"   -> inTopic(""""stream":"s","partitions":{"0":[0,0,0],"00":[0,1,0]}"""),
      "a partition beyond an Int"      -> inTopic(""""stream":"s","partitions":{"3000000000":[0,0,0]}"""),
      "a position of two numbers"      -> inTopic(""""stream":"s","partitions":{"0":[0,0]}"""),
      "a position that is a number"    -> inTopic(""""stream":"s","partitions":{"0":5}"""),
      "a position with a fraction"     -> inTopic(""""stream":"s","partitions":{"0":[0,1.5,0]}"""),
      "a position with a text"         -> inTopic(""""stream":"s","partitions":{"0":[0,"1",0]}"""),
      "a position beyond a Long"       -> inTopic(""""stream":"s","partitions":{"0":[0,18446744073709551617,0]}""")
    )
  )
    test(s"$what is an OFFSET_VERSION error, and never another one")(refused(text))

  property("a text that is cut off anywhere is an OFFSET_VERSION error") {
    forAll(Offsets.all, org.scalacheck.Gen.choose(0.0, 0.999)) { (held, part) =>
      val text = OffsetJson.write(held)
      refused(text.take((text.length * part).toInt))
      ()
    }
  }
}
