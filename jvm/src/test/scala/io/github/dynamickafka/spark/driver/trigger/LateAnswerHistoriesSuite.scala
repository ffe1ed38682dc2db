package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.TimeUnit

import scala.util.Random
import scala.util.control.NonFatal

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, Topology}

/** Clusters answer late, by what they had at any moment since they were asked. */
class LateAnswerHistoriesSuite extends FunSuite with StepScenes with LateWorlds {
  private class History(seed: Long) {
    private val chance   = new Random(seed)
    private val kafka    = new World(new Random(seed + 1))
    private var version  = 0
    private var topology = listing
    private val policy   = skipping.copy(agreement = Duration.ofMillis(300))
    private var here     = opened
    private var at       = SourceOffset.initial
    private var frozen   = false
    private var read     = Map.empty[(String, Int), Vector[(Long, Long)]]
    var story            = Vector.empty[String]

    private def opened = new OpenedDriver(policy, kafka, () => topology)

    private def one(of: ListedCluster): ListedCluster =
      of.copy(connection = Right(new ConnectionSettings(Map("v" -> version.toString))))

    private def listing: Topology = {
      if (chance.nextInt(3) == 0) version += 1
      val us = chance.nextInt(6) match {
        case 0 => Vector.empty
        case 1 => Vector("us" -> topics())
        case 2 => Vector("us" -> topics("orders").paused)
        case 3 => Vector("us" -> topics("orders").inactive)
        case _ => Vector("us" -> topics("orders"))
      }
      val eu = chance.nextInt(8) match {
        case 0     => Vector.empty
        case 1     => Vector("eu" -> topics())
        case 2 | 3 => Vector("eu2" -> topics("orders").continuing("eu"))
        case 4     => Vector("eu2" -> topics("orders").continuing("eu"), "eu" -> topics("orders"))
        case 5     => Vector("eu" -> topics("orders").pausing("orders"))
        case _     => Vector("eu" -> topics("orders"))
      }
      listed((eu ++ us).map { case (id, all) => id -> one(all) }: _*)
    }

    private def fetched(to: Topology): Unit = {
      topology = to
      story :+= "lists " + to.clusters.map { case (id, one) =>
        s"$id${one.topics.keys.mkString("(", ",", ")")}${if (one.active) "" else "!"}${one.pause}"
      }.mkString(" ")
      here.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }

    private def starts(): Unit = {
      here.driver.close()
      here = opened
      frozen = chance.nextInt(4) == 0
      if (frozen) here.driver.freeze()
      story :+= s"starts frozen=$frozen"
    }

    private def took(cluster: String, number: Int, from: Long, until: Long): Unit = {
      story :+= s"read $cluster $number $from-$until"
      read = read.updatedWith(kafkaOf(cluster) -> number)(was => Some(was.getOrElse(Vector.empty) :+ (from -> until)))
    }

    def triggered(): Boolean = {
      val limits = if (chance.nextBoolean()) ReadLimits.everything
      else ReadLimits(Some(1L + chance.nextInt(6)), None, aligned = true)
      val next = here.driver.latest(at, limits)
      if (next == at) {
        if (frozen) starts()
        false
      } else {
        val end   = OffsetJson.read(OffsetJson.write(next))
        val crash = chance.nextInt(12) == 0
        if (crash) { story :+= "crash in batch"; leftOver(end) }
        else
          here.driver.plan(at, next).foreach(one => took(one.id.cluster.value, one.id.partition, one.from, one.until))
        at = if (crash) end else next
        true
      }
    }

    // Only what is read counts here: an earlier start has logged it.
    private def leftOver(end: SourceOffset): Unit = {
      here.driver.close()
      kafka.calm = true
      val before = topology
      topology = listed(
        "eu"  -> one(topics("orders")),
        "us"  -> one(topics("orders")),
        "eu2" -> one(topics("orders").continuing("eu"))
      )
      here = opened
      frozen = false
      here.driver.plan(at, end).foreach(one => took(one.id.cluster.value, one.id.partition, one.from, one.until))
      kafka.calm = false
      fetched(before)
    }

    def happens(): Unit = chance.nextInt(10) match {
      case 0 | 1 | 2                   => kafka.happens()
      case 3 | 4                       => fetched(listing)
      case 5                           => Thread.sleep(chance.nextInt(300).toLong)
      case 6 if chance.nextInt(3) == 0 => starts()
      case _                           => ()
    }

    def recovers(): Unit = {
      fetched(listed("eu" -> one(topics("orders")), "us" -> one(topics("orders"))))
      Thread.sleep(1500)
      kafka.calm = true
      here.driver.close()
      here = opened
      frozen = false
      story :+= "recovers"
      val end = System.nanoTime + TimeUnit.SECONDS.toNanos(60)
      while (wrong.isDefined && System.nanoTime < end) { triggered(); Thread.sleep(10) }
    }

    def wrong: Option[String] = kafka.wrong(read)

    def close(): Unit = here.driver.close()
  }

  test("each record is read once and in order, however old the answers of clusters are") {
    assertRight { seed =>
      val history = new History(seed)
      try {
        for (_ <- 1 to 45) { history.happens(); history.triggered() }
        history.recovers()
        history.wrong.map(wrong => s"$wrong\n${history.story.mkString("\n")}")
      } catch {
        case NonFatal(e) => Some((e +: e.getStackTrace.take(8)).mkString("\n") + history.story.mkString("\n", "\n", ""))
      } finally history.close()
    }
  }
}
