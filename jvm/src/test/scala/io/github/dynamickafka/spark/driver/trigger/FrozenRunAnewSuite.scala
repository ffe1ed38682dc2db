package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.fakes.{Query, WholeLogs}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** Topics without an id of Kafka's, deleted or created again while a run of `AvailableNow` reads them. */
class FrozenRunAnewSuite extends FunSuite with StepScenes {
  private val losing = skipping.copy(failOnDataLoss = false, agreement = Duration.ofMillis(300))
  private val one    = Query(losing)

  private def kafka(topic: TopicObservation) = answer("orders" -> topic).of("K1")

  /** What the next run reads after a run in which the topic was created again, with a second partition that nobody leads. */
  private def later(own: ListedCluster, held: SourceOffset): (Vector[String], Vector[String]) = {
    val topology = listed("eu" -> own)
    val clusters = new WholeLogs
    def opened() = new OpenedDriver(losing, clusters, () => topology).driver
    clusters.now("eu", kafka(has(0 -> 20)))
    val here = opened()
    val over =
      try {
        here.freeze()
        val start = here.latest(held, ReadLimits(Some(1), None, aligned = true))
        clusters.now("eu", kafka(has(0 -> 5).leaderless(1)))
        Iterator.iterate(start)(here.latest(_, ReadLimits.everything)).take(4).toVector.last
      } finally here.close()
    clusters.now("eu", kafka(has(0 -> 30, 0 -> 30)))
    val next = opened()
    try (positions(over), ranges(over, next.latest(over, ReadLimits.everything)))
    finally next.close()
  }

  /** The same with a trigger that is no frozen run. */
  private def plain(own: ListedCluster, held: SourceOffset): Vector[String] = {
    val topology = listed("eu" -> own)
    val short    = "eu" -> kafka(has(0 -> 5).leaderless(1))
    val begun    = Query(losing, held).sees(topology)("eu" -> kafka(has(0 -> 20)))
    val some     = begun.readSome(_.map { case (id, _) => id -> 11L })
    val seen    = some.sees(topology)(short).read.after(losing.agreement).sees(topology)(short).readSome(_ => Map.empty)
    val restart = Query(losing, seen.held, seen.now)
    restart.sees(topology)("eu" -> kafka(has(0 -> 30, 0 -> 30))).ranges
  }

  private val whole = Vector("eu orders 0 0-30", "eu orders 1 0-30")

  // The offsets of the cluster name partition 1, which the old topic did not have.
  private val naming = topics("orders").startingAt("""{"orders":{"1":10}}""")
  private val read   = one.sees(listed("eu" -> naming))("eu" -> kafka(has(0 -> 10))).read.held

  test("control, no frozen run: all of a topic that was created again is new") {
    assertEquals(plain(naming, read), whole)
  }

  test("all of a topic that was created again in a frozen run is new") {
    assertEquals(later(naming, read)._2, whole)
  }

  // Partition 1 of the old topic could not be seen yet, and was to begin at 10.
  private val ruled = Query(losing.copy(starting = rule("""{"eu": {"orders": {"0": 5, "1": 10}}, "": "earliest"}""")))
    .sees(listed("eu" -> topics("orders")))("eu" -> kafka(has(0 -> 10).leaderless(1))).read.held

  test("control, no frozen run: the rule of the old topic's partition does not count for the new topic") {
    assertEquals(plain(topics("orders"), ruled), whole)
  }

  test("the rule of the old topic's partition does not count for the new topic of a frozen run") {
    assertEquals(later(topics("orders"), ruled)._2, whole)
  }

  /** A left-over batch is planned while `eu` is listed, and then it is taken off. The run drains it, and in the middle of that
    * one answer does not have the topic.
    */
  private def drains(frozen: Boolean, topicId: Option[String]): Vector[String] = {
    def kafka(end: Int) = answer("orders" -> has(0 -> end).copy(kafkaId = topicId)).of("K1")
    val us              = answer("orders" -> has(0 -> 10)).of("K2")
    val two             = listed("eu" -> topics("orders"), "us" -> topics("orders"))
    val rest            = listed("us" -> topics("orders"))
    val q0              = one.sees(two)("eu" -> kafka(5), "us" -> us).read
    val q1              = q0.sees(two)("eu" -> kafka(10), "us" -> us).read
    val clusters        = new WholeLogs
    clusters.now("eu", kafka(20))
    clusters.now("us", us)
    @volatile var topology: Topology = two
    val opened                       = new OpenedDriver(losing, clusters, () => topology)
    val here                         = opened.driver
    try {
      if (frozen) here.freeze()
      here.plan(q0.held, q1.held): Unit
      topology = rest
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
      val start = here.latest(q1.held, ReadLimits(Some(1), None, aligned = true))
      here.plan(q1.held, start): Unit
      clusters.now("eu", answer("orders" -> absent).of("K1"))
      val over = Iterator.iterate(start)(here.latest(_, ReadLimits.everything)).take(3).toVector.last
      ranges(q1.held, start) ++ ranges(start, over)
    } finally here.close()
  }

  test("control, no frozen run: a topic without an id is deleted while it drains") {
    assertEquals(drains(frozen = false, None), Vector("eu orders 0 10-11"))
  }

  test("control, a frozen run: a topic with an id is deleted while it drains") {
    assertEquals(drains(frozen = true, Some("T1")), Vector("eu orders 0 10-11"))
  }

  test("a topic without an id is deleted while a frozen run drains it") {
    assertEquals(drains(frozen = true, None), Vector("eu orders 0 10-11"))
  }

  /** The offsets before a topic without an id is deleted, and after it was created again. */
  private def deleted(frozen: Boolean): (Vector[String], Vector[String]) = {
    val eu     = listed("eu" -> topics("orders"))
    val before = one.sees(eu)("eu" -> kafka(has(0 -> 10))).read.held
    if (frozen) {
      val clusters = new WholeLogs
      def opened() = new OpenedDriver(losing, clusters, () => eu).driver
      clusters.now("eu", kafka(has(0 -> 20)))
      val here          = opened()
      val (start, over) =
        try {
          here.freeze()
          val start = here.latest(before, ReadLimits(Some(1), None, aligned = true))
          clusters.now("eu", kafka(absent))
          start -> Iterator.iterate(start)(here.latest(_, ReadLimits.everything)).take(4).toVector.last
        } finally here.close()
      clusters.now("eu", kafka(has(0 -> 30)))
      val next = opened()
      try {
        val after = next.latest(over, ReadLimits.everything)
        (positions(after), ranges(start, after))
      } finally next.close()
    } else {
      val some = one.copy(held = before).sees(eu)("eu" -> kafka(has(0 -> 20))).readSome(_.map { case (id, _) =>
        id -> 11L
      })
      val gone = "eu" -> kafka(absent)
      val seen = some.sees(eu)(gone).read.after(losing.agreement).sees(eu)(gone).read
      val last = seen.sees(eu)("eu" -> kafka(has(0 -> 30))).read
      (positions(last.held), ranges(some.held, last.held))
    }
  }

  for (frozen <- Seq(false, true))
    test(s"frozen=$frozen: any two offsets of the query determine what lies between, also over a deletion") {
      assertEquals(deleted(frozen), (Vector("eu orders 0 [0,30,1]"), Vector("eu orders 0 0-30")))
    }
}
