package io.github.dynamickafka.spark.metadata.http

import java.time.{Duration, Instant}

import munit.FunSuite

import io.github.dynamickafka.spark.status.{QueryIdentity, QueryStatus}

/** When a report is due: values alone. */
class StatusReportScheduleSuite extends FunSuite {
  private val now  = Instant.ofEpochSecond(1000)
  private val none = QueryStatus(QueryIdentity("q", "r", None, "0"))
  private val some = none.goingBy(3, now)

  private def after(seconds: Long): Instant = now.plus(Duration.ofSeconds(seconds))

  test("nothing is due before anything is known, and each change is due at once") {
    assert(!StatusReportSchedule(none).due(now))
    assert(StatusReportSchedule(some).due(now))
    val said = StatusReportSchedule(some).begun.arrived(some, now)
    assert(!said.due(after(1)))
    assert(said.copy(status = some.goingBy(4, after(1))).due(after(1)))
    assert(said.copy(status = some.stopped).due(after(1)))
  }

  test("the same is due after a minute, and not before") {
    val said = StatusReportSchedule(some).begun.arrived(some, now)
    assertEquals((said.due(after(59)), said.due(after(60))), (false, true))
  }

  test("a clock that is set back silences no report") {
    assert(StatusReportSchedule(some).begun.arrived(some, now).due(after(-3600)))
    assert(StatusReportSchedule(some).begun.lost(now).due(after(-3600)))
  }

  test("while one is on its way no other is due, whatever changes") {
    assert(!StatusReportSchedule(some).begun.due(after(1000)))
  }

  test("after one that was lost the next waits five seconds, whatever changes, but the last one does not wait") {
    val lost = StatusReportSchedule(some).begun.lost(now)
    assertEquals((lost.due(after(4)), lost.due(after(5))), (false, true))
    assert(!lost.copy(status = some.goingBy(9, now)).due(after(4)))
    assert(lost.copy(status = some.stopped).due(after(4)))
  }

  test("since when a version is applied is kept while it stays the same") {
    assertEquals(some.goingBy(3, after(9)), some)
    assertEquals(some.goingBy(4, after(9)).applied.map(_.at), Some(after(9)))
  }
}
