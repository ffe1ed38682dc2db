package io.github.dynamickafka.spark.driver

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Situations._

/** What the driver does about a cluster with a placeholder that can't be resolved. */
class UnresolvedClusterSuite extends FunSuite with StepScenes {
  private val open = listed("eu" -> topics("orders").unresolved, "us" -> topics("orders"))

  test("a cluster whose properties can't be resolved is not asked: it fails the query if the next fetch can't either") {
    scene() { here =>
      here.next(open)
      here.clusters.now("us", more)
      val before = here.clusters.asked.count(_ == "eu")
      assertEquals(here.failure(), Condition.AuthenticationFailed: Condition)
      assertEquals(here.clusters.asked.count(_ == "eu"), before)
    }
    scene() { here =>
      here.next(open)
      here.metadata = () => both
      here.clusters.now("us", more)
      assertEquals(here.ranges(), usRead)
    }
  }

  test(
    "where the query does not need it, the others continue without it, and it comes once its properties are resolved"
  ) {
    for (
      (policy, topology) <- Seq(
        skipping     -> open,
        fromEarliest -> listed("eu" -> topics("orders").unresolved.paused, "us" -> topics("orders")),
        fromEarliest -> listed("eu" -> topics("orders").unresolved.inactive, "us" -> topics("orders")),
        fromEarliest -> listed("eu" -> topics().unresolved, "us" -> topics("orders"))
      )
    ) scene(policy) { here =>
      here.next(topology)
      here.clusters.now("eu", more)
      here.clusters.now("us", more)
      assertEquals(here.ranges(), usRead)
      assertEquals(here.unavailable, Set("eu"))
      here.next(both)
      assertEquals(here.ranges(), Vector("eu orders 0 10-15", "us orders 0 10-15"))
    }
  }
}
