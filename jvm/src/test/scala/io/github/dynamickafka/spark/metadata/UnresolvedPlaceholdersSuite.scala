package io.github.dynamickafka.spark.metadata

import java.util.{Set => JSet}

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.{InMemoryMetadataService, KafkaMetadataService}
import io.github.dynamickafka.spark.fakes.ScriptedMetadataService
import io.github.dynamickafka.spark.fakes.Streams.{cluster, stream}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.topology.Topology

/** What a fetch makes of placeholders that can't be resolved. */
class UnresolvedPlaceholdersSuite extends munit.FunSuite {
  private def fetches(
      service: KafkaMetadataService,
      kafka: Map[String, String] = Map.empty,
      env: String => Option[String] = _ => None
  ): TopologyFetch = {
    val orders = ChosenStreams.Ids(SortedSet(StreamId("orders")))
    new TopologyFetch(service, orders, kafka, new Placeholders(env, _ => ""), QueryLog.unnamed)
  }

  private def fetch(service: KafkaMetadataService, kafka: Map[String, String] = Map.empty): Topology =
    fetches(service, kafka).fetch(Set.empty).topology

  test("placeholders that can't be resolved are all named with stream, cluster and property, and hold up no other") {
    val service = ScriptedMetadataService.of(
      stream(
        "orders",
        "eu-1" -> cluster("o")("b" -> "${env:B}", "c" -> "${env:C}"),
        "eu-2" -> cluster("o")(),
        "us-1" -> cluster("o")("a" -> "s3cret ${env:A}")
      )
    )
    val found = fetch(service)
    assertEquals(found.connections.keySet, Set(ClusterId("eu-2")))
    assertEquals(
      Seq("eu-1", "us-1").flatMap(id => found.unresolved(ClusterId(id)).map(_.toString)),
      Seq(
        "[DYNAMIC_KAFKA_AUTHENTICATION_FAILED] Cluster eu-1 of stream orders has properties that can't be resolved: " +
          "property b: ${env:B}: the driver's environment has no variable B; property c: ${env:C}: the driver's " +
          "environment has no variable C.",
        "[DYNAMIC_KAFKA_AUTHENTICATION_FAILED] Cluster us-1 of stream orders has properties that can't be resolved: " +
          "property a: ${env:A}: the driver's environment has no variable A."
      )
    )
  }

  test("a placeholder of an option of the query concerns each cluster that does not override it") {
    val service =
      ScriptedMetadataService.of(stream("orders", "eu-1" -> cluster("o")("x" -> "own"), "us-1" -> cluster("o")()))
    val found = fetch(service, kafka = Map("x" -> "${env:X}"))
    assertEquals(
      (found.connections.keySet, found.unresolved(ClusterId("us-1")).isDefined),
      (Set(ClusterId("eu-1")), true)
    )
  }

  test("what can't be resolved any more keeps its last value while its text is unchanged, whatever else changes") {
    var secrets = Map("P" -> "s3cret")
    val service = new InMemoryMetadataService(JSet.of(stream("orders", "eu-1" -> cluster("o")("p" -> "${env:P}"))))
    val all     = fetches(service, env = secrets.get(_))
    def now     = all.fetch(Set.empty).topology
    def p(of: Topology) = of.connections.get(ClusterId("eu-1")).map(_.properties("p"))
    assertEquals(p(now), Some("s3cret"))
    secrets = Map.empty
    service.put(stream("orders", "eu-1" -> cluster("o", "more")("p" -> "${env:P}"), "us-1" -> cluster("o")()))
    assertEquals((p(now), now.clusters.size, now.lists(ClusterId("eu-1"), "more")), (Some("s3cret"), 2, true))
    service.put(stream("orders", "eu-1" -> cluster("o")("p" -> "${env:Q}"), "us-1" -> cluster("o")()))
    assertEquals((p(now), now.unresolved(ClusterId("eu-1")).isDefined, now.clusters.size), (None, true, 2))
    secrets = Map("Q" -> "new")
    assertEquals(p(now), Some("new"))
  }
}
