package io.github.dynamickafka.spark.ask

import java.time.{Duration, Instant}

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, ReadObstacle}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Silent}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Which clusters a trigger waits for, when they are asked, and which of their answers count. Times are milliseconds.
  */
class ClusterWatchSuite extends FunSuite {
  private val orders = answer("orders" -> has(0 -> 10))

  private val part: ClusterObservation = {
    val silent = ReadObstacle(partitions = SortedMap(0 -> ReadObstacle.NoAnswer))
    answer("orders" -> has(0 -> 10).copy(obstacle = silent))
  }

  private val soon = ClusterWatch.Soon.toMillis

  private def at(ms: Long): Instant = begin.plusMillis(ms)

  private def request(topology: Long = 1, password: String = "old") =
    ClusterRequest(topology, new ConnectionSettings(Map("password" -> password)), Set("orders"))

  private def fresh(of: ClusterRequest = request()): ClusterWatch = ClusterWatch(ClusterId("eu"), of)

  implicit private class Times(watch: ClusterWatch) {

    /** One ask between these times. */
    def asked(number: Long, from: Long, until: Long, seen: ClusterObservation = orders): ClusterWatch = {
      val asking = watch.asking(number, at(from))
      asking.answered(number, ClusterAnswer(asking.ask.get.request, at(from), at(until), number, seen, Map.empty))
    }

    /** Whether a trigger waits that began then, in the current state. */
    def waits(now: Long, since: Long = 0, waitMode: WaitMode = WaitMode.Limited): Boolean =
      watch.awaited(waitMode, watch, at(since), at(now))

    def asks(now: Long, waitMode: WaitMode = WaitMode.Limited): Boolean = watch.asks(waitMode, watch, at(now), at(now))

    /** What a trigger gets that began in the current state. */
    def says(now: Long): ClusterObservation = watch.observation(watch, at(now))

    def silent(now: Long): Boolean = says(now) match {
      case Silent(report) => report.isDefined
      case _              => false
    }

    def pauses: Option[Long] = watch.pause(Duration.ZERO).map(_.toMillis)
  }

  test("it fails since the first of the asks that failed in a row") {
    val twice = fresh().asked(1, 0, 10, down).asked(2, 20, 30, down)
    assertEquals(twice.newest.flatMap(_.failing), Some(at(10)))
    val again = twice.asked(3, 40, 50)
    assertEquals(again.newest.flatMap(_.failing), None)
    assertEquals(again.asked(4, 60, 70, down).newest.flatMap(_.failing), Some(at(70)))
  }

  test("a cluster that was never asked is waited for, a second at most") {
    val asking = fresh().asking(1, at(0))
    assert(fresh().asks(0))
    assert(asking.waits(soon - 1))
    assert(!asking.waits(soon))
    assertEquals(asking.says(soon - 1), Silent(None): ClusterObservation)
    assert(asking.silent(soon))
  }

  test("one that answers soon is waited for at each trigger, and its answer is of that trigger") {
    val first = fresh().asked(1, 0, 10)
    assert(!first.awaited(WaitMode.Limited, fresh(), at(0), at(10)))
    assert(first.waits(100, since = 100), "the answer is of the trigger before")
    assert(first.asks(100))
    assertEquals(first.asked(2, 100, 110).says(110), orders: ClusterObservation)
    assertEquals(first.pauses, None, "nobody asks it but triggers")
  }

  test("when it falls silent, one trigger waits for a second, and no other waits at all") {
    val silent = fresh().asked(1, 0, 10).asking(2, at(100))
    assert(silent.waits(99 + soon, since = 100))
    assert(!silent.waits(100 + soon, since = 100))
    assert(silent.silent(100 + soon), "what it held before is not read: a task would wait for it")
    assert(!silent.waits(1200, since = 1200))
    assert(!silent.asks(1200), "one ask is under way at a time")
  }

  test(
    "one that failed is not waited for, and is asked in the background after pauses that grow, three seconds at most"
  ) {
    val failed = (1 to 8).scanLeft(fresh().asked(1, 0, 30000, down))((watch, n) =>
      watch.asked(n + 1L, n * 100000L, n * 100000L + 30000, down)
    )
    assert(!failed.exists(_.prompt))
    assert(failed.forall(watch => !watch.waits(1000000, since = 1000000)))
    assertEquals(failed.flatMap(_.pauses), Vector(250L, 500, 1000, 2000, 3000, 3000, 3000, 3000, 3000))
    assertEquals(
      failed.head.pause(Duration.ofSeconds(10)),
      Some(Duration.ofSeconds(10)),
      "brokerPollInterval is longer"
    )
    assertEquals(failed.last.says(900000), down: ClusterObservation)
  }

  test("it is waited for again once it has answered soon") {
    val back = fresh().asked(1, 0, 30000, down).asked(2, 31000, 31010)
    assert(back.prompt)
    assert(back.waits(40000, since = 40000))
  }

  test("within five seconds of its first answer after an hour of silence it is read again") {
    val hour = (1 to 110).foldLeft(fresh())((watch, n) => watch.asked(n.toLong, n * 33000L, n * 33000L + 30000, down))
    // It could answer right after the last failed ask.
    val next = hour.rested.get.plusMillis(hour.pauses.get)
    assert(hour.pauses.exists(_ < 5000))
    val back = hour.asking(200, next)
    val seen = back.answered(200, ClusterAnswer(back.request, next, next.plusMillis(2000), 200, orders, Map.empty))
    assertEquals(seen.observation(back, next.plusMillis(2000)), orders: ClusterObservation)
  }

  test("one that answers after two seconds is never waited for, and its answers count as they come") {
    val slow = fresh().asked(1, 0, 2000)
    assert(!slow.prompt)
    assert(!slow.waits(2100, since = 2100))
    assertEquals(slow.says(2100), orders: ClusterObservation)
    assertEquals(slow.pauses, Some(250L))
    val next = slow.asking(2, at(2250))
    assertEquals(next.says(6249), orders: ClusterObservation, "it gets twice the time that it took")
    assert(next.silent(6250))
  }

  test("whoever needs it waits for an answer that comes after the wait began, whatever it did before") {
    for (before <- Seq(fresh(), fresh().asked(1, 0, 2000), fresh().asked(1, 0, 2000, down))) {
      assert(before.waits(60000, since = 3000, WaitMode.UntilAnswered))
      assert(before.asks(3000, WaitMode.UntilAnswered))
      assert(!before.asked(2, 3000, 33000, down).awaited(WaitMode.UntilAnswered, before, at(3000), at(33000)))
    }
  }

  test("what a limited ask left unanswered says nothing to whoever needs the cluster by then, and all else does") {
    val limited = fresh(request().copy(waitMode = WaitMode.Limited)).asking(1, at(0))
    val needed  = limited.wanting(request(), at(10))
    for (seen <- Seq(part, down)) {
      val late = needed.answered(1, ClusterAnswer(limited.request, at(0), at(20), 1, seen, Map.empty))
      assert(late.awaited(WaitMode.UntilAnswered, needed, at(10), at(20)))
      assert(late.asks(WaitMode.UntilAnswered, needed, at(10), at(20)))
      assertEquals(late.current, None)
      val own = late.asked(2, 20, 30, seen)
      assert(!own.awaited(WaitMode.UntilAnswered, needed, at(10), at(30)))
      assertEquals(own.observation(needed, at(30)), seen)
    }
    val whole = needed.answered(1, ClusterAnswer(limited.request, at(0), at(20), 1, orders, Map.empty))
    assertEquals(whole.observation(needed, at(20)), orders: ClusterObservation)
  }

  test("an answer to an earlier topology says nothing of the present one") {
    val changed = fresh().asked(1, 0, 10).wanting(request(topology = 2), at(20))
    assertEquals(changed.says(20), Silent(None): ClusterObservation)
    assert(changed.waits(20, since = 20))
    val late = fresh().asking(1, at(0)).wanting(request(topology = 2), at(20))
      .answered(1, ClusterAnswer(request(), at(0), at(30), 1, orders, Map.empty))
    assert(late.waits(30, since = 20), "the ask that was under way answers another question")
    assert(late.asks(30))
  }

  test("what comes by an earlier connection is dropped, be it an answer or a failure") {
    val asking  = fresh().asking(1, at(0))
    val changed = asking.wanting(request(password = "new"), at(20))
    assertEquals(changed.ask, None)
    for (seen <- Seq(orders, down))
      assertEquals(changed.answered(1, ClusterAnswer(request(), at(0), at(30), 1, seen, Map.empty)), changed)
    assert(changed.prompt)
  }

  test("a cluster that is known to be sick is not waited for because its credentials change, and is asked at once") {
    val sick  = fresh().asked(1, 0, 30000, down).wanting(request(password = "new"), at(30010))
    val never = fresh().asking(1, at(0)).wanting(request(password = "new"), at(30010))
    for (changed <- Seq(sick, never)) {
      assert(!changed.waits(30010, since = 30010))
      assert(changed.silent(30010))
    }
    assertEquals((sick.pauses, never.pauses), (Some(0L), Some(250L)))
  }

  test("while nothing is known but that it failed before, it is reported as it was, and that is no failed try") {
    val changed = fresh().asked(1, 0, 30000, down).wanting(request(topology = 2), at(31000))
    assertEquals(changed.says(31000), Silent(Some(down.failure)): ClusterObservation)
  }

  test(
    "any history of asks has one under way at a time, and no answer counts that was asked before another that counts"
  ) {
    val random = new scala.util.Random(7)
    for (_ <- 1 to 2000) {
      val steps = Vector.fill(40)(random.nextInt(5))
      steps.zipWithIndex.foldLeft((fresh(), Vector.empty[ClusterAnswer], 1L)) {
        case ((watch, under, topology), (step, n)) =>
          val now   = at(n * 100L)
          val asked = under.lastOption.map(_.began)
          step match {
            case 0 | 1 =>
              val next = watch.asking(n.toLong, now)
              val sent = next.ask.filter(_.number == n).map(a =>
                ClusterAnswer(a.request, now, now, n.toLong, Answered(Some(s"$n"), Map.empty), Map.empty)
              )
              assert(sent.isEmpty || watch.ask.isEmpty)
              (next, under ++ sent, topology)
            case 2 | 3 if under.nonEmpty =>
              // Any ask that was ever sent is answered now, or answered again.
              val one   = under(random.nextInt(under.size))
              val kafka = one.seen.asInstanceOf[Answered].kafkaId.get
              val next  = watch.answered(kafka.toLong, one.copy(ended = now))
              for (was <- watch.newest; is <- next.newest) assert(!is.began.isBefore(was.began))
              assert(asked.isDefined)
              (next, under, topology)
            case 4 =>
              val wanted = request(topology + 1, if (random.nextBoolean()) "old" else "new")
              val next   = watch.wanting(wanted, now)
              assert(next.current.isEmpty)
              (next, under, topology + 1)
            case _ => (watch, under, topology)
          }
      }: Unit
    }
  }

  test("an answer that came while a trigger waited for others counts, however long the next ask takes by then") {
    val before = fresh()
    val slow   = before.asked(1, 0, 300).asking(2, at(550))
    assertEquals(slow.observation(before, at(10000)), orders: ClusterObservation)
    assert(slow.silent(10000))
  }

  test("a cluster of which a part does not answer is asked in the background") {
    assert(!fresh().asked(1, 0, 10, part).prompt)
  }

  test("a clock that is set back makes no wait longer") {
    val asking = fresh().asking(1, at(0))
    assert(!asking.waits(-60000))
  }

  test("a clock that is set back makes no old answer a new one") {
    val answered = fresh().asked(1, 3600000, 3600010)
    assert(answered.waits(0, since = 0, WaitMode.UntilAnswered))
    assert(answered.asks(0, WaitMode.UntilAnswered))
  }
}
