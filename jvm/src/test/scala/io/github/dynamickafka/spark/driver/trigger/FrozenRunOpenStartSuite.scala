package io.github.dynamickafka.spark.driver.trigger

import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{LogLines, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ListedCluster

/** A frozen run whose brokers leave a point in time of one partition open once, as one that does not know the topic yet. */
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

  for (policy <- Seq(fromEarliest, skipping)) {
    def reads(what: String, cluster: ListedCluster, rule: OffsetPoint, wanted: Vector[String]): Unit =
      test(s"it reads what was there, whatever they leave open of where it $what, with ${policy.unavailable}") {
        val kafka = new Open(left = 1, times = 1)
        kafka.now("eu", answer("orders" -> has(0 -> 10, 0 -> 10).of("T1")).of("K1"))
        val here = new OpenedDriver(
          policy.copy(starting = OffsetRule.everywhere(rule)),
          kafka,
          () => listed("eu" -> cluster)
        ).driver
        try {
          here.freeze()
          val steps = Iterator.iterate(SourceOffset.initial)(here.latest(_, ReadLimits.everything)).take(5).toVector
          val read  = steps.zip(steps.tail).flatMap { case (from, to) => ranges(from, to) }
          assertEquals(
            (read.sorted, here.remembered.last.map(_.reconciled.notices).toVector.flatten),
            (wanted, Vector.empty)
          )
        } finally here.close()
      }
    reads(
      "begins",
      topics("orders"),
      OffsetPoint.Timestamp(1000),
      Vector("eu orders 0 5-10", "eu orders 1 5-10")
    )
    reads(
      "ends",
      topics("orders").endingAt("""{"timestamp": 1000}"""),
      OffsetPoint.Earliest,
      Vector("eu orders 0 0-5", "eu orders 1 0-5")
    )
  }

  test("a run that leaves a partition out, because no broker says where it begins, warns of it once") {
    val kafka = new Open(left = 1, times = Int.MaxValue)
    kafka.now("eu", answer("orders" -> has(0 -> 10, 0 -> 10).of("T1")).of("K1"))
    val lines = LogLines.of(classOf[StepRunner]) {
      val here = new OpenedDriver(
        fromEarliest.copy(starting = OffsetRule.everywhere(OffsetPoint.Timestamp(1000))),
        kafka,
        () => listed("eu" -> topics("orders")),
        options = Map("clusterRequestTimeout" -> "1s")
      ).driver
      try {
        here.freeze()
        val steps = Iterator.iterate(SourceOffset.initial)(here.latest(_, ReadLimits.everything)).take(5).toVector
        val read  = steps.zip(steps.tail).flatMap { case (from, to) => ranges(from, to) }
        assertEquals(read, Vector("eu orders 0 5-10"))
      } finally here.close()
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
