package io.github.dynamickafka.spark.status

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, Topology}

class TopologyDigestSuite extends FunSuite {
  private def one(cluster: ListedCluster): String = TopologyDigest.of(listed("eu" -> cluster))

  test("each thing that is read, or not, counts") {
    val orders  = topics("orders")
    val digests = Seq(
      TopologyDigest.of(Topology.empty),
      TopologyDigest.of(listed("us" -> orders)),
      one(orders),
      one(topics()),
      one(topics("orders", "refunds")),
      one(orders.startingAt("\"latest\"")),
      one(orders.endingAt("\"latest\"")),
      one(orders.inactive),
      one(orders.paused),
      one(orders.pausing("orders")),
      one(orders.continuing("us"))
    )
    assertEquals(digests.distinct, digests)
    assert(digests.forall(_.matches("[0-9a-f]{16}")), digests)
  }

  test("addresses and properties do not count") {
    val secret = new ConnectionSettings(Map("bootstrap.servers" -> "b:9092", "sasl.jaas.config" -> "s3cret"))
    assertEquals(one(topics("orders").copy(connection = Right(secret))), one(topics("orders")))
  }
}
