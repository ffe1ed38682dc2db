package io.github.dynamickafka.spark.driver.trigger

import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** Each fetch says something else, as from two replicas of a service of which one is late. */
class FlappingFetchSuite extends FunSuite with StepScenes {
  private val one   = listed("eu" -> topics("orders"))
  private val other = listed("us" -> topics("orders"))

  test("two clusters are down, and fetches list them in turns: the query fails, and does not ask on for ever") {
    scene() { here =>
      here.next(one)
      here.latest(start): Unit
      here.clusters.now("eu", down)
      here.clusters.now("us", down)
      val fetched = new AtomicInteger
      // So that the test ends.
      here.metadata = () => if (fetched.incrementAndGet() % 2 == 1 && fetched.get < 300) other else one
      assertEquals(here.failure(), Condition.ClusterUnreachable: Condition)
      assert(fetched.get < 10, s"${fetched.get} fetches and as many asks within one trigger")
    }
  }

  private def lists(names: String*): Topology = listed("eu" -> topics(names: _*), "us" -> topics("orders"))

  test("two topics may not be read, and two fetches take them off, one each: the query lives") {
    scene() { here =>
      here.clusters.now(
        "eu",
        answer(
          "orders" -> has(0 -> 10),
          "bills"  -> has(0 -> 10).lacking("READ"),
          "costs"  -> has(0 -> 10).lacking("READ")
        )
      )
      here.clusters.now("us", more)
      here.next(lists("orders", "bills", "costs"))
      val fetched = new AtomicInteger
      here.metadata = () => if (fetched.incrementAndGet() == 1) lists("orders", "bills") else lists("orders")
      assertEquals(here.ranges(), usRead)
    }
  }
}
