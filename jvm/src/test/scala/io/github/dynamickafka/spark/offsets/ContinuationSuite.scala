package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

import munit.ScalaCheckSuite
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Offsets
import io.github.dynamickafka.spark.ids.ClusterId

class ContinuationSuite extends ScalaCheckSuite {
  private def of(clusters: String): Continuation =
    Continuation.of(OffsetJson.read(s"""{"version":2,"clusters":{$clusters}}"""))

  private def topic(partitions: String, more: String = ""): String =
    s"""{"stream":"orders",$more"partitions":{$partitions}}"""

  private def rules(clusters: String): Map[String, String] =
    of(clusters).starting.map { case (id, rule) => id.value -> OffsetRuleText.byTopic(rule).toString }

  /** All that is read; names that Kafka refuses are left out. */
  private def reached(any: SourceOffset): SourceOffset = any.copy(clusters =
    any.clusters.transform((_, cluster) =>
      cluster.copy(topics = cluster.topics - "*", pending = None, pendingTopics = SortedMap.empty[String, PendingStart])
    )
  )

  property("each position of an offset is continued exactly, and each rule is one that a query takes") {
    forAll(Offsets.all.map(reached)) { held =>
      val next = Continuation.of(held).starting
      held.partitions.foreach { case (id, at) =>
        assertEquals(next(id.cluster).point(id.topic, id.partition), Some(OffsetPoint.Exact(at.next)))
      }
      next.values.foreach(rule =>
        assertEquals(OffsetRuleText.cluster(OffsetRuleText.byTopic(rule).toString), Right(rule))
      )
    }
  }

  test("what is not named begins at its earliest record, whatever the leader epoch is") {
    assertEquals(
      rules(s""""eu-1":{"topics":{"orders":${topic(""""0":[1000,1200,0,17],"1":[0,845,1]""")}}}"""),
      Map("eu-1" -> """{"*":"earliest","orders":{"*":"earliest","0":1200,"1":845}}""")
    )
  }

  test("a cluster that was never reached begins by its rule as of its first listing") {
    val pending = """"pending":{"rule":"{\"*\":\"latest\",\"orders\":{\"0\":5}}","since":17},"topics":{}"""
    val unread  = """"pendingTopics":{"refunds":{"rule":"{\"refunds\":\"latest\"}","since":18}},"topics":{}"""
    val plain   = """"pending":{"rule":"latest","since":3},"topics":{}"""
    assertEquals(
      rules(s""""a":{$pending},"b":{$unread},"c":{$plain}"""),
      Map(
        "a" -> """{"*":{"timestamp":17},"orders":{"0":5}}""",
        "b" -> """{"*":"earliest","refunds":{"timestamp":18}}""",
        "c" -> """{"*":{"timestamp":3}}"""
      )
    )
  }

  test("a group that is called latest stays a group") {
    val group = """{\"committed\":\"latest\",\"otherwise\":\"latest\"}"""
    assertEquals(
      rules(s""""a":{"pending":{"rule":"$group","since":17},"topics":{}}"""),
      Map("a" -> """{"*":{"committed":"latest","otherwise":{"timestamp":17}}}""")
    )
  }

  test("a partition that could not be seen yet begins by the rule of its topic") {
    val unread = """"pendingTopics":{"orders":{"rule":"latest","since":18}}"""
    assertEquals(
      rules(s""""a":{$unread,"topics":{"orders":${topic(""""0":[0,7,0]""")}}}"""),
      Map("a" -> """{"*":"earliest","orders":{"*":{"timestamp":18},"0":7}}""")
    )
  }

  test("a log goes on under its former ids too, those that were never reached included") {
    val moved   = s""""b":{"topics":{"orders":${topic(""""0":[0,7,1]""", """"formers":{"a":{},"old":{}},""")}}}"""
    val pending = """"a":{"pending":{"rule":"latest","since":17},"topics":{}}"""
    val orders  = """"orders":{"*":"earliest","0":7}"""
    assertEquals(
      rules(s"$pending,$moved"),
      Map(
        "a"   -> s"""{"*":{"timestamp":17},$orders}""",
        "b"   -> s"""{"*":"earliest",$orders}""",
        "old" -> s"""{"*":"earliest",$orders}"""
      )
    )
  }

  test("it goes on under an earlier id that only stood by, too") {
    assertEquals(
      rules(s""""b":{"topics":{"orders":${topic(""""0":[0,7,1]""", """"beside":["a"],""")}}}""").get("a"),
      Some("""{"*":"earliest","orders":{"*":"earliest","0":7}}""")
    )
  }

  test("what a removed topic has left is counted by partition, and an end that is not known counts as one") {
    def left(more: String): Vector[Long] =
      of(s""""a":{"topics":{"old":${topic(""""0":[0,3,0],"1":[0,9,0]""", s""""removed":5,$more""")}}}""")
        .undrained.map(_._2)

    assertEquals(left(""), Vector(1L))
    assertEquals(left(""""listedAgain":true,"""), Vector(1L))
    assertEquals(left(""""drain":{},"""), Vector.empty)
    assertEquals(left(""""drain":{"0":3,"1":9},"""), Vector.empty)
    assertEquals(left(""""drain":{"0":7,"1":9,"2":null},"""), Vector(5L))
  }

  test("an offset that holds nothing gives nothing") {
    assertEquals(
      Continuation.of(SourceOffset.initial),
      Continuation(SortedMap.empty[ClusterId, ClusterRule], Vector.empty)
    )
  }
}
