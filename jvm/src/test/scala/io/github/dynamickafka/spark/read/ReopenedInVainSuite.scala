package io.github.dynamickafka.spark.read

import munit.FunSuite

import io.github.dynamickafka.spark.deferral.{BatchEnds, DriverLink, PlannedRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** An executor's name service gives no address of a cluster for some seconds, so no client of it can be opened. */
class ReopenedInVainSuite extends FunSuite {
  private val eu        = ClusterId("eu")
  private val noAddress = DynamicKafkaException(Condition.ClusterUnreachable, "No host can be resolved.")
  private val all       = range("eu", "orders", 0)(0, 6)

  private def kafka = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 6))

  /** The driver of a query that needs the cluster. Before each answer it does `asked`. */
  private class Driver(fixture: => ReaderFixture, override val defers: Boolean, asked: () => Unit) extends DriverLink {
    private val limits = BatchEnds.Limits(if (defers) 10000 else 120000, 1000, 120000)
    private var ends   = BatchEnds(Vector(PlannedRange(eu, 6)))

    override def known(ranges: Vector[Int]): Map[Int, Long] = ends.known(ranges)

    override def ask(report: TaskReport): Verdict = {
      asked()
      val said = ends.answer(report, fixture.elapsed.toMillis, limits, _ => false)
      ends = said.next
      said.verdict
    }
  }

  test("a range whose brokers went away in the batch, with their names, is read once they are back") {
    val here                        = kafka
    lazy val fixture: ReaderFixture = new ReaderFixture(here)
    def back(): Unit                = {
      here.unopened.clear()
      here.silent.clear()
      here.kafkaIds(eu) = "kafka-eu"
    }
    val link   = new Driver(fixture, defers = false, () => if (fixture.elapsed.getSeconds > 20) back())
    val reader = fixture.linked(link, again = false)(all)
    assert(reader.next())
    val first = fixture.batchRows(reader)
    // Kafka's client begins anew with its first addresses, which have no names now.
    here.silent += eu
    here.kafkaIds -= eu
    here.unopened(eu) = noAddress
    try assertEquals((first ++ fixture.drained(reader)).size, 6)
    finally reader.close()
  }

  test("a task whose first client finds no address waits for clusterReadTimeout, and then fails") {
    val here    = kafka
    val fixture = new ReaderFixture(here)
    here.unopened(eu) = noAddress
    val (condition, said) = fixture.failure(fixture.rows(all))
    assertEquals(condition, Condition.ClusterUnreachable: Condition)
    assert(said.contains("No host can be resolved."), said)
    assert(fixture.elapsed.getSeconds >= 120, fixture.elapsed)
  }

  test("under defer the attempt that found no address for a second reads a needed cluster") {
    val here                        = kafka
    lazy val fixture: ReaderFixture = new ReaderFixture(here, more = Map("bootstrap.servers" -> "localhost:1"))
    here.unopened(eu) = noAddress
    val reader = fixture.linked(new Driver(fixture, defers = true, () => here.unopened.clear()), again = false)(all)
    try assertEquals(fixture.drained(reader).size, 6)
    finally reader.close()
  }
}
