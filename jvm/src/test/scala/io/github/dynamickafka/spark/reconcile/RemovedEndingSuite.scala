package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** The ending offsets of a cluster change in the step that removes a topic of it, while one of its partitions has no leader.
  * The topic still ends by the text that it was listed with.
  */
class RemovedEndingSuite extends FunSuite {
  private def of(cluster: ListedCluster, text: Option[String]): Topology =
    listed("eu" -> text.fold(cluster)(cluster.endingAt))

  private def both(text: String*)    = of(topics("orders", "refunds"), text.headOption)
  private def refunds(text: String*) = of(topics("refunds"), text.headOption)

  private val nine  = "eu" -> answer("orders" -> has(0 -> 9, 0 -> 9), "refunds" -> has(0 -> 9))
  private val unled = "eu" -> answer("orders" -> only(0 -> (0 -> 20)).leaderless(1), "refunds" -> has(0 -> 9))
  private val led   = "eu" -> answer("orders" -> has(0 -> 20, 0 -> 20), "refunds" -> has(0 -> 9))

  private def held(topology: Topology)   = Query(skipping).sees(topology)(nine).read
  private def unread(topology: Topology) = Query(skipping).sees(topology)(nine).readSome(_ => Map.empty)

  private def orders(seen: Seen) = seen.ranges.filter(_.contains("orders"))

  private val twelve = """{"orders": {"0": 12, "1": 12}}"""
  private val ten    = """{"orders": {"1": 10}}"""

  test("a partition that is led later ends by the old text") {
    for (now <- Seq(refunds(), refunds(ten), refunds("""{"refunds": {"0": 9}}"""))) {
      val removed = held(both(twelve)).sees(now)(unled)
      assertEquals(orders(removed), Vector("eu orders 0 9-12"))
      assertEquals(orders(removed.read.sees(now)(led)), Vector("eu orders 1 9-12"))
    }
  }

  test("also after a restart, another edit, or a time when the cluster is down or does not show the topic") {
    val removed = held(both(twelve)).sees(refunds(ten))(unled).read
    for (
      (now, between) <- Seq(
        refunds("latest") -> unled,
        refunds(ten)      -> ("eu" -> down),
        refunds(ten)      -> ("eu" -> answer("orders" -> hidden, "refunds" -> has(0 -> 9)))
      )
    ) assertEquals(orders(removed.sees(now)(between).read.sees(now)(led)), Vector("eu orders 1 9-12"))
  }

  test("a topic that its cluster does not show at all when it is removed ends by the old text") {
    val hiding  = "eu" -> answer("orders" -> hidden, "refunds" -> has(0 -> 9))
    val removed = held(both(twelve)).sees(refunds(ten))(hiding).read
    assertEquals(orders(removed.sees(refunds(ten))(led)), Vector("eu orders 0 9-12", "eu orders 1 9-12"))
  }

  test("one that had no end drains up to its removal, whatever the new text says") {
    val removed = held(both()).sees(refunds(ten))(unled).read
    assertEquals(orders(removed.sees(refunds(ten))(led)), Vector("eu orders 1 9-20"))
  }

  test("an end that was found before stays: `latest` is not resolved anew") {
    val removed = unread(both("latest")).sees(refunds(ten))(unled).read
    assertEquals(orders(removed.sees(refunds(ten))(led)), Vector("eu orders 1 0-9"))
  }

  test("once all ends are known, nothing is kept of the old text") {
    def topic(query: Query) = query.held.topic(ClusterId("eu"), "orders")
    val over                = held(both(twelve)).sees(refunds(ten))(unled).read.sees(refunds(ten))(led).read
    val never               = held(both(twelve)).sees(refunds(ten))(led).read
    assertEquals(topic(over), topic(never))
    assertEquals(topic(over).map(_.ends.size), Some(0))
  }

  test("listed again meanwhile, it ends by the text of now, also if the cluster is down at first") {
    val removed = unread(both("latest")).sees(refunds(ten))(unled).read
    val back    = both(ten)
    for (first <- Seq(removed, removed.sees(back)("eu" -> down).read))
      assertEquals(orders(first.sees(back)(led)).last, "eu orders 1 0-10")
  }
}
