package io.github.dynamickafka.spark.driver.trigger

import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What fails by the connection that a later fetch brought is judged by a fetch that begins after that failure. */
class ReconnectedFailureSuite extends FunSuite with StepScenes {
  private val minted = listed(
    "eu" -> topics("orders").copy(connection = Right(new ConnectionSettings(Map("password" -> "newer")))),
    "us" -> topics("orders")
  )

  for (
    (what, now) <- Seq(
      "taken off"       -> listed("us" -> topics("orders")),
      "called inactive" -> listed(
        "eu" -> topics("orders").inactive,
        "us" -> topics("orders")
      )
    )
  )
    test(s"it gets other credentials, fails by these too, and is $what by then: the query lives") {
      scene() { here =>
        here.fails()
        val fetched = new AtomicInteger
        here.metadata = () => if (fetched.incrementAndGet() == 1) minted else now
        assertEquals(here.ranges(), usRead)
      }
    }
}
