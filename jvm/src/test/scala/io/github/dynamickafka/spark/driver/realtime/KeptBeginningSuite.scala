package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration
import java.util.concurrent.CompletableFuture

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.DeferredScenes
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ManualClock, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetJson, OffsetPoint, OffsetRule, SourceOffset}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** What a real-time batch that was not committed has begun with, beside positions. */
class KeptBeginningSuite extends FunSuite with LiveScenes with DeferredScenes {
  // A batch begins an hour after the start of all, and the query starts again three hours later.
  private val listing = begin.plus(Duration.ofHours(1)).toEpochMilli

  private class Timed extends ScriptedClusters {
    // When `ap` was listed, its log ended at 10.
    override def resolving(
        cluster: ClusterId,
        questions: Set[Question]
    ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
      CompletableFuture.completedFuture(Right(questions.map {
        case q @ Question(_, OffsetPoint.Timestamp(at)) => q -> Option.when(at <= listing)(10L)
        case q                                          => q -> None
      }.toMap))
  }

  private def logged(offset: SourceOffset) = OffsetJson.read(OffsetJson.write(offset))

  private class Run(
      clock: ManualClock,
      kafka: ScriptedClusters,
      begun: InMemoryDecisionStore,
      decisions: InMemoryDecisionStore,
      topology: () => Topology,
      policy: ReconcilePolicy
  ) {
    val opened = new OpenedDriver(
      realTime(policy),
      kafka,
      topology,
      UnreadableRangePolicy.Defer,
      decisions,
      begun = begun,
      clock = clock
    )
    val live = new RealTimeDriver(opened.driver, opened.driver.environment, "test", _ => ())
    def begins(from: SourceOffset): Vector[String] = {
      live.latest(from): Unit
      live.plan(from).map { one =>
        val until = if (one.until > 1000) "" else s"-${one.until}"
        s"${one.id.cluster} ${one.id.partition} ${one.from}$until"
      }
    }
    def ends(parts: TakenPart*): SourceOffset = {
      assertEquals(live.ends(live.number, RealTimeReport(parts.toVector)), RealTimeAnswer.Ends: RealTimeAnswer)
      logged(live.merged)
    }
    def close(): Unit = { live.close(); opened.driver.close() }
  }

  /** A micro-batch is committed. The real-time batch behind it is stopped before it is committed, and the query starts
    * again hours later.
    *
    * @param defers whether the micro-batch has deferred a part of `us`
    * @param first what the new listing says
    * @return what it reads then
    */
  private def stopped(defers: Boolean, policy: ReconcilePolicy = skipping)(listed: Topology)(
      first: ScriptedClusters => Unit,
      later: ScriptedClusters => Unit
  ): Vector[String] = stoppedBy(defers, policy)(() => listed)(first, later)

  private def stoppedBy(defers: Boolean, policy: ReconcilePolicy = skipping)(listed: () => Topology)(
      first: ScriptedClusters => Unit,
      later: ScriptedClusters => Unit
  ): Vector[String] = {
    val (begun, decisions) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    val (kafka, clock)     = (new Timed, new ManualClock(begin))
    Seq("eu", "us").foreach(kafka.now(_, more))
    val planned = new OpenedDriver(
      policy,
      kafka,
      () => both,
      UnreadableRangePolicy.Defer,
      decisions,
      begun = begun,
      clock = clock
    ).driver
    val committed =
      try {
        val next = logged(planned.latest(start, ReadLimits.everything))
        if (defers) runs(planned, start, next) else runs(planned, start, next, _ => false)
        next
      } finally planned.close()
    def run(): Vector[String] = {
      val here = new Run(clock, kafka, begun, decisions, listed, policy)
      try here.begins(committed)
      finally here.close()
    }
    clock.advance(Duration.ofHours(1))
    first(kafka)
    run(): Unit
    clock.advance(Duration.ofHours(3))
    later(kafka)
    run().filterNot(_.startsWith("us"))
  }

  private def either(name: String)(story: Boolean => Vector[String], wanted: String*): Unit =
    Seq(false, true).foreach { defers =>
      def holds(): Unit = assertEquals(story(defers), wanted.toVector)
      if (defers) test(s"$name, behind a batch that has deferred a part")(holds()) else test(name)(holds())
    }

  private def withAp(ap: ListedCluster) =
    listed("ap" -> ap, "eu" -> topics("orders"), "us" -> topics("orders"))
  private val latest = topics("orders").startingAt("""{"orders":"latest"}""")

  private def says(topic: TopicObservation)(kafka: ScriptedClusters): Unit = kafka.now("ap", answer("orders" -> topic))

  private def hiddenAtFirst(defers: Boolean): Vector[String] =
    stopped(defers)(withAp(latest))(says(hidden), says(has(0 -> 15)))

  either("latest of a new cluster is when it was listed, though its topic was hidden then")(
    hiddenAtFirst,
    "ap 0 10",
    "eu 0 15"
  )

  private def unledAtFirst(defers: Boolean): Vector[String] =
    stopped(defers)(withAp(latest))(says(only().leaderless(0)), says(has(0 -> 15)))

  either("latest of a new cluster is when it was listed, though no partition of its topic had a leader then")(
    unledAtFirst,
    "ap 0 10",
    "eu 0 15"
  )

  private val newAtLatest = skipping.copy(newCluster = OffsetRule.everywhere(OffsetPoint.Latest))

  private def createdLater(defers: Boolean): Vector[String] =
    stopped(defers, newAtLatest)(withAp(topics("orders")))(says(absent), says(has(0 -> 5)))

  either("a topic that is created once its new cluster was contacted begins at its earliest record")(
    createdLater,
    "ap 0 0",
    "eu 0 15"
  )

  private def drained(defers: Boolean): Vector[String] =
    stopped(defers)(listed("eu" -> topics(), "us" -> topics("orders")))(
      _.now("eu", answer("orders" -> has(0 -> 20))),
      _.now("eu", answer("orders" -> has(0 -> 30)))
    )

  either("a drain ends where its end was found")(drained, "eu 0 15-20")

  private def partitionUnled(defers: Boolean): Vector[String] =
    stopped(defers)(listed("eu" -> latest, "us" -> topics("orders")))(
      _.now("eu", answer("orders" -> has(0 -> 15).leaderless(1))),
      _.now("eu", answer("orders" -> has(0 -> 15, 0 -> 15)))
    )

  either("latest of a partition that nobody led is when it was seen")(partitionUnled, "eu 0 15", "eu 1 10")

  /** A mirror took over from `eu` in the batch that was stopped. Mirroring had ended at 12: records 12 to 15 are its own.
    * While the query is stopped, a third id takes over from it.
    */
  private def failedOver(defers: Boolean): Vector[String] = {
    val line             = """{"orders":{"0":12}}"""
    @volatile var second = false
    val one = listed("mirror" -> topics("orders").continuing("eu").startingAt(line), "us" -> topics("orders"))
    val two = listed("third" -> topics("orders").continuing("mirror", "eu"), "us" -> topics("orders"))
    stoppedBy(defers)(() => if (second) two else one)(
      _.now("mirror", answer("orders" -> has(0 -> 20).of("T2")).of("K2")),
      kafka => {
        second = true
        kafka.now("third", answer("orders" -> has(0 -> 20).of("T3")).of("K3"))
      }
    )
  }

  either("own records of a mirror are read, though a third id has taken over since")(failedOver, "third 0 12")

}
