package io.github.dynamickafka.spark.kafka.consumer

import java.time.Duration
import java.util.concurrent.{Executor, Executors}

import munit.FunSuite
import org.apache.kafka.common.errors.{TimeoutException, TopicAuthorizationException}

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.PartitionOffset
import io.github.dynamickafka.spark.plan.{LookAhead, TimestampLookup}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** One cluster's next records. Here a record's time is its offset. */
class TimeProbeSuite extends FunSuite {
  private val orders = id("eu", "orders", 0)
  private val bills  = id("eu", "bills", 0)
  private val here   = new Executor { override def execute(task: Runnable): Unit = task.run() }

  private def key = ConsumerKey(ClusterId("eu"), new ConnectionSettings(Map.empty), "prefix")

  // Each reading of the clock is a second later than the one before.
  private def probe(kafka: RecordedKafka) = {
    var seconds = 0L
    new TimeProbe(key, kafka, Duration.ofSeconds(30), here, () => { seconds += 1; Duration.ofSeconds(seconds).toNanos })
  }

  private def from(lookups: (PartitionId, (Long, Long))*): Map[PartitionId, TimestampLookup] =
    lookups.map { case (id, (next, until)) => id -> TimestampLookup(PartitionOffset(0, next, 0), until) }.toMap

  private def times(probe: TimeProbe, lookups: (PartitionId, (Long, Long))*): Map[PartitionId, Option[Long]] =
    looks(probe, lookups: _*).map { case (id, look) => id -> look.time }

  private def looks(probe: TimeProbe, lookups: (PartitionId, (Long, Long))*): Map[PartitionId, LookAhead] =
    probe.look(from(lookups: _*)).get.fold(failed => fail(failed.failure.toString), identity)

  private def failure(probe: TimeProbe, lookups: (PartitionId, (Long, Long))*): Failed =
    probe.look(from(lookups: _*)).get.fold(identity, found => fail(found.toString))

  private def kafka = new RecordedKafka()
    .holds("eu", "orders", 0)(RecordedLog.of(0, 20))
    .holds("eu", "bills", 0)(RecordedLog(Extent(0, 30), Vector(3, 25)))

  test("the first record at or after each position gives the time, over gaps") {
    assertEquals(times(probe(kafka), orders -> (5, 20), bills -> (4, 30)), Map(orders -> Some(5L), bills -> Some(25L)))
  }

  test("where nothing is left but a gap, nothing is waited for, and there is no time") {
    val found = looks(probe(kafka), bills -> (26, 30))
    assertEquals(found(bills).time, None)
    assertEquals(found(bills).until, 30L)
  }

  test("what aged out has no time") {
    val aged = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(10, 20))
    assertEquals(times(probe(aged), orders -> (5, 20)), Map(orders -> None))
  }

  test("what another Kafka cluster says that has the address now is no time, nor is it one that nothing is there") {
    for (log <- Seq(RecordedLog.of(0, 20), RecordedLog.of(10, 20))) {
      val recorded = new RecordedKafka().holds("eu", "orders", 0)(log)
      recorded.kafkaIds(ClusterId("eu")) = "another"
      def look(kafkaId: String) =
        probe(recorded).look(Map(orders -> TimestampLookup(PartitionOffset(0, 5, 0), 20, Some(kafkaId)))).get
      assertEquals(look("known").left.toOption.map(_.failure.condition), Some(Condition.ClusterChanged: Condition))
      assert(recorded.opened.forall(_.closed))
      assert(look("another").isRight)
    }
  }

  test("one consumer serves all looks, and a partition that has answered is asked no more in this one") {
    val recorded = kafka
    val one      = probe(recorded)
    times(one, orders -> (5, 20), bills -> (4, 30)): Unit
    assertEquals(times(one, orders -> (9, 20)), Map(orders -> Some(9L)))
    assertEquals(recorded.opened.size, 1)
    assertEquals(recorded.calls.count(_.contains("pause")), 2)
    one.close()
  }

  test("a cluster that says nothing within the time is a failure, and the next look has another consumer") {
    val recorded = kafka
    recorded.silent += ClusterId("eu")
    val one = probe(recorded)
    assertEquals(failure(one, orders -> (5, 20)).failure.condition, Condition.ClusterUnreachable: Condition)
    assert(recorded.opened.forall(_.closed))
    recorded.silent.clear()
    assertEquals(times(one, orders -> (5, 20)), Map(orders -> Some(5L)))
    assertEquals(recorded.opened.size, 2)
  }

  test("a gap may take longer than one answer, as long as it is passed: an aborted transaction may be large") {
    val recorded = new RecordedKafka()
    (1 to 24).foreach(end =>
      recorded.next("eu") { () =>
        Thread.sleep(50)
        recorded.holds("eu", "orders", 0)(RecordedLog(Extent(0, end.toLong), Vector.empty)): Unit
      }
    )
    val threads = Executors.newSingleThreadExecutor()
    val one     = new TimeProbe(key, recorded, Duration.ofSeconds(1), threads, System.nanoTime _)
    assertEquals(looks(one, orders -> (0, 24))(orders).until, 24L)
    one.close()
    threads.shutdown()
  }

  test("a passing failure is tried again; one of authorization is reported with its topic") {
    val passing = kafka.next("eu")(() => throw new TimeoutException("busy"))
    assertEquals(times(probe(passing), orders -> (5, 20)), Map(orders -> Some(5L)))
    val refused = kafka.next("eu")(() => throw new TopicAuthorizationException(java.util.Set.of("orders")))
    val said    = failure(probe(refused), orders -> (5, 20)).failure
    assertEquals(said.condition, Condition.NotAuthorized: Condition)
    assert(said.detail.contains("orders") && said.detail.contains("READ"), said.detail)
  }

  test("a look that hangs is given up in time, no second one is begun meanwhile, and closing ends it") {
    val hangs    = new java.util.concurrent.CountDownLatch(1)
    val threads  = Executors.newSingleThreadExecutor()
    val recorded = kafka.next("eu")(() => hangs.await())
    val one      = new TimeProbe(key, recorded, Duration.ofMillis(50), threads, () => 0L)
    assertEquals(failure(one, orders -> (5, 20)).failure.condition, Condition.ClusterUnreachable: Condition)
    val second = failure(one, orders -> (5, 20)).failure.detail
    assert(second.contains("an earlier look has not ended yet"), second)
    one.close()
    hangs.countDown()
    threads.shutdown()
    assert(threads.awaitTermination(10, java.util.concurrent.TimeUnit.SECONDS))
    assert(recorded.opened.forall(_.closed))
  }

  test("after close nothing is opened any more") {
    val recorded = kafka
    val one      = probe(recorded)
    one.close()
    failure(one, orders -> (5, 20)): Unit
    assertEquals(recorded.opened, Vector.empty)
  }
}
