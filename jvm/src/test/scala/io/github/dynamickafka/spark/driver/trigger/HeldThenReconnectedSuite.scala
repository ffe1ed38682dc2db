package io.github.dynamickafka.spark.driver.trigger

import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** As `ReconnectedFailureSuite`, where the service takes longer for an answer than a trigger waits for it. */
class HeldThenReconnectedSuite extends FunSuite with StepScenes {
  private val minted = listed(
    "eu" -> topics("orders").copy(connection = Right(new ConnectionSettings(Map("password" -> "newer")))),
    "us" -> topics("orders")
  )
  private val other = listed("eu" -> topics("orders", "bills"), "us" -> topics("orders"))

  for (
    (how, first) <- Seq("other credentials" -> minted, "one more topic" -> other);
    (what, now)  <- Seq(
      "taken off"       -> listed("us" -> topics("orders")),
      "called inactive" -> listed("eu" -> topics("orders").inactive, "us" -> topics("orders"))
    )
  )
    test(s"a slow fetch brings $how, it fails by these too, and is $what by then: the query lives") {
      scene() { here =>
        here.fails()
        val fetched = new AtomicInteger
        val over    = new AtomicInteger
        here.metadata = () => {
          val mine = fetched.incrementAndGet()
          Thread.sleep(1200)
          over.incrementAndGet()
          if (mine == 1) first else now
        }
        // The fetch after the failure is not over yet: what failed is held, and the other cluster is read.
        assertEquals(here.ranges(), usRead)
        val end = System.nanoTime + TimeUnit.SECONDS.toNanos(5)
        while (over.get < 1 && System.nanoTime < end) Thread.sleep(20)
        Thread.sleep(200)
        // It is over. The cluster is asked as it says now, and fails: a fetch that begins after that ask decides.
        val limit = System.nanoTime + TimeUnit.SECONDS.toNanos(5)
        while (over.get < 2 && System.nanoTime < limit) assertEquals(here.ranges(), usRead)
        assertEquals(here.ranges(), usRead)
        assertEquals(fetched.get, 2)
      }
    }
}
