package io.github.dynamickafka.spark.read

import java.time.{Duration, Instant}

import scala.util.Random

import munit.ScalaCheckSuite
import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}
import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.fakes.{BufferingKafka, ManualClock}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.metrics.{LargestValue, ReadFigures}
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeSplitter}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What the consumers of one executor hold, batch after batch, counted where Kafka holds it. The tasks of a batch take
  * turns in a random order.
  */
class HeldBytesSuite extends ScalaCheckSuite {
  private val MiB       = 1L << 20
  private val GiB       = 1L << 30
  private val Unlimited = 1L << 60

  // A fetch brings four records of a partition, and a poll returns those of seven, and a half.
  private class Executor(clusters: Int, partitions: Int, slots: Int, limit: Long, seed: Long = 7) {
    val kafka          = new BufferingKafka(records = 24, recordBytes = MiB / 4, pollRecords = 30)
    private val clock  = new ManualClock(Instant.EPOCH)
    private val random = new Random(seed)
    private val all    = Vector.tabulate(clusters)(n => ClusterId(f"c$n%03d"))
    val pool           = new ConsumerPool(kafka, clock, _ => ())

    private val factory = new RangeReaderFactory(
      all.map(_ -> new ConnectionSettings(Map.empty)).toMap,
      Map.empty,
      ReadSettings(Duration.ofSeconds(120), Duration.ofSeconds(60), 256 * MiB, "prefix", true, "", Some(limit)),
      RowSchema.all,
      new ReadFigures(new LargestValue(new CollectionAccumulator), new LongAccumulator, None),
      None
    )

    private def reader(ranges: Vector[OffsetRange]): RangeReader =
      factory.reader(ranges, TaskEnvironment(pool, () => false, clock, () => 0, _ => ()))

    def ids: Vector[PartitionId] = for (cluster <- all; n <- (0 until partitions).toVector)
      yield PartitionId(cluster, "orders", n)

    /** The same offsets of all partitions. */
    def batch(from: Long, until: Long): Int = batch(ids.map(_ -> (from -> until)).toMap, early = 0)

    /** Reads these offsets, and returns how many rows that were.
      *
      * @param early how many of a hundred turns close their task before its end
      */
    def batch(of: Map[PartitionId, (Long, Long)], early: Int): Int = {
      val ranges = of.toVector.collect {
        case (id, (from, until)) if from < until => OffsetRange(id, from, until, StreamId("orders"))
      }
      @annotation.tailrec
      def run(live: Vector[RangeReader], rows: Int): Int =
        if (live.isEmpty) rows
        else {
          val one  = live(random.nextInt(live.size))
          val more = random.nextInt(100) >= early && one.next()
          val next = if (more) one.get().numRows else 0
          if (!more) one.close()
          run(if (more) live else live.filterNot(_ eq one), rows + next)
        }
      run(RangeSplitter.tasks(ranges, slots, record = 1 << 20).map(reader), 0)
    }

    def sweep(): Unit = {
      clock.advance(Duration.ofMinutes(1))
      pool.sweep(): Unit
    }
  }

  test(
    "100 clusters with 100 partitions each on 16 cores: nothing is above the budget but one partition of each task"
  ) {
    val limit    = FetchBudget.ofHeap(4 * GiB)
    val executor = new Executor(clusters = 100, partitions = 100, slots = 16, limit)
    assertEquals(executor.batch(0, 6), 60000)
    assertEquals(executor.batch(6, 12), 60000)
    executor.batch(executor.ids.map(_ -> (12L -> 18L)).toMap, early = 1): Unit
    assertEquals(executor.batch(18, 24), 60000)
    assert(executor.kafka.most <= limit + 16 * 2 * MiB, executor.kafka.most)
    executor.sweep()
    assertEquals((executor.kafka.held, executor.pool.held), (0L, FetchBudget()))
  }

  test("without a budget the same tasks hold more") {
    val executor = new Executor(clusters = 100, partitions = 100, slots = 16, Unlimited)
    executor.batch(0, 6): Unit
    assert(executor.kafka.most > FetchBudget.ofHeap(4 * GiB) + 16 * 2 * MiB, executor.kafka.most)
  }

  property("idle consumers never hold more than what counts, however much was read of each partition") {
    val shapes = Gen.zip(Gen.choose(1, 3), Gen.choose(1, 12), Gen.choose(1, 4), Gen.choose(1L, 300L), Gen.long)
    // One that was kept alone is fetched again, together with others that end before it.
    val again = Gen.const((1, 5, 2, 298L, 7418784718346561808L))
    forAllNoShrink(Gen.frequency(20 -> shapes, 1 -> again)) { case (clusters, partitions, slots, limit, seed) =>
      val executor = new Executor(clusters, partitions, slots, limit * MiB, seed)
      val random   = new Random(seed)
      (1 to 5).foldLeft(executor.ids.map(_ -> 0L).toMap) { (at, _) =>
        val ranges = at.map { case (id, from) => id -> (from -> (from + random.nextInt(12)).min(24)) }
        executor.batch(ranges, early = 0): Unit
        val counted = executor.pool.held
        assertEquals(counted.taken, 0L)
        assert(executor.kafka.held <= counted.idle && counted.idle <= limit * MiB, (executor.kafka.held, counted))
        ranges.map { case (id, (_, until)) => id -> until }
      }
      executor.sweep()
      assertEquals((executor.kafka.held, executor.pool.held), (0L, FetchBudget()))
    }
  }

  test("where there is room, what was fetched ahead is kept as without a budget") {
    val shapes = Vector((4 * GiB, 16, 16, 12), (4 * GiB, 16, 32, 7), (GiB, 2, 6, 8), (GiB, 2, 2, 16))
    for ((heap, slots, clusters, partitions) <- shapes; limit <- Vector(FetchBudget.ofHeap(heap), Unlimited)) {
      val executor = new Executor(clusters, partitions, slots, limit)
      executor.batch(0, 6): Unit
      executor.kafka.seeks = 0
      executor.batch(6, 12): Unit
      executor.batch(12, 18): Unit
      assertEquals(executor.kafka.seeks, 0, (heap, slots, clusters, partitions, limit))
    }
  }
}
