package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.{LateWorlds, StepScenes}
import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.{OffsetRanges, ReadLimits}
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.BatchKind

/** Real-time batches over clusters that answer late, by what they had at any moment since they were asked. */
class LateRealTimeHistoriesSuite extends FunSuite with StepScenes with LateWorlds {
  private class History(seed: Long) extends Story(seed) {
    private val store    = new InMemoryDecisionStore
    private var realTime = true
    private var opened   = open()
    private var live     = alive
    private var at       = SourceOffset.initial

    private def open() = new OpenedDriver(
      skipping.copy(
        agreement = Duration.ofMillis(300),
        batches = if (realTime) BatchKind.RealTime else BatchKind.Planned
      ),
      kafka,
      () => topology,
      begun = store
    )
    private def alive = new RealTimeDriver(opened.driver, opened.driver.environment, "test", _ => ())

    override protected def poller = opened.poller

    private def starts(as: Boolean): Unit = {
      close()
      realTime = as
      opened = open()
      live = alive
      tell(s"starts realTime=$realTime")
    }

    private def planned(): Unit = {
      val next = opened.driver.latest(at, ReadLimits.everything)
      if (next != at) {
        opened.driver.plan(at, next).foreach(one =>
          took(one.id.cluster.value, one.id.partition, one.from, one.until)
        )
        at = OffsetJson.read(OffsetJson.write(next))
      }
    }

    private def running(calm: Boolean): Unit = {
      live.latest(at): Unit
      val ranges                                 = live.plan(at)
      var taken                                  = ranges.map(_.from)
      var over                                   = false
      var left                                   = if (calm) 1 else chance.nextInt(12)
      def moves(all: Boolean): Vector[TakenPart] = ranges.zipWithIndex.flatMap { case (range, number) =>
        val (id, n) = (range.id.cluster.value, range.id.partition)
        val end     = Math.min(range.until, kafka.end(id, n))
        val next    = if (all) end
        else taken(number) + (chance.nextDouble() * 1.5 * (end - taken(number))).toLong.min(end - taken(number))
        if (next <= taken(number)) None
        else {
          taken = taken.updated(number, next)
          Some(TakenPart(number, next, Some(kafka.epoch(id, n))))
        }
      }
      while (!over && left > 0) {
        left -= 1
        if (!calm) happens()
        Thread.sleep(if (calm) 5 else chance.nextInt(250).toLong)
        live.says(live.number, RealTimeReport(moves(calm))) match {
          case RealTimeAnswer.GoesOn => ()
          case RealTimeAnswer.Ends   => over = true
          case other                 => sys.error(s"a task hears $other")
        }
      }
      if (!calm && chance.nextInt(8) == 0) {
        tell(s"crash while at ${taken.mkString(",")}")
        starts(chance.nextInt(4) > 0)
      } else {
        val parts = ranges.indices.map(n =>
          TakenPart(n, taken(n), Some(kafka.epoch(ranges(n).id.cluster.value, ranges(n).id.partition)))
        ).toVector
        live.ends(live.number, RealTimeReport(parts)) match {
          case RealTimeAnswer.Ends => ()
          case other               => sys.error(s"a task that ends hears $other")
        }
        val end = OffsetJson.read(OffsetJson.write(live.merged))
        if (!calm && chance.nextInt(8) == 0) {
          tell("crash before the commit")
          starts(chance.nextInt(4) > 0)
        } else {
          val between = OffsetRanges.between(at, end).map(one => (one.id, one.from, one.until))
          val tasks   = ranges.zip(taken).collect { case (range, to) if to > range.from => (range.id, range.from, to) }
          if (between != tasks) sys.error(s"the tasks took $tasks, between the offsets lies $between")
          tasks.foreach { case (id, from, until) => took(id.cluster.value, id.partition, from, until) }
          at = end
          if (chance.nextBoolean()) opened.driver.ended(end)
          if (chance.nextBoolean()) opened.driver.committed(end)
        }
      }
    }

    private def happens(): Unit = chance.nextInt(8) match {
      case 0 | 1 | 2 | 3 => kafka.happens()
      case 4             => fetched(listing)
      case _             => ()
    }

    override def steps(): Unit = {
      if (chance.nextInt(12) == 0) starts(chance.nextInt(4) > 0)
      happens()
      if (realTime) running(calm = false) else planned()
    }

    override def recovers(): Unit = {
      healed()
      starts(as = true)
      untilRight(running(calm = true))
    }

    override def close(): Unit = {
      live.close()
      opened.driver.close()
    }
  }

  test("each record is committed once and in order, however old the answers of clusters are") {
    assertRight(steps = 14)(new History(_))
  }
}
