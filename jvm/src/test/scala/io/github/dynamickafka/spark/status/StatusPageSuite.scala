package io.github.dynamickafka.spark.status

import java.nio.file.{Files, Paths}
import java.time.Instant

import scala.collection.immutable.{SortedMap, SortedSet}

import com.fasterxml.jackson.databind.ObjectMapper
import munit.FunSuite

import io.github.dynamickafka.spark.deferral.ClusterDeferral
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Named, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.OptionsPage

/** docs/status.md shows what is written. */
class StatusPageSuite extends FunSuite {
  private lazy val page = Files.readString(OptionsPage.top(Paths.get("").toAbsolutePath).resolve("docs/status.md"))

  private def at(time: String): Instant = Instant.parse(s"2026-11-22T$time" + "Z")

  private val eu = ClusterStatus(
    Some("draining"),
    Some("[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] …"),
    Some("4L6g3nShT-eMCtK--X86sw"),
    topics = 1,
    partitions = 12,
    pending = 1200,
    deferred = 900,
    lastDeferral = Some(ClusterDeferral(Some(41), 3, 12000, Condition.ClusterUnreachable, at("08:58:10"))),
    uncommitted = 0,
    SortedSet(Need.Draining)
  )

  private val status = QueryStatus(
    QueryIdentity(
      "7c1d3a52-9a0c-4b0e-8a55-0d6a2f0a4a10",
      "f3b0c7e4-51e9-4f0d-9d43-3c1f5a2b6d77",
      Some("orders-to-lake"),
      "0"
    ),
    applied =
      Some(AppliedMetadata(Some(12), at("08:00:00"), Some("5f0c61c1a1de36be"), fetched = Some(at("09:00:30")))),
    refused =
      Some(RefusedAnswer(None, Condition.InvalidMetadata, "The metadata has 1 problem: …", at("09:00:40"))),
    looked = Some(ObservedClusters(
      SortedMap("dynamicKafka" -> "0.1.0", "java" -> "17.0.15", "spark" -> "4.2.0"),
      Some(at("09:00:58")),
      Some(SortedMap(ClusterId("eu-1") -> eu))
    ))
  )

  test("the example of the page is what is written, field by field") {
    val shown = "(?s)```json\n(.*?)```".r.findFirstMatchIn(page).map(_.group(1)).getOrElse(fail("no example"))
    val json  = new ObjectMapper
    assertEquals(json.readTree(QueryStatusJson.write(status, at("09:01:00"))), json.readTree(shown))
  }

  test("a failed query has its condition and what it is about, and one that knows nothing of its clusters has none") {
    val failed = QueryStatusJson.write(
      QueryStatus(
        status.query,
        QueryState.Failed.of(DynamicKafkaException(
          Condition.DataLoss,
          say"Records of ${Named.topic("orders")} of cluster ${ClusterId("eu-1")} aged out at host.example.com:9092."
        )),
        looked = Some(ObservedClusters(SortedMap.empty))
      ),
      at("09:01:00")
    )
    assert(
      failed.contains(
        """source":"0"},"state":"failed","condition":"DYNAMIC_KAFKA_DATA_LOSS","concerns":["cluster eu-1","topic orders"],"versions":{},"""
      ),
      failed
    )
  }

  test("each need is on the page, and no other") {
    val rows = page.drop(page.indexOf("The values of `neededFor`"))
    val said = "(?m)^\\| `(\\w+)` \\|".r.findAllMatchIn(rows).map(_.group(1)).toVector
    assertEquals(said, Need.all.map(_.name))
  }
}
