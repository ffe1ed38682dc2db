package io.github.dynamickafka.spark.reconcile

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.TopicObservation.{Absent, Present}

class AbsencesSuite extends munit.FunSuite {
  private val a      = ClusterId("a")
  private val topic  = (a, "orders")
  private val absent = Map[ClusterId, ClusterObservation](a -> Answered(None, Map("orders" -> Absent)))
  private val there  =
    Map[ClusterId, ClusterObservation](a -> Answered(None, Map("orders" -> Present(None, Map.empty))))
  private val silent = Map[ClusterId, ClusterObservation](a -> Failed(Failure(Condition.ClusterUnreachable, "")))

  private def at(second: Long) = Instant.ofEpochSecond(second)

  private def asked(asks: (Long, Map[ClusterId, ClusterObservation])*): Absences =
    asks.foldLeft(Absences()) { case (before, (second, seen)) => before.after(seen, at(second)) }

  private def deleted(absences: Absences, fetched: Long) = absences.deleted(Duration.ofSeconds(30), at(fetched))

  test("a topic counts as deleted once a fetch that lists it began after asks over the whole time agreed") {
    val absences = asked(0L -> absent, 10L -> absent)
    assertEquals(deleted(absences, fetched = 29), Set.empty[(ClusterId, String)])
    assertEquals(deleted(absences, fetched = 30), Set(topic))
  }

  test("one answer that has the topic, or does not tell of it, begins the time anew") {
    val untold = Map[ClusterId, ClusterObservation](a -> Answered(None, Map.empty))
    for (other <- Seq(there, untold, Map.empty[ClusterId, ClusterObservation])) {
      val absences = asked(0L -> absent, 10L -> other, 20L -> absent)
      assertEquals(deleted(absences, fetched = 49), Set.empty[(ClusterId, String)])
      assertEquals(deleted(absences, fetched = 50), Set(topic))
    }
  }

  test("an ask without an answer neither begins the time anew nor begins it") {
    assertEquals(deleted(asked(0L -> absent, 10L -> silent), fetched = 30), Set(topic))
    assertEquals(deleted(asked(0L -> silent), fetched = 30), Set.empty[(ClusterId, String)])
  }
}
