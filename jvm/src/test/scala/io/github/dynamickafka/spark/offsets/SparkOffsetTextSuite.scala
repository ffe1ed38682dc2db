package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}

/** Offsets that Spark's own Kafka source has written into a checkpoint. */
class SparkOffsetTextSuite extends FunSuite {
  private val kafka = ClusterId("kafka")

  private def held(text: String): SourceOffset = SparkOffsetText.held(text, kafka).getOrElse(fail(s"$text is none"))

  private def at(topic: String, partition: Int) = PartitionId(kafka, topic, partition)

  test("each partition stands where it was read to, and Kafka's ids are adopted later") {
    val found = held("""{"orders":{"1":7,"0":5},"refunds":{"0":0}}""")
    assertEquals(found.get(at("orders", 1)), Some(PartitionOffset(0, 7, 0)))
    assertEquals(found.partitions.map(_._2.next).toVector, Vector(5L, 7L, 0L))
    assert(!found.initial)
    assertEquals(found.clusters(kafka).kafkaId, None)
    assertEquals(found.clusters(kafka).topics("refunds").stream.value, "refunds")
  }

  test("partitions are read as Spark's own source reads them") {
    assertEquals(
      SparkOffsetText.partitions("""{"topicA":[0,1],"topicB":[4,6]}"""),
      Right(Map("topicA" -> Set(0, 1), "topicB" -> Set(4, 6)))
    )
  }

  private def whole(point: OffsetPoint) = TopicRule(Some(point), SortedMap.empty)

  private def each(partitions: (Int, OffsetPoint)*) = TopicRule(None, SortedMap(partitions: _*))

  private def topics(text: String): SortedMap[String, TopicRule] =
    SparkOffsetText.offsets(text).fold(fail(_), rule => rule.topics)

  test("offsets are by topic and partition, where -2 is earliest and -1 latest") {
    assertEquals(
      topics("""{"topicA":{"0":23,"1":-1},"topicB":{"0":-2}}"""),
      SortedMap(
        "topicA" -> each(0 -> OffsetPoint.Exact(23), 1 -> OffsetPoint.Latest),
        "topicB" -> each(0 -> OffsetPoint.Earliest)
      )
    )
  }

  test("a whole topic may have a word, in any case of letters, beside others by partition") {
    assertEquals(
      topics("""{"topicA":"earliest","topicB":{"0":23,"1":-1},"topicC":"LATEST"}"""),
      SortedMap(
        "topicA" -> whole(OffsetPoint.Earliest),
        "topicB" -> each(0 -> OffsetPoint.Exact(23), 1 -> OffsetPoint.Latest),
        "topicC" -> whole(OffsetPoint.Latest)
      )
    )
    assert(SparkOffsetText.timestamps("""{"topicA":"earliest"}""").isLeft)
  }

  test("a topic that comes twice, and any other text, is refused as it was found") {
    val texts = Seq(
      """{"topicA":"earliest","topicA":{"0":23}}""",
      """{"topicA":"first"}""",
      """{"topicA":[0,1]}""",
      """{"topicA":{"0":"earliest"}}""",
      "\"earliest\"",
      "not json"
    )
    texts.foreach { text =>
      val refused = SparkOffsetText.offsets(text)
      assert(refused.left.exists(_.contains(text)), refused)
    }
  }

  test("two such offsets have between them what Spark's own source would read") {
    val ranges = io.github.dynamickafka.spark.plan.OffsetRanges
      .between(held("""{"orders":{"0":5}}"""), held("""{"orders":{"0":9,"1":4}}"""))
    assertEquals(ranges.map(one => (one.id.partition, one.from, one.until)), Vector((0, 5L, 9L), (1, 0L, 4L)))
  }

  test("a pattern that matched nothing has an offset too") {
    assertEquals(held("{}").clusters(kafka).topics, SortedMap.empty[String, TopicOffset])
  }

  test("our own offsets and other texts are none") {
    val others = Seq(
      OffsetJson.write(SourceOffset.initial),
      OffsetJson.write(held("""{"orders":{"0":5}}""")),
      "",
      "-",
      "5",
      "[]",
      """{"orders":5}""",
      """{"orders":{"x":5}}""",
      """{"orders":{"0":-1}}""",
      """{"orders":{"0":1.5}}"""
    )
    others.foreach(text => assertEquals(SparkOffsetText.held(text, kafka), None, text))
  }
}
