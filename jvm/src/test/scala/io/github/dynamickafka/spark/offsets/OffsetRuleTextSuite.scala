package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop._

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetPoint._

class OffsetRuleTextSuite extends ScalaCheckSuite {
  private def everywhere(point: OffsetPoint) = Right(OffsetRule.everywhere(point))

  test("a point alone holds for all clusters") {
    assertEquals(OffsetRuleText.rule(" earliest "), everywhere(Earliest))
    assertEquals(OffsetRuleText.rule("\"latest\""), everywhere(Latest))
    assertEquals(OffsetRuleText.rule("""{"timestamp": 1700000000000}"""), everywhere(Timestamp(1700000000000L)))
    assertEquals(
      OffsetRuleText.rule("""{"committed": "g", "otherwise": {"timestamp": 5}}"""),
      everywhere(Committed("g", Timestamp(5)))
    )
  }

  test("each level takes a point or names") {
    val text = """{"eu": {"orders": {"0": 12, "1": "latest", "2": {"timestamp": 7}}, "refunds": "earliest"},
                 | "us": {"timestamp": 9}, "*": "latest"}""".stripMargin
    val eu = ClusterRule(
      None,
      SortedMap(
        "orders"  -> TopicRule(None, SortedMap(0 -> Exact(12), 1 -> Latest, 2 -> Timestamp(7))),
        "refunds" -> TopicRule(Some(Earliest), SortedMap.empty)
      )
    )
    val clusters = SortedMap(
      ClusterId("*")  -> ClusterRule(Some(Latest), SortedMap.empty),
      ClusterId("eu") -> eu,
      ClusterId("us") -> ClusterRule(Some(Timestamp(9)), SortedMap.empty)
    )
    assertEquals(OffsetRuleText.rule(text), Right(OffsetRule(None, clusters)))
  }

  test("names called timestamp and committed are distinguished from the forms by what stands under them") {
    val topic = ClusterRule(None, SortedMap("orders" -> TopicRule(Some(Latest), SortedMap.empty)))
    assertEquals(
      OffsetRuleText.rule("""{"timestamp": {"orders": "latest"}, "committed": {"orders": "latest"}}"""),
      Right(OffsetRule(None, SortedMap(ClusterId("timestamp") -> topic, ClusterId("committed") -> topic)))
    )
  }

  test("a time is milliseconds, or ISO-8601 text with its offset from UTC: equal times are equal rules with one text") {
    val newYear = Timestamp(1767225600000L)
    Seq(
      "2026-01-01T00:00:00Z",
      "2026-01-01T00:00Z",
      "2026-01-01T02:00:00+02:00",
      "2025-12-31T19:00:00-05:00",
      "2026-01-01T02:00:00+02",
      "2026-01-01T00:00:00.000Z"
    ).foreach { text =>
      assertEquals(OffsetRuleText.rule(s"""{"timestamp": "$text"}"""), everywhere(newYear))
    }
    val own = OffsetRuleText.cluster("""{"orders": {"0": {"timestamp": "2026-01-01T00:00:00Z"}}}""").toOption.get
    assertEquals(OffsetRuleText.text(own), """{"orders":{"0":{"timestamp":1767225600000}}}""")
    val between = OffsetRuleText.rule("""{"timestamp": "2026-01-01T00:00:00.000001Z"}""")
    assertEquals(between, everywhere(Timestamp(1767225600001L)))
  }

  test("a cluster or topic called timestamp may still have a point") {
    val own = SortedMap(ClusterId("timestamp") -> ClusterRule(Some(Latest), SortedMap.empty))
    assertEquals(OffsetRuleText.rule("""{"timestamp": "latest"}"""), Right(OffsetRule(None, own)))
  }

  test("the star gives all other topics and partitions their point") {
    val rule = OffsetRuleText.cluster("""{"*": "latest", "orders": {"3": 5, "*": "earliest"}}""").toOption.get
    assertEquals(rule.point("refunds", 0), Some(Latest))
    assertEquals(rule.point("orders", 3), Some(Exact(5)))
    assertEquals(rule.point("orders", 4), Some(Earliest))
  }

  test("the empty key gives all other clusters their point, since no cluster is called so") {
    val rule = OffsetRuleText.rule("""{"": "earliest", "*": "latest", "eu": {"orders": {"3": 5}}}""").toOption.get
    assertEquals(rule.forCluster(ClusterId("us")).point("orders", 0), Some(Earliest))
    assertEquals(rule.forCluster(ClusterId("*")).point("orders", 0), Some(Latest))
    assertEquals(rule.forCluster(ClusterId("eu")).point("orders", 3), Some(Exact(5)))
    assertEquals(rule.forCluster(ClusterId("eu")).point("orders", 4), Some(Earliest))
    assertEquals(rule.forCluster(ClusterId("eu")).point("refunds", 0), Some(Earliest))
  }

  private val refused = Seq(
    """{"": {"orders": {"0": 1}}}"""                        -> "\"\": found object",
    "soon"                                                  -> "found `soon`; allowed are earliest, latest",
    "12"                                                    -> "found `12`",
    ""                                                      -> "found ``",
    "{"                                                     -> "not valid JSON",
    "{} x"                                                  -> "not valid JSON",
    """"latest" {}"""                                       -> "not valid JSON",
    """{"eu": "latest", "eu": "latest"}"""                  -> "Duplicate field 'eu'",
    """{"eu-1": {"orders": {"0": -1}}}"""                   -> "eu-1.orders.\"0\": found number `-1`",
    """{"eu-1": {"orders": {"0": 1.5}}}"""                  -> "eu-1.orders.\"0\": found number `1.5`",
    """{"eu-1": {"orders": {"0": 99999999999999999999}}}""" -> "is a whole number",
    """{"eu-1": {"orders": {"0": {"a": 1}}}}"""             -> "eu-1.orders.\"0\": found object",
    """{"eu-1": {"orders": {"00": 1}}}"""                   -> "eu-1.orders.\"00\": a partition's number",
    """{"eu-1": {"orders": {"x": 1}}}"""                    -> "eu-1.orders.x: a partition's number",
    """{"eu-1": {"orders": {"99999999999": 1}}}"""          -> "a partition's number",
    """{"eu-1": {"orders": 12}}"""                          -> "eu-1.orders: found number `12`; an offset stands for",
    """{"eu-1": 12}"""                                      -> "eu-1: found number `12`",
    """{"eu-1": "soon"}"""                                  -> "eu-1: found \"soon\"",
    """{"eu.1": {"a.b": null}}"""                           -> "\"eu.1\".\"a.b\": found null",
    """{"eu-1": ["latest"]}"""                              -> "eu-1: found array",
    """{"eu-1": {"*": {"0": 1}}}"""                         -> "eu-1.\"*\": found object",
    """{"timestamp": -5}"""                                 -> "timestamp: found number `-5`",
    """{"timestamp": "2026-01-01T00:00:00"}""" -> "timestamp: found string `\"2026-01-01T00:00:00\"`; it has no offset",
    """{"timestamp": "2026-01-01"}"""          -> "write it as in 2026-01-01T00:00:00Z or",
    """{"timestamp": "yesterday"}"""           -> "or ISO-8601 text such as 2026-01-01T00:00:00Z",
    """{"timestamp": "1969-12-31T00:00:00Z"}"""                -> "it is before 1970",
    """{"eu": {"timestamp": "lates"}}"""                       -> "eu.timestamp: found string",
    """{"timestamp": 5, "eu-1": "latest"}"""                   -> "eu-1: not expected beside \"timestamp\"",
    """{"committed": "g"}"""                                   -> "at the top: \"otherwise\" is missing",
    """{"committed": " ", "otherwise": "latest"}"""            -> "committed: no group",
    """{"committed": "g", "otherwise": 5}"""                   -> "otherwise: found number `5`",
    """{"committed": "g", "otherwise": {"eu": "latest"}}"""    -> "otherwise: found object",
    """{"committed": "g", "otherwise": "latest", "eu": "x"}""" -> "eu: not expected beside"
  )

  refused.foreach { case (text, part) =>
    test(s"refused, with its place: $text") {
      val left = OffsetRuleText.rule(text).swap.getOrElse(fail("it was taken"))
      assert(left.contains(part), left)
    }
  }

  test("a file's name gets a hint, and what is no file's name gets none") {
    def left(text: String) = OffsetRuleText.rule(text).swap.getOrElse(fail("it was taken"))
    Seq("starting.json", "/tmp/starting", "./Offsets.YAML", "file:///x", "C:\\x").foreach { name =>
      assert(left(name).endsWith("; no file is read here: pass its text"), left(name))
    }
    Seq("soon", "1.5", "{x.json", "").foreach(text => assert(!left(text).contains("file"), left(text)))
    val own = OffsetRuleText.cluster("starting.json").swap.getOrElse(fail("it was taken"))
    assert(own.contains("JSON by topic, partition; no file is read here"), own)
  }

  property("a cluster's rule survives its text") {
    forAll(OffsetRuleTextSuite.clusterRules) { rule =>
      assertEquals(OffsetRuleText.cluster(OffsetRuleText.text(rule)), Right(rule))
    }
  }

  property("the same text under a cluster's name means the same") {
    forAll(OffsetRuleTextSuite.clusterRules) { rule =>
      val text = OffsetRuleText.text(rule)
      val json = if (text.startsWith("{")) text else s"\"$text\""
      assertEquals(
        OffsetRuleText.rule(s"""{"eu/1": $json}"""),
        Right(OffsetRule(None, SortedMap(ClusterId("eu/1") -> rule)))
      )
    }
  }
}

object OffsetRuleTextSuite {
  private val times: Gen[OffsetPoint]  = Gen.choose(0L, Long.MaxValue).map(Timestamp)
  private val simple: Gen[OffsetPoint] = Gen.oneOf(Gen.const(Earliest), Gen.const(Latest), times)

  val points: Gen[OffsetPoint] =
    Gen.oneOf(simple, Gen.identifier.flatMap(group => simple.map(other => Committed(group, other))))

  private val partitionPoints = Gen.oneOf(points, Gen.choose(0L, Long.MaxValue).map(Exact))
  private val partitions      =
    Gen.mapOf(Gen.zip(Gen.choose(0, Int.MaxValue), partitionPoints)).map(SortedMap.from[Int, OffsetPoint](_))

  private val topicNames =
    Gen.oneOf(Gen.oneOf("committed", "timestamp", "otherwise", "0", "a.b-c_d"), Gen.identifier)

  private val topicRules = Gen.zip(Gen.option(points), partitions).map { case (d, p) => TopicRule(d, p) }

  /** Rules with and without defaults at each level, and with topics named like the forms' own keys. */
  val clusterRules: Gen[ClusterRule] = for {
    default <- Gen.option(points)
    topics  <- Gen.resize(6, Gen.mapOf(Gen.zip(topicNames, topicRules)))
  } yield ClusterRule(default, SortedMap.from(topics))
}
