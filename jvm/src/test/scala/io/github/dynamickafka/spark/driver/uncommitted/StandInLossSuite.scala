package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits

/** What could lose records of an uncommitted batch that is read from another id of its log. */
class StandInLossSuite extends FunSuite with StepScenes {
  private val names = topics("orders")
  private val next  = names.continuing("eu")
  private val alone = listed("eu" -> names)

  private def eu(end: Int)     = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int) = answer("orders" -> has(0 -> end).of("T9")).of("K2")

  private val begun   = Query(fromEarliest).sees(alone)("eu" -> eu(10)).read
  private val last    = begun.sees(alone)("eu" -> eu(15)).read.held
  private val quick   = skipping.copy(agreement = Duration.ofMillis(500))
  private val lossy   = quick.copy(failOnDataLoss = false)
  private val deleted = answer("orders" -> absent).of("K1")

  private def planned(opened: OpenedDriver, start: SourceOffset, end: SourceOffset): Vector[String] =
    opened.driver.plan(start, end).map(range => s"${range.id.cluster} ${range.from}-${range.until}")

  // A rename. The cluster is down at the start, for longer than asks have to agree. The first broker that is back
  // knows no topics yet.
  test("one answer after a silence says nothing about a topic") {
    val kafka = new ScriptedClusters
    kafka.now("new", down)
    val opened = new OpenedDriver(lossy, kafka, () => listed("new" -> next))
    try {
      kafka.wakesAfter(Duration.ofMillis(900), "new", deleted)()
      kafka.wakesAfter(Duration.ofMillis(1250), "new", eu(20))()
      assertEquals(planned(opened, begun.held, last), Vector("eu 10-15"))
    } finally opened.driver.close()
  }

  // The same of a cluster for which nobody stands in, while another one is waited for.
  test("one answer after a silence says nothing about a topic of another cluster") {
    val both2 = listed("eu" -> names, "us" -> names)
    val us    = answer("orders" -> has(0 -> 10))
    val two   = Query(fromEarliest).sees(both2)("eu" -> eu(10), "us" -> us).read
    val end   = two.sees(both2)("eu" -> eu(15), "us" -> more).read.held
    val kafka = new ScriptedClusters
    kafka.now("new", down)
    kafka.now("us", more)
    val opened = new OpenedDriver(lossy, kafka, () => listed("new" -> next, "us" -> names))
    try {
      // A broker of `us` starts in the moment in which `new` is back.
      kafka.wakesAfter(Duration.ofMillis(880), "us", answer("orders" -> absent))()
      kafka.wakesAfter(Duration.ofMillis(900), "new", eu(20))()
      kafka.wakesAfter(Duration.ofMillis(1250), "us", more)()
      assertEquals(planned(opened, two.held, end), Vector("eu 10-15", "us 10-15"))
    } finally opened.driver.close()
  }

  // The topic moved to a mirror, and was deleted on the old cluster, which is still listed (`topics: []`).
  private val moved = listed("eu" -> topics(), "new" -> next)

  test("a topic that moved to a mirror is not lost because the mirror is down for a moment") {
    val kafka = new ScriptedClusters
    kafka.now("eu", deleted)
    kafka.now("new", down)
    val opened = new OpenedDriver(lossy, kafka, () => moved)
    try {
      kafka.wakesAfter(Duration.ofMillis(150), "new", mirror(30))()
      val first = planned(opened, begun.held, last)
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
      val later = ranges(last, opened.driver.latest(last, ReadLimits.everything))
      assertEquals(first ++ later, Vector("eu 10-15", "new orders 0 15-30"))
    } finally opened.driver.close()
  }

  test("a topic that moved to a mirror that stays down is no loss") {
    val kafka = new ScriptedClusters
    kafka.now("eu", deleted)
    kafka.now("new", down)
    val opened = new OpenedDriver(quick, kafka, () => moved, options = Map("clusterReadTimeout" -> "1s"))
    try {
      val error = intercept[DynamicKafkaException](planned(opened, begun.held, last))
      assertEquals(error.condition, Condition.ClusterUnreachable: Condition, error.getMessage)
    } finally opened.driver.close()
  }

  // With AQE Spark plans a batch on a thread of its own, which nobody interrupts when the query stops.
  test("the source closes within 10 s though a batch is being planned on another thread") {
    val kafka = new ScriptedClusters
    kafka.now("new", down)
    val opened =
      new OpenedDriver(quick, kafka, () => listed("new" -> next), options = Map("clusterReadTimeout" -> "20s"))
    val planner = new Thread(() =>
      try opened.driver.plan(begun.held, last): Unit
      catch { case _: Throwable => () }
    )
    planner.start()
    // Asked again and again: it waits.
    val end = System.nanoTime + 10000000000L
    while (kafka.asked.count(_ == "new") < 3 && System.nanoTime < end) Thread.onSpinWait()
    assert(kafka.asked.count(_ == "new") >= 3, kafka.asked)
    val began = System.nanoTime
    opened.driver.close()
    val took = (System.nanoTime - began) / 1000000
    planner.join(1000)
    assert(took < 10000, s"closed after $took ms")
    assert(!planner.isAlive, "it still plans")
  }

  // The old cluster is still listed, but its placeholder can't be resolved in this run. The mirror is silent at first.
  for ((what, old) <- Seq("lists the topic" -> names.unresolved, "is listed for its drain" -> topics().unresolved))
    test(s"a mirror that is silent for a moment is waited for, though the old cluster, which $what, can't be asked") {
      val kafka = new ScriptedClusters
      kafka.now("new", down)
      val opened = new OpenedDriver(quick, kafka, () => listed("eu" -> old, "new" -> next))
      try {
        kafka.wakesAfter(Duration.ofMillis(300), "new", mirror(30))()
        assertEquals(planned(opened, begun.held, last), Vector("eu 10-15"))
      } finally opened.driver.close()
    }

  // An unplanned fail-over. A start finds the mirror behind, and the query ends. It is started again by its supervisor.
  // Meanwhile producers have filled the gap.
  test("a mirror that a start found behind stays held in the next start") {
    val store                                             = new InMemoryDecisionStore
    def start(end: Int)(body: OpenedDriver => Unit): Unit = {
      val kafka = new ScriptedClusters
      kafka.now("new", mirror(end))
      val opened = new OpenedDriver(quick, kafka, () => listed("new" -> next), store = store)
      try body(opened)
      finally opened.driver.close()
    }
    start(12) { opened =>
      val error = intercept[DynamicKafkaException](planned(opened, begun.held, last))
      assertEquals(error.condition, Condition.MirrorBehind: Condition)
    }
    start(20) { opened =>
      val error = intercept[DynamicKafkaException](planned(opened, begun.held, last))
      assertEquals(error.condition, Condition.MirrorBehind: Condition)
    }
  }

  // The first answer of the mirror shows that it is behind in one partition. Another one has no leader yet.
  test("a mirror that was found behind while it was waited for is behind") {
    def eu2(end: Int) = answer("orders" -> has(0 -> end, 0 -> end).of("T1")).of("K1")
    val from          = Query(fromEarliest).sees(alone)("eu" -> eu2(10)).read
    val until         = from.sees(alone)("eu" -> eu2(15)).read.held
    val kafka         = new ScriptedClusters
    kafka.now("new", answer("orders" -> only(0 -> (0 -> 12)).of("T9").leaderless(1)).of("K2"))
    val opened = new OpenedDriver(quick, kafka, () => listed("new" -> next))
    try {
      kafka.wakesAfter(Duration.ofMillis(300), "new", answer("orders" -> has(0 -> 20, 0 -> 15).of("T9")).of("K2"))()
      val error = intercept[DynamicKafkaException](planned(opened, from.held, until))
      assertEquals(error.condition, Condition.MirrorBehind: Condition)
    } finally opened.driver.close()
  }

  // Both are down at first. The mirror is back soon, the old one never.
  test("of two that are silent at first, the one that answers is read") {
    val kafka = new ScriptedClusters
    kafka.now("eu", down)
    kafka.now("new", down)
    val opened = new OpenedDriver(quick, kafka, () => listed("eu" -> names, "new" -> next))
    try {
      kafka.wakesAfter(Duration.ofMillis(300), "new", mirror(30))()
      assertEquals(planned(opened, begun.held, last), Vector("eu 10-15"))
      assertEquals(opened.driver.kafkaIdsOfBatch.values.toVector, Vector("K2"))
    } finally opened.driver.close()
  }

  test("an answer of a mirror that leaves the partition out is not remembered") {
    val store = new InMemoryDecisionStore
    val kafka = new ScriptedClusters
    def start = new OpenedDriver(quick, kafka, () => listed("new" -> next), store = store)
    kafka.now("new", answer("orders" -> only().of("T9")).of("K2"))
    val first = start
    try assertEquals(
        intercept[DynamicKafkaException](planned(first, begun.held, last)).condition,
        Condition.MirrorBehind: Condition
      )
    finally first.driver.close()
    kafka.now("new", mirror(20))
    val second = start
    try assertEquals(planned(second, begun.held, last), Vector("eu 10-15"))
    finally second.driver.close()
  }

  // The batch spans several logged offsets (asynchronous progress).
  test("a mirror that the offset itself names as behind is behind") {
    val behind = begun.sees(alone)("eu" -> eu(15)).read.sees(listed("new" -> next))("new" -> mirror(12)).read.held
    val kafka  = new ScriptedClusters
    kafka.now("new", mirror(20))
    val opened = new OpenedDriver(quick, kafka, () => listed("new" -> next))
    try {
      val error = intercept[DynamicKafkaException](planned(opened, begun.held, behind))
      assertEquals(error.condition, Condition.MirrorBehind: Condition)
    } finally opened.driver.close()
  }

  // Two moves while the query was down: eu was renamed to new, and moved to third. new is listed for its drain alone.
  private val chain = listed("new" -> topics().continuing("eu"), "third" -> names.continuing("eu", "new"))

  for ((what, said) <- Seq("has the topic no more" -> deleted, "is down" -> down))
    test(s"who stands in is who takes over, though an id between them, which does not list the topic, $what") {
      val kafka = new ScriptedClusters
      kafka.now("new", said)
      kafka.now("third", mirror(30))
      val opened = new OpenedDriver(lossy, kafka, () => chain, options = Map("clusterReadTimeout" -> "1s"))
      try {
        val first = planned(opened, begun.held, last)
        opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
        val later = ranges(last, opened.driver.latest(last, ReadLimits.everything))
        assertEquals(first ++ later, Vector("eu 10-15", "third orders 0 15-30"))
      } finally opened.driver.close()
    }
}
