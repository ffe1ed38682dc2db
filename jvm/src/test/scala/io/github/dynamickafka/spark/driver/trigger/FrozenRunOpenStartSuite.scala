package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{LogLines, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.{Question, ReconcilePolicy}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** A frozen run whose brokers leave a point in time of one partition open for a while, as one that does not know the topic yet. */
class FrozenRunOpenStartSuite extends FunSuite with StepScenes {
  private class Open(left: Int, times: Int) extends ScriptedClusters {
    private val asks = new AtomicInteger
    override def resolving(
        cluster: ClusterId,
        questions: Set[Question]
    ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] = {
      val leaves = asks.incrementAndGet() <= times
      CompletableFuture.completedFuture(Right(questions.collect {
        case q @ Question(id, OffsetPoint.Timestamp(_)) if !leaves || id.partition != left => q -> Option(5L)
      }.toMap))
    }
  }

  // Since 1 s after the epoch.
  private def since(policy: ReconcilePolicy) =
    policy.copy(starting = OffsetRule.everywhere(OffsetPoint.Timestamp(1000)))

  /** What a run reads of a cluster with two partitions of ten records, and its notices. */
  private def reads(kafka: Open, policy: ReconcilePolicy, lists: Topology, limit: String = "60s") = {
    kafka.now("eu", answer("orders" -> has(0 -> 10, 0 -> 10).of("T1")).of("K1"))
    val here = new OpenedDriver(policy, kafka, () => lists, options = Map("clusterRequestTimeout" -> limit)).driver
    try {
      here.freeze()
      val steps = Iterator.iterate(SourceOffset.initial)(here.latest(_, ReadLimits.everything)).take(5).toVector
      val read  = steps.zip(steps.tail).flatMap { case (from, to) => ranges(from, to) }
      read.sorted -> here.remembered.last.map(_.reconciled.notices).toVector.flatten
    } finally here.close()
  }

  for (policy <- Seq(fromEarliest, skipping)) {
    def all(what: String, cluster: ListedCluster, policy: ReconcilePolicy, wanted: Vector[String]): Unit =
      test(s"it reads what was there, whatever they leave open of where it $what, with ${policy.unavailable}") {
        assertEquals(reads(new Open(left = 1, times = 1), policy, listed("eu" -> cluster)), (wanted, Vector.empty))
      }
    all("begins", topics("orders"), since(policy), Vector("eu orders 0 5-10", "eu orders 1 5-10"))
    all(
      "ends",
      topics("orders").endingAt("""{"timestamp": 1000}"""),
      policy,
      Vector("eu orders 0 0-5", "eu orders 1 0-5")
    )
  }

  test("it reads what was there, though another cluster takes the whole of clusterRequestTimeout to fail") {
    val kafka = new Open(left = 1, times = 1)
    kafka.hangs("us")
    kafka.wakesAfter(Duration.ofMillis(2500), "us", down)()
    assertEquals(reads(kafka, since(skipping), both, limit = "2s")._1, Vector("eu orders 0 5-10", "eu orders 1 5-10"))
  }

  test("a run that leaves a partition out, because no broker says where it begins, warns of it once") {
    val lines = LogLines.of(classOf[StepRunner]) {
      val kafka = new Open(left = 1, times = Int.MaxValue)
      val lists = listed("eu" -> topics("orders"))
      assertEquals(reads(kafka, since(fromEarliest), lists, limit = "1s")._1, Vector("eu orders 0 5-10"))
    }
    assertEquals(
      lines.filter(_.contains("brokers have not said")),
      Vector(
        "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Within clusterRequestTimeout the brokers have not said where reading begins or " +
          "ends, or whether the log was cut off, in cluster=eu topic=orders partition=1. This run may not read there; the next one asks again. "
      )
    )
  }
}
