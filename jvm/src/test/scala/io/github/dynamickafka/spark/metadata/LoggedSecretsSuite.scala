package io.github.dynamickafka.spark.metadata

import java.util.{Map => JMap}

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.fakes.{LogLines, ScriptedMetadataService}
import io.github.dynamickafka.spark.fakes.Streams.{cluster, stream}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.log.QueryLog

/** A user's service may write a secret into the text of its error. */
class LoggedSecretsSuite extends munit.FunSuite {
  private val orders = stream("orders", "eu-1" -> cluster("orders")())

  test(
    "what a service raises for a cluster that it does not list any more is logged without the secrets that it was listed with"
  ) {
    val old   = stream("orders", "old-1" -> cluster("orders")("ssl.key.password" -> "k3y"))
    var now   = old
    val fails = new ScriptedMetadataService(
      describe = _ => JMap.of("orders", now),
      active = id => if (id == "old-1" && (now ne old)) throw new IllegalStateException("k3y is refused") else true
    )
    val fetch = new TopologyFetch(
      fails,
      ChosenStreams.Ids(SortedSet(StreamId("orders"))),
      Map.empty,
      Placeholders.ofDriver,
      QueryLog.unnamed
    )
    val lines = LogLines.of(classOf[QueryLog]) {
      fetch.fetch(Set.empty): Unit
      now = orders
      assertEquals(fetch.fetch(Set(ClusterId("old-1"))).inactive, Set(ClusterId("old-1")))
    }
    assertEquals(lines.map(line => (line.contains("*** is refused"), line.contains("k3y"))), Vector(true -> false))
  }
}
