package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeUnit}

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster}

/** A cluster is renamed, and not all topics of an uncommitted batch are listed under its new id, which answers late. Until it
  * answers nobody knows that it is the same Kafka cluster.
  */
class StandInLateSuite extends FunSuite with StepScenes {
  private def at(id: String, cluster: ListedCluster) =
    id -> cluster.copy(connection = Right(new ConnectionSettings(Map("bootstrap.servers" -> s"$id:9092"))))

  private def has2(end: Int): ClusterObservation =
    answer("orders" -> has(0 -> end).of("T1"), "refunds" -> has(0 -> end).of("T2")).of("K1")
  private val whole = listed(at("eu", topics("orders", "refunds")))
  private val begun = Query(fromEarliest).sees(whole)("eu" -> has2(10)).read
  private val last  = begun.sees(whole)("eu" -> has2(15)).read.held

  /** From where the batch is read.
    *
    * @param names what is listed under the new id
    * @param said what that answers, each after so many milliseconds
    */
  private def read(names: Seq[String], policy: UnreadableRangePolicy)(said: (Long, ClusterObservation)*) = {
    val kafka = new ScriptedClusters
    kafka.now("new", said.head._2)
    for ((millis, next) <- said.tail)
      CompletableFuture.runAsync(
        () => kafka.now("new", next),
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, (task: Runnable) => task.run())
      ): Unit
    val here = new OpenedDriver(
      fromEarliest.copy(agreement = Duration.ofMillis(300)),
      kafka,
      () => listed(at("new", topics(names: _*).continuing("eu"))),
      policy,
      options = Map("clusterReadTimeout" -> "10s")
    ).driver
    try here.plan(begun.held, last).map { one =>
        s"${one.id.topic} ${one.from}-${one.until} ${here.connectionsOfBatch.get(one.id.cluster).map(_.bootstrapServers)}"
      }
    finally here.close()
  }

  private val all = Vector("orders 10-15 Some(new:9092)", "refunds 10-15 Some(new:9092)")

  private val listings =
    Seq("both topics" -> Seq("orders", "refunds"), "one topic" -> Seq("orders"), "none" -> Seq.empty)

  for ((what, names) <- listings; policy <- Seq(UnreadableRangePolicy.Wait, UnreadableRangePolicy.Defer))
    test(s"it lists $what, policy $policy") {
      assertEquals(read(names, policy)(0L -> down, 600L -> has2(15)), all)
    }

  for ((what, names) <- listings)
    test(s"it elects leaders, and does not answer for a moment meanwhile; it lists $what") {
      val elects = answer(
        "orders"  -> only().of("T1").leaderless(0),
        "refunds" -> only().of("T2").leaderless(0)
      ).of("K1")
      assertEquals(read(names, UnreadableRangePolicy.Wait)(0L -> elects, 400L -> down, 1500L -> has2(15)), all)
    }
}
