package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll
import org.scalacheck.Test.Parameters

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.ManyHistories
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, Topology}

/** Two topics of a cluster move to its whole mirror and back, one by one, while drivers are killed. */
class TwoTopicsMovedHistoriesSuite extends ManyHistories with StepScenes {
  private val Names = Vector("t", "u")

  private class History(seed: Long) {
    private val chance = new Random(seed)
    private val kafka  = new ScriptedClusters
    private val same   = chance.nextInt(3) > 0
    private val store  = new InMemoryDecisionStore
    private var ends   = Map("t" -> 5, "u" -> 5)
    private var where  = Map("t" -> Set("eu"), "u" -> Set("eu"))
    private var paused = Set.empty[(String, String)]
    private var up     = Set("eu", "us")
    private var at     = SourceOffset.initial
    private var logged = Option.empty[SourceOffset]
    private var read   = Map("t" -> 0L, "u" -> 0L)
    private var trace  = Vector.empty[String]
    private var list   = topology
    private var opened = start

    private def cluster(id: String, names: String*): (String, ListedCluster) = {
      val plain = topics(names: _*).copy(connection =
        Right(new ConnectionSettings(Map("bootstrap.servers" -> s"$id:9092")))
      )
      val rests = Names.filter(name => paused(id -> name))
      val now   = if (rests.isEmpty) plain else plain.pausing(rests: _*)
      id -> (if (id == "us") now.continuing("eu") else now)
    }

    private def topology: Topology = listed(Vector("eu", "us").map(id => cluster(id, Names.filter(where(_)(id)): _*))
      .filter { case (_, one) => one.topics.nonEmpty || chance.nextInt(3) > 0 }: _*)

    private def start = new OpenedDriver(
      skipping,
      kafka,
      () => list,
      if (chance.nextBoolean()) UnreadableRangePolicy.Defer else UnreadableRangePolicy.Wait,
      store,
      options = Map("clusterReadTimeout" -> "1s")
    )

    private def restarts(why: String): Unit = {
      trace :+= s"restarts: $why"
      opened.driver.close()
      opened = start
    }

    private def lists(now: Map[String, Set[String]]): Unit = {
      where = now
      list = topology
      trace :+= s"lists ${list.clusters.map { case (id, one) => s"$id ${one.topics.keys.mkString("+")}" }.mkString("; ")}"
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }

    private def answers(id: String): ClusterObservation = answer(Names.map(name =>
      name -> has(0 -> ends(name)).of(if (same) s"T-$name" else s"T-$name-$id")
    ): _*).of(if (same) "K" else s"K-$id")

    private def triggers(kills: Boolean): Unit = {
      Seq("eu", "us").foreach(id => kafka.now(id, if (up(id)) answers(id) else down))
      try {
        val limits = if (chance.nextBoolean()) ReadLimits.everything
        else ReadLimits(Some(1L + chance.nextInt(6)), None, aligned = true)
        val end = logged.getOrElse(OffsetJson.read(OffsetJson.write(opened.driver.latest(at, limits))))
        trace :+= s"up=${up.mkString(",")} ends=$ends ${if (logged.isDefined) "again " else ""}${ranges(at, end).mkString(", ")} | ${positions(end).mkString(" ")}"
        if (end != at) {
          logged = Some(end)
          if (kills && chance.nextInt(4) == 0) restarts("before it is planned")
          else {
            val planned = opened.driver.plan(at, end)
            val from    = opened.driver.connectionsOfBatch
            val by      = planned.map(range => range -> from(range.id.cluster).bootstrapServers.takeWhile(_ != ':'))
            trace :+= s"  reads ${by.map { case (r, id) =>
                s"${r.id.cluster}/${r.id.topic} ${r.from}-${r.until} from $id"
              }.mkString(", ")}"
            if (by.exists { case (_, id) => !up(id) }) restarts("a task fails")
            else if (kills && chance.nextInt(4) == 0) restarts("killed while it runs")
            else {
              planned.foreach { range =>
                if (range.from != read(range.id.topic))
                  fail(s"seed $seed: $range does not follow $read\n${trace.mkString("\n")}")
                read = read.updated(range.id.topic, range.until)
              }
              at = end
              logged = None
              if (chance.nextBoolean()) opened.driver.ended(end)
              if (chance.nextBoolean()) opened.driver.committed(end)
            }
          }
        }
      } catch { case e: DynamicKafkaException => restarts(e.getMessage.take(200)) }
    }

    private val places = Vector(Set("eu"), Set("us"), Set("eu", "us"))

    def check(): Unit =
      try {
        for (_ <- 1 to 50) chance.nextInt(8) match {
          case 0 | 1 =>
            val name = Names(chance.nextInt(2)); ends = ends.updated(name, ends(name) + 1 + chance.nextInt(5))
          case 2 if chance.nextInt(4) > 0 => lists(where.updated(Names(chance.nextInt(2)), places(chance.nextInt(3))))
          case 2                          =>
            paused = Names.flatMap(name => Seq("eu", "us").map(_ -> name)).filter(_ => chance.nextInt(5) == 0).toSet
            lists(where)
          case 3 => up = Set("eu", "us").filter(_ => chance.nextInt(4) > 0)
          case _ => triggers(kills = true)
        }
        up = Set("eu", "us")
        paused = Set.empty
        for (final1 <- Seq(Set("eu", "us"), Set("us"))) {
          lists(Names.map(_ -> final1).toMap)
          for (_ <- 1 to 12) { opened.asks.rest(Duration.ofMillis(2)); triggers(kills = false) }
        }
        if (read != ends.map { case (name, end) => name -> end.toLong })
          fail(s"seed $seed: read $read of $ends\n${trace.mkString("\n")}")
      } finally opened.driver.close()
  }

  override def scalaCheckTestParameters: Parameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(sys.env.get("HISTORIES").fold(24)(_.toInt / 40))

  property("each record comes once, whenever the driver dies") {
    forAll(Gen.choose(Long.MinValue, Long.MaxValue))(new History(_).check())
  }
}
