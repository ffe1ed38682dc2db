package io.github.dynamickafka.spark.options

import scala.collection.immutable.{SortedMap, SortedSet}

import munit.FunSuite

import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetPoint, TopicRule}
import io.github.dynamickafka.spark.options.OneCluster.{LateStart, Topics}

/** The options of Spark's own Kafka source: each means the same, or is refused with what to write. */
class OneClusterSuite extends FunSuite {
  private val least = Map("kafka.bootstrap.servers" -> "b:9092", "subscribe" -> "orders")

  private def parsed(options: Map[String, String], kind: ReadKind) = SourceOptionsParser.parse(options, kind)

  private def settings(more: (String, String)*): SourceSettings = settings(ReadKind.Batch, more: _*)

  private def settings(kind: ReadKind, more: (String, String)*): SourceSettings =
    parsed(least ++ more, kind).fold(problems => fail(problems.mkString("\n")), identity)

  private def cluster(options: Map[String, String]): OneCluster =
    parsed(options, ReadKind.Batch).toOption.flatMap(_.oneCluster).getOrElse(fail("it is not one cluster"))

  private def problems(options: Map[String, String], kind: ReadKind = ReadKind.Batch): Seq[String] =
    parsed(options, kind).fold(_.map(_.text), _ => fail("it was taken"))

  private def starting(more: (String, String)*): Option[ClusterRule] =
    settings(ReadKind.Streaming, more: _*).offsets.starting.map(_.clusters(ClusterId("kafka")))

  private def of(topic: String, partitions: (Int, OffsetPoint)*): Option[ClusterRule] =
    Some(ClusterRule(None, SortedMap(topic -> TopicRule(None, SortedMap(partitions: _*)))))

  private def everywhere(point: OffsetPoint): Option[ClusterRule] = Some(ClusterRule(Some(point), SortedMap.empty))

  test("an address and topics are enough, and the id of the cluster is an option") {
    val one = cluster(least)
    assertEquals(
      one,
      OneCluster(ClusterId("kafka"), Topics.Named(SortedSet("orders"), Map.empty), false, false, LateStart.Fails)
    )
    assertEquals(settings().selection, StreamSelection.Ids(SortedSet(StreamId("orders"))))
    assertEquals(settings().clusters.kafkaProperties, Map("bootstrap.servers" -> "b:9092"))
    assertEquals(cluster(least + ("clusterId" -> "eu-1")).id, ClusterId("eu-1"))
  }

  test("topics are named, matched or assigned") {
    def topics(key: String, value: String) = cluster(least - "subscribe" + (key -> value)).topics
    assertEquals(topics("SUBSCRIBE", " a , b,,"), Topics.Named(SortedSet("a", "b"), Map.empty))
    assertEquals(
      topics("assign", """{"a":[0,2],"b":[1]}"""),
      Topics.Named(SortedSet("a", "b"), Map("a" -> Set(0, 2), "b" -> Set(1)))
    )
    topics("subscribePattern", "orders-.*") match {
      case Topics.Matching(pattern) => assertEquals(pattern.pattern, ".*(?:orders-.*).*")
      case other                    => fail(other.toString)
    }
  }

  test("of a topic that is chosen no more, the partitions are read that were read before") {
    val held     = Map("orders" -> Set(1), "old" -> Set(0, 2))
    val assigned = cluster(least - "subscribe" + ("assign" -> """{"orders":[0]}"""))
    assertEquals(
      Seq("orders", "old", "other").map(assigned.partitions(_, held)),
      Seq(Set(0), Set(0, 2), Set.empty[Int]).map(Some(_))
    )
    assertEquals(Seq("orders", "old").map(cluster(least).partitions(_, held)), Seq(None, Some(Set(0, 2))))
    val matching = cluster(least - "subscribe" + ("subscribePattern" -> "or.*"))
    assertEquals(Seq("orders", "old").map(matching.partitions(_, held)), Seq(None, Some(Set(0, 2))))
  }

  test("columns are chosen as Spark's own source does, and by an option of ours") {
    assert(cluster(least + ("includeHeaders" -> "true")).headers)
    assert(cluster(least + ("clusterColumns" -> "TRUE")).clusterColumns)
  }

  test("offsets are Spark's: by topic, with -1 and -2") {
    assertEquals(starting(), None)
    assertEquals(starting("startingOffsets" -> "Earliest"), everywhere(OffsetPoint.Earliest))
    assertEquals(
      starting("startingOffsets" -> """{"orders":{"0":5,"1":-1,"2":-2}}"""),
      of("orders", 0             -> OffsetPoint.Exact(5), 1 -> OffsetPoint.Latest, 2 -> OffsetPoint.Earliest)
    )
    val ended = settings("endingOffsets" -> """{"orders":{"0":9}}""").offsets
    assertEquals(
      ended.ending.map(_.forCluster(ClusterId("kafka")).point("orders", 0)),
      Some(Some(OffsetPoint.Exact(9)))
    )
    assertEquals(ended.ending.flatMap(_.default), None: Option[OffsetPoint])
  }

  test("of several ways to say where to begin the first of Spark's order counts") {
    val latest = "startingOffsetsByTimestampStrategy" -> "latest"
    val times  = "startingOffsetsByTimestamp"         -> """{"orders":{"0":1000}}"""
    assertEquals(starting(latest, times, "startingOffsets" -> "latest"), of("orders", 0 -> OffsetPoint.Timestamp(1000)))
    assertEquals(starting(latest, times, "startingTimestamp" -> "7"), everywhere(OffsetPoint.Timestamp(7)))
    assertEquals(
      settings("endingTimestamp" -> "8", "endingOffsetsByTimestamp" -> """{"orders":{"0":9}}""").offsets.ending
        .map(_.clusters(ClusterId("kafka"))),
      everywhere(OffsetPoint.Timestamp(8))
    )
  }

  test("options that both sources have mean the same") {
    val got = settings(
      "failOnDataLoss"       -> "false",
      "maxOffsetsPerTrigger" -> "7",
      "minOffsetsPerTrigger" -> "3",
      "maxTriggerDelay"      -> "5m",
      "minPartitions"        -> "4",
      "kafka.group.id"       -> "mine"
    )
    assert(!got.offsets.failOnDataLoss)
    assertEquals(got.limits.batch.maxOffsets, Some(7L))
    assertEquals(got.limits.batch.minOffsets, Some(3L))
    assertEquals(got.limits.tasks.minTasks, Some(4L))
    assertEquals(got.clusters.kafkaProperties("group.id"), "mine")
  }

  test("what would mean something else is refused, with what to write") {
    for {
      (key, value, text) <- Seq(
        ("startingOffsetsByTimestampStrategy", "soon", "allowed is `error` or `latest`"),
        ("startingOffsets", """{"orders":{"0":-3}}""", "-2 is earliest and -1 latest"),
        ("startingOffsets", """{"kafka":{"orders":{"0":3}}}""", "JSON by topic and partition"),
        ("endingTimestamp", "tomorrow", "milliseconds since 1970"),
        ("includeHeaders", "yes", "allowed is `true` or `false`"),
        ("maxTriggerDelay", "5 min", "not a unit"),
        ("kafkaConsumer.pollTimeoutMs", "500", "`clusterReadTimeout`"),
        ("fetchOffset.numRetries", "3", "`clusterRequestTimeout`"),
        ("fetchOffset.retryIntervalMs", "3", "`clusterRequestTimeout`"),
        ("streamIds", "orders", "needs option `metadataService`"),
        ("newClusterOffsets", "latest", "needs option `metadataService`"),
        ("metadataService.path", "streams.yaml", "needs option `metadataService`"),
        ("subscribePattern", "a", "exclude each other"),
        ("assign", """{"orders":["0"]}""", "exclude each other"),
        ("kafka.auto.offset.reset", "earliest", "refused")
      )
    } problems(least + (key -> value)) match {
      case Seq(one) => assert(one.contains(text), one)
      case several  => fail(s"$key: ${several.mkString("\n")}")
    }
    assert(
      problems(least - "subscribe" + ("assign" -> """{"orders":[-1]}""")).head.contains("partitions of each topic")
    )
    assert(problems(least - "subscribe" + ("subscribePattern" -> "(")).head.contains("regular expression"))
    assert(problems(least + ("subscribe" -> " , ")).head.contains("no topic"))
  }

  // By option, a value that Spark's own source takes. Where it needs another option, that one.
  private val examples: Map[String, Map[String, String]] = {
    val latest = "startingOffsetsByTimestampStrategy" -> "latest"
    Map(
      "subscribe"                          -> Map("subscribe" -> "a,b"),
      "subscribePattern"                   -> Map("subscribePattern" -> "a.*"),
      "assign"                             -> Map("assign" -> """{"a":[0]}"""),
      "startingOffsets"                    -> Map("startingOffsets" -> """{"a":{"0":-2}}"""),
      "startingTimestamp"                  -> Map("startingTimestamp" -> "1000", latest),
      "startingOffsetsByTimestamp"         -> Map("startingOffsetsByTimestamp" -> """{"a":{"0":1000}}""", latest),
      "startingOffsetsByTimestampStrategy" -> Map(latest),
      "endingOffsets"                      -> Map("endingOffsets" -> """{"a":{"0":-1}}"""),
      "endingTimestamp"                    -> Map("endingTimestamp" -> "1000"),
      "endingOffsetsByTimestamp"           -> Map("endingOffsetsByTimestamp" -> """{"a":{"0":1000}}"""),
      "includeHeaders"                     -> Map("includeHeaders" -> "true"),
      "failOnDataLoss"                     -> Map("failOnDataLoss" -> "false"),
      "maxTriggerDelay"                    -> Map("maxTriggerDelay" -> "15m"),
      "groupIdPrefix"                      -> Map("groupIdPrefix" -> "mine")
    )
  }

  PeerOptions.all.foreach { option =>
    test(s"${option.key}: what the page says of it is so") {
      val written = examples.getOrElse(option.key, Map(option.key -> "100"))
      val topics  = if (Set("subscribePattern", "assign")(option.key)) least - "subscribe" else least
      val outcome = parsed(topics ++ written, ReadKind.Batch)
      option.alone match {
        case PeerMeaning.Same(_)       => assert(outcome.isRight, outcome)
        case PeerMeaning.Refused(text) => assert(outcome.left.exists(_.exists(_.text.contains(text))), outcome)
      }
    }
  }

  test("a time that no record reaches fails a query, unless it is asked for the end") {
    def late(more: (String, String)*) = cluster(least ++ more + ("startingTimestamp" -> "5")).late
    assertEquals(late(), LateStart.Fails)
    assertEquals(late("startingOffsetsByTimestampStrategy" -> "ERROR"), LateStart.Fails)
    assertEquals(late("startingoffsetsbytimestampstrategy" -> "Latest"), LateStart.AtEnd)
  }

  test("keys in any case of letters mean the same, and a delay without a unit is in milliseconds") {
    val keys = Seq("maxOffsetsPerTrigger", "minOffsetsPerTrigger", "maxTriggerDelay")
    for (written <- Seq(keys.map(_.toUpperCase), keys.map(_.toLowerCase))) {
      val batch = settings(written.map(_ -> "1111"): _*).limits.batch
      assertEquals(batch.maxOffsets, Some(1111L))
      assertEquals(batch.minOffsets, Some(1111L))
      assertEquals(batch.maxDelay, java.time.Duration.ofMillis(1111))
    }
    def begins(text: String) = starting("STARTINGOFFSETS" -> text)
    assertEquals(begins("earLiEst"), everywhere(OffsetPoint.Earliest))
    assertEquals(begins("laTest"), everywhere(OffsetPoint.Latest))
    assertEquals(begins("""{"topic-A":{"0":23}}"""), of("topic-A", 0 -> OffsetPoint.Exact(23)))
  }

  test("topics are chosen once, in one way, and by a text that names some") {
    val address                         = least - "subscribe"
    def text(choice: (String, String)*) = problems(address ++ choice, ReadKind.Streaming).mkString
    val pattern                         = "subscribePattern" -> "t.*"
    val assign                          = "assign"           -> """{"a":[0]}"""
    val refused                         = Seq(
      text()                            -> "`subscribe`, `subscribePattern` or `assign`",
      text("subscribe" -> "t", pattern) -> "exclude each other",
      text("subscribe" -> "t", assign)  -> "exclude each other",
      text("assign" -> "")              -> "partitions of each topic",
      text("subscribe" -> "")           -> "no topic",
      text("subscribePattern" -> "")    -> "subscribePattern",
      text("subscribe" -> "t", "minOffsetsPerTrigger" -> "20", "maxOffsetsPerTrigger" -> "15") -> "which is `15`"
    )
    refused.foreach { case (said, part) => assert(said.contains(part), said) }
  }

  test("a batch read begins at no latest and ends at no earliest, and its ends fit its starts") {
    def batch(starting: String, ending: String = "latest") =
      parsed(least ++ Seq("startingOffsets" -> starting, "endingOffsets" -> ending), ReadKind.Batch)
        .fold(_.map(_.text).mkString, _ => "")
    assertEquals(batch("""{"t":{"0":1,"1":-2}}""", """{"t":{"0":1,"1":-1}}"""), "")
    assertEquals(batch("""{"t":{"0":1}}""", """{"t":"latest"}"""), "")
    for {
      (text, part) <- Seq(
        batch("latest")                         -> "`startingOffsets`: a batch read can't begin at `latest`",
        batch("""{"t":{"0":-1}}""")             -> "`startingOffsets`: a batch read can't begin at `latest`",
        batch("""{"t":"latest"}""")             -> "`startingOffsets`: a batch read can't begin at `latest`",
        batch("earliest", "earliest")           -> "`endingOffsets`: a batch read can't end at `earliest`",
        batch("earliest", """{"t":{"0":-2}}""") -> "`endingOffsets`: a batch read can't end at `earliest`",
        batch("""{"t":{"0":1,"1":1}}""", """{"t":{"0":9}}""") -> "partition 1 of topic t is in one of them alone",
        batch(
          """{"t":{"0":1,"1":1}}""",
          """{"t":{"0":1,"1":0}}"""
        ) -> "partition 1 of topic t would end before it begins"
      )
    } assert(text.contains(part), text)
  }

  test("all problems come at once") {
    val all =
      problems(least ++ Seq("includeHeaders" -> "x", "startingOffsets" -> "x", "minPartitions" -> "x", "what" -> "x"))
    assertEquals(all.size, 4, all.mkString("\n"))
  }

  test("the properties of Kafka that Spark's own source refuses are refused") {
    val names =
      Seq("auto.offset.reset", "enable.auto.commit", "interceptor.classes", "key.deserializer", "value.deserializer")
    for (name <- names; value <- Seq("someValue", "none", "earliest")) {
      val one = problems(least + (s"kafka.$name" -> value), ReadKind.Streaming)
      assert(one.mkString.contains(s"option `kafka.$name` is refused"), one)
    }
  }

  test("a streaming read has no end") {
    val one = problems(least + ("endingTimestamp" -> "5"), ReadKind.Streaming)
    assert(one.head.contains("a streaming read has no end"), one.mkString)
    val offsets = problems(least + ("endingOffsets" -> "latest"), ReadKind.Streaming)
    assert(offsets.head.contains("a streaming read has no end"), offsets.mkString)
  }

  test("with metadata, or without an address, it is not one cluster") {
    assertEquals(OneCluster.of(least + ("metadataService" -> "yaml")).isDefined, false)
    assertEquals(OneCluster.of(least - "kafka.bootstrap.servers").isDefined, false)
    assertEquals(OneCluster.of(least - "subscribe").isDefined, false)
  }

  test("a table's copies of its options count once") {
    val table = least ++ least.map { case (key, value) => s"option.$key" -> value } + ("owner" -> "me")
    assertEquals(cluster(table), cluster(least))
  }

  test("a pattern finds what Spark's own source finds, or is refused by name") {
    def found(pattern: String) =
      OneCluster.of(Map("kafka.bootstrap.servers" -> "b:9092", "subscribePattern" -> pattern))
        .get.map(_.cluster.partitions("my-orders", Map.empty).isEmpty).left.map(_.map(_.text).mkString)
    for (
      (pattern, finds) <- Seq("orders" -> true, "^my-" -> true, "(?i)ORDERS$" -> true, "a|orders" -> true, "b" -> false)
    )
      assertEquals(found(pattern), Right(finds), pattern)
    for (open <- Seq("(?x) orders # all of them", "\\Qorders"))
      assert(found(open).left.exists(_.contains("`subscribePattern`: close the comment")), found(open).toString)
  }
}
