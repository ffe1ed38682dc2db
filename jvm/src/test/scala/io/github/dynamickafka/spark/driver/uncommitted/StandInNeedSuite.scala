package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Instant

import scala.collection.immutable.SortedMap
import scala.util.Try

import munit.FunSuite

import io.github.dynamickafka.spark.driver.report.DriverView
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.metrics.StatusView
import io.github.dynamickafka.spark.status.{ObservedClusters, QueryIdentity, QueryStatus}

/** A cluster from which an uncommitted batch is read is needed. */
class StandInNeedSuite extends FunSuite with StepScenes {
  private val begun =
    Query(fromEarliest).sees(both)("eu" -> answer("orders" -> has(0 -> 10).of("T1")).of("K1"), "us" -> orders).read
  private val last =
    begun.sees(both)("eu" -> answer("orders" -> has(0 -> 15).of("T1")).of("K1"), "us" -> more).read.held

  private def needs(view: DriverView): Map[String, String] =
    StatusView.after(
      QueryStatus(QueryIdentity("q", "r", None, "0"), looked = Some(ObservedClusters(SortedMap.empty))),
      view,
      Instant.now
    ).looked.flatMap(_.clusters).getOrElse(fail("nothing")).map { case (id, one) =>
      id.value -> one.needs.map(_.name).mkString(" ")
    }

  for ((how, here) <- Seq("is planned" -> has(0 -> 15).of("T1"), "can't be planned" -> only().of("T1").leaderless(0)))
    test(s"it is needed though it lists no topics, and another one is named by the batch, which $how") {
      val off   = listed("new" -> topics().continuing("eu"), "us" -> topics("orders"))
      val kafka = new ScriptedClusters
      kafka.now("new", answer("orders" -> here).of("K1"))
      kafka.now("us", more)
      val driver = new OpenedDriver(fromEarliest, kafka, () => off, options = Map("clusterReadTimeout" -> "1s")).driver
      try {
        Try(driver.plan(begun.held, last)): Unit
        assert(needs(driver.view).getOrElse("new", "") != "", needs(driver.view))
      } finally driver.close()
    }

}
