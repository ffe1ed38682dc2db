package io.github.dynamickafka.spark.metadata

import java.util.{Map => JMap}

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.KafkaStream
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.ScriptedMetadataService
import io.github.dynamickafka.spark.fakes.Streams.{cluster, stream}
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.log.QueryLog

/** A secret that the service has listed beside a placeholder that can't be resolved. */
class SecretBesidePlaceholderSuite extends munit.FunSuite {
  private def fetching(service: ScriptedMetadataService) = new TopologyFetch(
    service,
    ChosenStreams.Ids(SortedSet(StreamId("orders"))),
    Map.empty,
    new Placeholders(_ => None, _ => ""),
    QueryLog.unnamed
  )

  test("a secret of a cluster is masked, whatever else of that cluster can't be resolved") {
    val eu = cluster("orders")("ssl.key.password" -> "k3y", "ssl.truststore.password" -> "${env:MISSING}")
    var now: () => JMap[String, KafkaStream] = () => JMap.of("orders", stream("orders", "eu-1" -> eu))
    val fetch                                = fetching(new ScriptedMetadataService(describe = _ => now()))
    fetch.fetch(Set.empty): Unit
    now = () => throw new IllegalStateException("k3y is refused")
    val thrown = intercept[DynamicKafkaException](fetch.fetch(Set.empty))
    val texts  = Iterator.iterate[Throwable](thrown)(_.getCause).takeWhile(_ != null).map(_.toString).toVector
    assert(!texts.exists(_.contains("k3y")), texts)
  }
}
