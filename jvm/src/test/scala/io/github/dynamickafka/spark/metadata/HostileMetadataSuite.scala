package io.github.dynamickafka.spark.metadata

import java.util.regex.Pattern

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.scalacheck.Prop.forAllNoShrink

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStream}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{HostileTexts, ScriptedMetadataService}
import io.github.dynamickafka.spark.fakes.Streams.{cluster, stream}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.log.QueryLog

/** Hostile answers of metadata services. Hostile files are in `HostileFilesSuite`. */
class HostileMetadataSuite extends HostileTexts with FailureAssertions {
  private val forged = "eu-1\n26/01/01 ERROR \u001b[31mall is lost\u0000"

  private def fetch(service: KafkaMetadataService): FetchedTopology =
    new TopologyFetch(
      service,
      ChosenStreams.Matching(Pattern.compile("(?s).*")),
      Map.empty,
      Placeholders.ofDriver,
      QueryLog.unnamed
    )
      .fetch(Set.empty)

  private def written(streams: KafkaStream*): KafkaMetadataService =
    new ScriptedMetadataService(all = streams.toSet.asJava)

  private def python(answer: String): KafkaMetadataService = new JsonMetadataService(request =>
    if (request.contains("is_cluster_active")) """{"active":true}""" else answer
  )

  private val good =
    """{"streams":[{"stream_id":"orders","clusters":{"eu-1":{"topics":["orders"],"properties":{"bootstrap.servers":"b:1",""" +
      """"ssl.key.password":"s3cret"},"starting_offsets":"{\"orders\":{\"0\":7}}","ending_offsets":null,"continues":["eu-0"],"paused":["orders"]}}}]}"""

  property("whatever a Python service answers, it is a topology, or a failure in a few words") {
    forAllNoShrink(changed(good, "\"__proto__\":{}", "\"error\":{}", "\\u000a")) { answer =>
      Try(fetch(python(answer))) match {
        case Success(_)                        => ()
        case Failure(e: DynamicKafkaException) =>
          val said = Set[Condition](Condition.PythonService, Condition.MetadataUnavailable, Condition.InvalidMetadata)
          assert(said(e.condition), e)
          assert(e.detail.length < 5000, e.detail)
        case Failure(other) => fail("not reported as a failure of ours", other)
      }
    }
  }

  test("ids of any characters are the clusters' and the streams' own, and forge no line of a message") {
    val found =
      fetch(written(stream(forged, forged -> cluster("t")()), stream("../../etc", "__proto__" -> cluster("t")())))
    assertEquals(found.topology.clusters.keySet.toSet, Set(ClusterId(forged), ClusterId("__proto__")))
    val wrong = Seq(
      stream(forged, forged -> cluster(s"t$forged")()),
      stream(forged, forged -> cluster("t")("bootstrap.servers" -> "")),
      stream(forged, forged -> cluster("t")().withStartingOffsets(s"""{"$forged": {"0": "$forged"}}""")),
      stream(forged, forged -> cluster("t")().continuing(forged)),
      stream(forged, forged -> cluster("t")().continuing("a"), "b" -> cluster("t")().continuing("a")),
      stream(forged, forged -> cluster("t")().continuing("b"), "b" -> cluster("t")().continuing(forged)),
      stream(forged, forged -> cluster("t")().pausedTopics(java.util.Set.of(forged))),
      stream(forged, forged -> cluster("t")().withStartingOffsets(s"""{"a\\nb": {"0": "c\\nd"}}"""))
    )
    wrong.foreach { one =>
      val text = failing(Condition.InvalidMetadata)(fetch(written(one))).summary
      assert(!text.exists(_ < ' '), text)
    }
  }

  test("a placeholder of any characters forges no line of a message either") {
    val open = fetch(written(stream(forged, forged -> cluster("t")(forged -> s"$${env:$forged}")))).topology
    val text = open.unresolved(ClusterId(forged)).fold(fail("it is resolved"))(_.exception.summary)
    assert(!text.exists(_ < ' ') && text.contains("has no variable"), text)
  }

  test("streams that disagree are reported in one line, too") {
    val (one, other) = (cluster("t")(forged -> "1"), cluster("t")(forged -> "2"))
    val text         = failing(Condition.InvalidMetadata)(fetch(written(
      stream("a", forged -> one),
      stream("b", forged -> other)
    ))).summary
    assert(!text.exists(_ < ' '), text)
  }

  test("ten thousand wrong topics, and one of a megabyte, are reported in a few words") {
    val many = stream("orders", "eu-1" -> cluster(Seq.tabulate(10000)(n => s"wrong topic $n"): _*)())
    val text = failing(Condition.InvalidMetadata)(fetch(written(many))).summary
    assert(text.length < 50000, text.length)
    assert(text.contains("10000 problems") && text.endsWith("; and 9900 more."), text.takeRight(200))
    val long = stream("orders", "eu-1" -> cluster("x" * 1000000)())
    assert(failing(Condition.InvalidMetadata)(fetch(written(long))).getMessage.length < 2000)
  }
}
