package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits

/** Clusters answer late, by what they had at any moment since they were asked. */
class LateAnswerHistoriesSuite extends FunSuite with StepScenes with LateWorlds {
  private class History(seed: Long) extends Story(seed) {
    private val policy = skipping.copy(agreement = Duration.ofMillis(300))
    private var here   = opened
    private var at     = SourceOffset.initial
    private var frozen = false

    private def opened = new OpenedDriver(policy, kafka, () => topology)

    override protected def poller = here.poller

    private def starts(): Unit = {
      here.driver.close()
      here = opened
      frozen = chance.nextInt(4) == 0
      if (frozen) here.driver.freeze()
      tell(s"starts frozen=$frozen")
    }

    override def steps(): Unit = {
      happens()
      triggered()
    }

    private def triggered(): Unit = {
      val limits = if (chance.nextBoolean()) ReadLimits.everything
      else ReadLimits(Some(1L + chance.nextInt(6)), None, aligned = true)
      val next = here.driver.latest(at, limits)
      if (next == at) {
        if (frozen) starts()
      } else {
        val end   = OffsetJson.read(OffsetJson.write(next))
        val crash = chance.nextInt(12) == 0
        if (crash) { tell("crash in batch"); leftOver(end) }
        else
          here.driver.plan(at, next).foreach(one => took(one.id.cluster.value, one.id.partition, one.from, one.until))
        at = if (crash) end else next
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

    private def happens(): Unit = chance.nextInt(10) match {
      case 0 | 1 | 2                   => kafka.happens()
      case 3 | 4                       => fetched(listing)
      case 5                           => Thread.sleep(chance.nextInt(300).toLong)
      case 6 if chance.nextInt(3) == 0 => starts()
      case _                           => ()
    }

    override def recovers(): Unit = {
      healed()
      here.driver.close()
      here = opened
      frozen = false
      untilRight(triggered())
    }

    override def close(): Unit = here.driver.close()
  }

  test("each record is read once and in order, however old the answers of clusters are") {
    assertRight(steps = 45)(new History(_))
  }
}
