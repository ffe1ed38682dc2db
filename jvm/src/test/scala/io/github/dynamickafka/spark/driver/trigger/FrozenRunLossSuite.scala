package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, WholeLogs}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** In a run of `AvailableNow` where loss is allowed, something is lost after the first batch. The next run can't find that out:
  * it must be recorded.
  */
class FrozenRunLossSuite extends FunSuite with StepScenes {
  private val losing = fromEarliest.copy(failOnDataLoss = false, agreement = Duration.ofMillis(300))
  private val eu     = listed("eu" -> topics("orders"))

  private def answers(cluster: String, topic: Option[String], epoch: Option[Int])(ends: Int*): Answered =
    answer("orders" -> Present(
      topic,
      ends.zipWithIndex.map { case (end, n) => n -> Extent(0, end.toLong, end.toLong, epoch) }.toMap
    )).of(cluster)

  /** @param id of the cluster that is read
    * @param held where the run begins
    * @param loses what the cluster answers after the first batch, which reads one record
    * @return what the run reads after that, what it counts as lost, and what the next run reads
    */
  private def run(topology: Topology, id: String, held: SourceOffset, first: Answered)(
      loses: ClusterObservation,
      later: Answered
  ): (Vector[String], Long, Vector[String]) = {
    val kafka    = new WholeLogs
    def opened() = new OpenedDriver(losing, kafka, () => topology).driver
    kafka.now(id, first)
    val here                = opened()
    val (start, over, lost) =
      try {
        here.freeze()
        val start = here.latest(held, ReadLimits(Some(1), None, aligned = true))
        kafka.now(id, loses)
        val over = Iterator.iterate(start)(here.latest(_, ReadLimits.everything)).take(4).toVector
        assertEquals(over(3), over(2), "the run ends")
        (start, over.last, here.remembered.lostRecords)
      } finally here.close()
    kafka.now(id, later)
    val next = opened()
    try (ranges(start, over), lost, ranges(over, next.latest(over, ReadLimits.everything)))
    finally next.close()
  }

  private def read(first: Answered) = Query(fromEarliest).sees(eu)("eu" -> first).read.held

  test("a topic without Kafka's id is deleted: what comes under its name is another one") {
    val plain = answers("K1", None, None) _
    val gone  = answer("orders" -> absent).of("K1")
    assertEquals(
      run(eu, "eu", read(plain(Seq(10))), plain(Seq(20)))(gone, plain(Seq(30))),
      (Vector.empty[String], 9L, Vector("eu orders 0 0-30"))
    )
  }

  test("one that drains is no loss: the run ends") {
    val plain = answers("K1", None, None) _
    val gone  = answer("orders" -> absent).of("K1")
    val rest  = listed("eu" -> topics())
    assertEquals(
      run(rest, "eu", read(plain(Seq(10))), plain(Seq(20)))(gone, gone),
      (Vector.empty[String], 0L, Vector.empty[String])
    )
  }

  test("a log without epochs is cut off: it is read on from there") {
    val named = answers("K1", Some("T1"), None) _
    assertEquals(
      run(eu, "eu", read(named(Seq(10))), named(Seq(20)))(named(Seq(5)), named(Seq(30))),
      (Vector.empty[String], 9L, Vector("eu orders 0 5-30"))
    )
  }

  test("so is the log of a mirror that has taken over, where nothing was read of it yet") {
    val held  = read(answers("K1", Some("T1"), Some(1))(10, 10))
    val moved = listed("us" -> topics("orders").continuing("eu"))
    assertEquals(
      run(moved, "us", held, answers("K2", Some("T2"), Some(3))(20, 20))(
        answers("K2", Some("T2"), Some(4))(20, 5),
        answers("K2", Some("T2"), Some(4))(20, 30)
      ),
      (Vector("us orders 0 11-20"), 10L, Vector("us orders 1 5-30"))
    )
  }

  test("so is a log of a checkpoint of Spark's own source, which has no epochs") {
    val held = read(answer("orders" -> has(0 -> 10, 0 -> 10)))
    assertEquals(
      run(eu, "eu", held, answers("K1", Some("T1"), Some(3))(20, 20))(
        answers("K1", Some("T1"), Some(4))(20, 5),
        answers("K1", Some("T1"), Some(4))(20, 30)
      ),
      (Vector("eu orders 0 11-20"), 10L, Vector("eu orders 1 5-30"))
    )
  }
}
