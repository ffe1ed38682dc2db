package io.github.dynamickafka.spark

import java.time.Instant
import java.util.{Map => JMap, Set => JSet}

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetRule, OffsetRuleText, TopicRule}
import io.github.dynamickafka.spark.offsets.OffsetPoint._

/** Offsets as a value: each text means what was called, by the parser of the options. */
class OffsetsSuite extends FunSuite {
  private val newYear = Instant.parse("2026-01-01T00:00:00Z")
  private val millis  = 1767225600000L

  private def read(offsets: Offsets) =
    OffsetRuleText.rule(offsets.ofOption).fold(why => fail(s"$offsets: $why"), identity)

  private def none[A] = SortedMap.empty[String, A]

  test("one point holds for all clusters") {
    assertEquals(read(Offsets.earliest), OffsetRule.everywhere(Earliest))
    assertEquals(read(Offsets.latest), OffsetRule.everywhere(Latest))
    assertEquals(read(Offsets.timestamp(newYear)), OffsetRule.everywhere(Timestamp(millis)))
    val committed = Offsets.committed("billing", Offsets.timestamp(newYear))
    assertEquals(read(committed), OffsetRule.everywhere(Committed("billing", Timestamp(millis))))
    assertEquals(Offsets.earliest.toString, "earliest")
  }

  test("each level has a point for what it does not name, or none") {
    val orders  = TopicRule(Some(Latest), SortedMap(0 -> Exact(1200), 1 -> Earliest))
    val refunds = TopicRule(None, SortedMap(3 -> Exact(7)))
    val eu      = ClusterRule(Some(Earliest), SortedMap("orders" -> orders, "refunds" -> refunds))
    val us      = ClusterRule(Some(Timestamp(millis)), none)
    assertEquals(
      read(JavaCalls.offsetsByName(newYear)),
      OffsetRule(Some(Latest), SortedMap(ClusterId("eu-1") -> eu, ClusterId("us-1") -> us))
    )
    assertEquals(
      read(Offsets.byName.cluster("us-1", Offsets.latest)),
      OffsetRule(None, SortedMap(ClusterId("us-1") -> ClusterRule(Some(Latest), none)))
    )
    assertEquals(read(Offsets.byName), OffsetRule(None, SortedMap.empty))
  }

  test("a cluster or topic with the name of a form is still a name") {
    Seq("committed", "timestamp").foreach { name =>
      val own = ClusterRule(Some(Latest), none)
      assertEquals(
        read(Offsets.byName.cluster(name, Offsets.latest)),
        OffsetRule(None, SortedMap(ClusterId(name) -> own))
      )
      assertEquals(
        OffsetRuleText.cluster(Offsets.byName.topic(name, Offsets.latest).ofCluster),
        Right(ClusterRule(None, SortedMap(name -> TopicRule(Some(Latest), SortedMap.empty))))
      )
    }
  }

  test("a time between two milliseconds begins at the later one, so that no record before it is read") {
    assertEquals(Offsets.timestamp(newYear.plusNanos(1)), Offsets.timestamp(newYear.plusMillis(1)))
    assertEquals(Offsets.timestamp(newYear.plusNanos(1000000)), Offsets.timestamp(newYear.plusMillis(1)))
  }

  test("equal offsets are equal values with one text, in whichever order they were named") {
    val one = Offsets.byName.cluster("a", Offsets.latest).cluster("b", Offsets.earliest)
    val two = Offsets.byName.cluster("b", Offsets.earliest).cluster("a", Offsets.latest)
    assertEquals((one, one.toString, one.hashCode), (two, two.toString, two.hashCode))
    assertEquals(one.toString, """{"a":"latest","b":"earliest"}""")
    assertNotEquals(Offsets.byName.topic("a", Offsets.latest), Offsets.byName.cluster("a", Offsets.latest))
  }

  test("a value is left as it was") {
    val first = Offsets.byName.cluster("a", Offsets.latest)
    first.cluster("b", Offsets.latest): Unit
    assertEquals(first.toString, """{"a":"latest"}""")
  }

  private val topics     = Offsets.byName.topic("orders", Offsets.latest)
  private val partitions = Offsets.byName.partition(0, 5)

  private val refused = Seq[(String, () => Any)](
    "The option got offsets by topic; it takes one point, or offsets by cluster." -> (() => topics.ofOption),
    "The metadata of a cluster got offsets by partition; it takes one point, or offsets by topic." ->
      (() => partitions.ofCluster),
    "Cluster eu-1 got offsets by partition; it takes one point, or offsets by topic." ->
      (() => Offsets.byName.cluster("eu-1", partitions)),
    "Topic orders got offsets by topic; it takes one point, or offsets by partition." ->
      (() => Offsets.byName.topic("orders", topics)),
    "Partition 0 got offsets by partition; it takes one point." -> (() => Offsets.byName.partition(0, partitions)),
    "Partition 0 got offsets by name; it takes one point."      -> (() => Offsets.byName.partition(0, Offsets.byName)),
    "Without a commit of group g got offsets by name; it takes one point." ->
      (() => Offsets.committed("g", Offsets.byName)),
    "Offsets by topic can't name the partition 0."        -> (() => topics.partition(0, 5)),
    "The name of the consumer group is blank."            -> (() => Offsets.committed(" ", Offsets.latest)),
    "The id of the cluster is empty."                     -> (() => Offsets.byName.cluster("", Offsets.latest)),
    "The number -1 of a partition is negative."           -> (() => Offsets.byName.partition(-1, 5)),
    "The offset -2 of partition 0 is negative."           -> (() => Offsets.byName.partition(0, -2)),
    "The time 1969-12-31T23:59:59Z can't be used: it is " -> (() => Offsets.timestamp(Instant.ofEpochSecond(-1))),
    "can't be used: it is before 1970 or too far ahead."  -> (() => Offsets.timestamp(Instant.MAX))
  )

  refused.foreach { case (text, call) =>
    test(s"refused: $text") {
      val error = intercept[IllegalArgumentException](call())
      assert(error.getMessage.contains(text), error.getMessage)
    }
  }

  test("the builder and a cluster's metadata take them as well as text") {
    val builder = DynamicKafkaSource.builder(null)
    builder.startingOffsets(Offsets.byName.cluster("a", topics)).newClusterOffsets(Offsets.latest): Unit
    builder.bounded(Offsets.latest): Unit
    assertEquals(
      builder.collected,
      Map(
        "startingOffsets"   -> """{"a":{"orders":"latest"}}""",
        "newClusterOffsets" -> "latest",
        "endingOffsets"     -> "latest"
      )
    )
    val plain = new ClusterMetadata(JSet.of("orders"), JMap.of())
    assertEquals(plain.withStartingOffsets(topics), plain.withStartingOffsets("""{"orders":"latest"}"""))
    assertEquals(plain.withEndingOffsets(Offsets.latest), plain.withEndingOffsets("latest"))
  }
}
