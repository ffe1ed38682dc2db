package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice

/** An unclean election cuts a log at 7, which was read up to 10. Those of the earlier log that were known and not read count
  * as lost, whenever the new leader says so.
  */
class CountedCutSuite extends FunSuite {
  private val lossy  = fromEarliest.copy(failOnDataLoss = false)
  private val eu     = listed("eu" -> topics("orders"))
  private val paused = listed("eu" -> topics("orders").paused)

  private def log(end: Long, epoch: Int) =
    "eu" -> answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")

  private val cutAt7: PartialFunction[Question, Option[Long]] = { case Question(_, LogAgreement(10, 5, _)) => Some(7) }
  private def lost(seen: Seen): Long = seen.notices.collect { case one: Notice.Lost => one.records }.sum

  /** The query has read up to 10, of a log that ended there, or at 15. */
  private def read(end: Long): Query =
    Query(lossy).sees(eu)(log(end, 5)).readSome(_.map { case (id, _) => id -> 10L }).after(Duration.ofSeconds(10))

  for (end <- Seq(10L, 15L); grown <- Seq(8L, 12L, 20L)) {
    def check(at: Seen): Unit = assertEquals((at.ranges, lost(at)), (Vector(s"eu orders 0 7-$grown"), end - 10))

    test(s"control: seen at once; it had $end, and has $grown") {
      check(read(end).sees(eu, cutAt7)(log(grown, 6)))
    }
    test(s"one ask finds the leader silent; it had $end, and has $grown") {
      check(read(end).sees(eu)(log(grown, 6)).read.after(Duration.ofSeconds(5)).sees(eu, cutAt7)(log(grown, 6)))
    }
    test(s"two asks find the leader silent, under skip; it had $end, and has $grown") {
      val skip   = read(end).under(_.copy(unavailable = skipping.unavailable))
      val silent = skip.sees(eu)(log(grown, 6)).read.after(Duration.ofSeconds(5)).sees(eu)(log(grown, 6)).read
      check(silent.after(Duration.ofSeconds(5)).sees(eu, cutAt7)(log(grown, 6)))
    }
    test(s"it is cut while it is paused; it had $end, and has $grown") {
      val before = read(end).sees(paused)(log(end, 5)).read
      val cut    = before.after(Duration.ofSeconds(5)).sees(paused, cutAt7)(log(grown, 6)).read
      check(cut.after(Duration.ofSeconds(5)).sees(eu, cutAt7)(log(grown, 6)))
    }
  }
}
