package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.TimeUnit

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.deferral.{Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters, SlowCluster}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** Further batches of a frozen run, or of a drain, when answers come late. */
class FrozenRunStepsSuite extends FunSuite with StepScenes {
  private val eu     = listed("eu" -> topics("orders"))
  private val read10 = Query(fromEarliest).sees(eu)("eu" -> SlowCluster.answers(10, 5)).read.held
  private val byTwo  = ReadLimits(Some(2), None, aligned = true)

  for (policy <- Seq(fromEarliest, skipping))
    test(s"a frozen run reads on on a slow cluster after an election, with ${policy.unavailable}") {
      val kafka = new SlowCluster
      val here  = new OpenedDriver(policy, kafka, () => eu).driver
      try {
        kafka.ends(20, epoch = 5)
        here.freeze()
        val first = here.latest(read10, byTwo)
        assertEquals(ranges(read10, first), Vector("eu orders 0 10-12"))
        kafka.ends(20, epoch = 6)
        // The batch is read, while the cluster is asked in the background.
        kafka.awaitAnswer()
        assertEquals(ranges(first, here.latest(first, byTwo)), Vector("eu orders 0 12-14"))
      } finally here.close()
    }

  test("an inactive cluster that answers slowly drains on after an election") {
    val kafka = new SlowCluster
    kafka.ends(20, epoch = 5)
    val here = new OpenedDriver(fromEarliest, kafka, () => listed("eu" -> topics().inactive)).driver
    try {
      val first = here.latest(read10, byTwo)
      assertEquals(ranges(read10, first), Vector("eu orders 0 10-12"))
      kafka.ends(20, epoch = 6)
      // The batch is read, while the cluster is asked in the background about the position before it.
      kafka.awaitAnswer()
      val end    = System.nanoTime + TimeUnit.SECONDS.toNanos(5)
      val second = Iterator.continually { kafka.awaitAnswer(); here.latest(first, byTwo) }
        .find(at => at != first || System.nanoTime > end).get
      assertEquals(here.remembered.abandonedRecords, 0L)
      assertEquals(ranges(first, second), Vector("eu orders 0 12-14"))
    } finally here.close()
  }

  for (removed <- Seq(stopping, skipping))
    test(s"a frozen run records that a topic was taken off, though it reads nothing, by ${removed.removal.policy}") {
      val kafka = new ScriptedClusters
      kafka.now("eu", down)
      val here = new OpenedDriver(removed, kafka, () => Topology.empty).driver
      try {
        here.freeze()
        val next = here.latest(read10, ReadLimits.everything)
        assert(next.topics.forall(_._3.removal.isDefined) && next != read10, next)
        assertEquals(here.latest(next, ReadLimits.everything), next)
      } finally here.close()
    }

  test("a frozen run waits until it is certain that the topic of a renamed cluster is deleted") {
    val kafka = new ScriptedClusters
    val moved = listed("new" -> topics("orders").continuing("eu"))
    val here  = new OpenedDriver(fromEarliest.copy(agreement = Duration.ofMillis(300)), kafka, () => moved).driver
    val held  = Query(fromEarliest).sees(eu)("eu" -> answer("orders" -> has(0 -> 10).of("T1")).of("K1")).read.held
    kafka.now("new", answer("orders" -> absent).of("K1"))
    try {
      here.freeze()
      val lost = intercept[DynamicKafkaException](here.latest(held, ReadLimits.everything))
      assertEquals(lost.condition, Condition.DataLoss: Condition)
    } finally here.close()
  }

  private def password(text: String): Topology =
    listed("eu" -> topics("orders").copy(connection = Right(new ConnectionSettings(Map("password" -> text)))))

  test("a frozen run plans nothing of a cluster that has not answered by its new connection yet") {
    val kafka              = new ScriptedClusters
    @volatile var metadata = password("old")
    val opened             = new OpenedDriver(skipping, kafka, () => metadata)
    import opened.poller
    val here                   = opened.driver
    def eu2(ends: Int*)        = answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")
    val held                   = Query(fromEarliest).sees(eu)("eu" -> eu2(10, 10)).read.held
    def next(at: SourceOffset) = here.latest(at, byTwo)
    try {
      here.freeze()
      kafka.now("eu", eu2(20, 20))
      val first = next(held)
      assertEquals(ranges(held, first), Vector("eu orders 0 10-11", "eu orders 1 10-11"))
      kafka.now("eu", answer("orders" -> only(0 -> (0 -> 20)).of("T1").leaderless(1)).of("K1"))
      val second = next(first)
      assertEquals(ranges(first, second), Vector("eu orders 0 11-13"))
      metadata = password("new")
      poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
      kafka.hangs("eu")
      // The run waits for it, and ends without it.
      kafka.wakesAfter(Duration.ofMillis(1500), "eu", down)()
      assertEquals(ranges(second, next(second)), Vector.empty)
    } finally here.close()
  }

  test(
    "what a running batch of a frozen run defers is recorded at once in a new incarnation, and read in the run"
  ) {
    val kafka = new ScriptedClusters
    val here  = new OpenedDriver(skipping, kafka, () => both, UnreadableRangePolicy.Defer).driver
    try {
      Seq("eu", "us").foreach(kafka.now(_, more))
      here.freeze()
      val first = here.latest(start, ReadLimits.everything)
      assertEquals(here.plan(start, first).map(_.until), Vector(15L, 15L))
      val batch = here.running
      val stuck = TakenRange(1, 12, Some(Standstill(10000, tookAny = true)))
      val said  =
        batch.answers(Vector(batch.number -> TaskReport(Vector(TakenRange(0, 15), stuck))), now = 20000).head
      assertEquals(said, Verdict.Ends: Verdict)
      val second = here.latest(first, ReadLimits.everything)
      assertEquals(ranges(first, second), Vector("us orders 0 12-15"))
      assertEquals(second.get(partition("us", "orders", 0)).map(at => (at.start, at.incarnation)), Some((12L, 1)))
      assertEquals(here.latest(second, ReadLimits.everything), second)
    } finally here.close()
  }
}
