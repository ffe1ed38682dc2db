package io.github.dynamickafka.spark.read

import java.time.Duration

import org.apache.kafka.clients.consumer.OffsetOutOfRangeException
import org.apache.kafka.common.{KafkaException, TopicPartition}
import org.apache.kafka.common.errors._

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** What a reader does when Kafka does not return what is asked for. */
class ReadFailuresSuite extends munit.FunSuite {
  private val eu = range("eu", "orders", 0) _

  private def fixture(failOnDataLoss: Boolean = true): ReaderFixture =
    new ReaderFixture(new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(5, 10)), failOnDataLoss)

  private def offsets(rows: Vector[String]): Vector[Long] = rows.map(_.split(" ")(3).toLong)

  private def failing(e: => Exception): ReaderFixture = {
    val fails = fixture()
    fails.kafka.next("eu")(() => throw e)
    fails
  }

  // munit's `intercept` takes no fatal exceptions, and an interrupt is fatal.
  private def interrupted(reader: RangeReader): Unit = {
    val ended =
      try Right(reader.next())
      catch { case e: InterruptedException => Left(e) }
    assert(ended.isLeft, ended)
  }

  test("records that aged out fail the task, which names the range and what is held") {
    val (condition, detail) = {
      val loses = fixture()
      loses.failure(loses.rows(eu(2, 8)))
    }
    assertEquals(condition, Condition.DataLoss: Condition)
    assertEquals(
      detail,
      "Records of cluster=eu topic=orders partition=0 offsets=2 until 8 are gone: offset 2 is the next one to read, but " +
        "the log holds 5 until 10. They aged out. To continue without them, set failOnDataLoss to false."
    )
  }

  test("with failOnDataLoss=false what aged out is counted, and reading goes on at the oldest record") {
    val loses = fixture(failOnDataLoss = false)
    assertEquals(offsets(loses.rows(eu(2, 8))), Vector(5L, 6L, 7L))
    assertEquals(loses.figures.lostRecords.value.longValue, 3L)
  }

  test("with failOnDataLoss=false a range that aged out whole is counted, and nothing after it is read") {
    val loses = fixture(failOnDataLoss = false)
    assertEquals(loses.rows(eu(1, 3)), Vector.empty)
    assertEquals(loses.figures.lostRecords.value.longValue, 2L)
  }

  test("a range behind the end of the log is lost, and older records are not read in its place") {
    val (condition, detail) = {
      val loses = fixture()
      loses.failure(loses.rows(eu(12, 15)))
    }
    assertEquals(condition, Condition.DataLoss: Condition)
    assert(detail.contains("The log was cut off, or its topic was re-created"), detail)
    val passes = fixture(failOnDataLoss = false)
    assertEquals(passes.rows(eu(12, 15)), Vector.empty)
    assertEquals(passes.figures.lostRecords.value.longValue, 3L)
  }

  test("an offset that the log does hold, whatever a replica said, is read") {
    val behind = failing(new OffsetOutOfRangeException(java.util.Map.of(new TopicPartition("orders", 0), 7L)))
    assertEquals(offsets(behind.rows(eu(7, 9))), Vector(7L, 8L))
  }

  test("a cluster that stays silent for the read timeout is unreachable, and the ranges are named") {
    val waits = fixture()
    waits.kafka.silent += ClusterId("eu")
    val (condition, detail) = waits.failure(waits.rows(eu(5, 9)))
    assertEquals(condition, Condition.ClusterUnreachable: Condition)
    assert(detail.contains("for 2m") && detail.contains("offsets=5 until 9"), detail)
    assert(detail.contains("The restart reads the same ranges"), detail)
    assert(!detail.contains("transaction"), detail)
  }

  test("a client that cannot be opened names the ranges too, and keeps its condition") {
    val refused = fixture()
    refused.kafka.unopened(ClusterId("eu")) = DynamicKafkaException(Condition.AuthenticationFailed, "No login.")
    val (condition, detail) = refused.failure(refused.rows(eu(5, 9)))
    assertEquals(condition, Condition.AuthenticationFailed: Condition)
    assert(detail.startsWith("No login. This happened on an executor; the restart reads the same ranges"), detail)
    assert(detail.contains("offsets=5 until 9"), detail)
  }

  test("where only committed records are read, an open transaction may be why nothing comes") {
    val recorded = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(5, 10))
    recorded.silent += ClusterId("eu")
    val waits       = new ReaderFixture(recorded, more = Map("isolation.level" -> "read_committed"))
    val (_, detail) = waits.failure(waits.rows(eu(5, 9)))
    assert(detail.contains("isolation.level became read_committed, an open transaction holds it up"), detail)
  }

  test("the error of a cluster that can't be read ends with the advice for the batch") {
    def fails = new ReaderFixture(
      new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(5, 10)),
      advice = " Defer it."
    )
    val silent = fails
    silent.kafka.silent += ClusterId("eu")
    val broken = fails
    broken.kafka.next("eu")(() => throw new KafkaException("corrupt"))
    val unopened = fails
    unopened.kafka.unopened(ClusterId("eu")) = DynamicKafkaException(Condition.ClusterUnreachable, "No address.")
    for (reads <- Vector(silent, broken, unopened)) {
      val (condition, detail) = reads.failure(reads.rows(eu(5, 9)))
      assertEquals(condition, Condition.ClusterUnreachable: Condition)
      assert(detail.endsWith(". Defer it."), detail)
    }
  }

  test("a topic that is not there yet, and other passing failures, are tried again") {
    val retries = failing(new UnknownTopicOrPartitionException("orders"))
    retries.kafka.next("eu")(() => throw new TimeoutException("metadata"))
    assertEquals(offsets(retries.rows(eu(5, 9))), Vector(5L, 6L, 7L, 8L))
    assertEquals(retries.kafka.opened.map(_.closed), Vector(false))
  }

  test("refused credentials, a missing permission and all else have conditions of their own") {
    def said(e: Exception): (Condition, String) = {
      val fails = failing(e)
      fails.failure(fails.rows(eu(5, 9)))
    }
    assertEquals(said(new SaslAuthenticationException("no"))._1, Condition.AuthenticationFailed: Condition)
    val (condition, detail) = said(new TopicAuthorizationException(java.util.Set.of("orders")))
    assertEquals(condition, Condition.NotAuthorized: Condition)
    assert(detail.startsWith("Cluster eu does not allow operation READ on topic orders "), detail)
    assertEquals(said(new KafkaException("corrupt"))._1, Condition.ClusterUnreachable: Condition)
  }

  test("a task that Spark stops ends with an InterruptedException, and no more is asked") {
    val stops = fixture()
    stops.stopped = true
    val reader = stops.reader(eu(5, 9))
    interrupted(reader)
    reader.close()
    assert(!stops.kafka.calls.exists(_.contains("poll")), stops.kafka.calls)
  }

  test("an interrupt inside Kafka's client becomes an InterruptedException, and the consumer is not used again") {
    val stops  = failing(new InterruptException("poll"))
    val reader = stops.reader(eu(5, 9))
    interrupted(reader)
    reader.close()
    assert(!Thread.currentThread.isInterrupted)
    stops.pool.sweep()
    assertEquals(stops.kafka.opened.map(_.closed), Vector(true))
  }

  test("after a failure of one cluster its consumer is closed, and another cluster's is kept") {
    val kafka = new RecordedKafka()
      .holds("eu", "orders", 0)(RecordedLog.of(5, 10))
      .holds("us", "orders", 0)(RecordedLog.of(0, 10))
      .next("eu")(() => throw new SaslAuthenticationException("no"))
    val fails = new ReaderFixture(kafka)
    fails.failure(fails.rows(eu(5, 9), range("us", "orders", 0)(0, 9))): Unit
    fails.pool.sweep()
    assertEquals(kafka.opened.map(_.closed), Vector(true, false))
  }

  test("after a refusal the next try has a new consumer, however many idle ones logged in before") {
    val refused = fixture()
    val two     = Vector.fill(2)(refused.reader(eu(5, 9)))
    two.foreach(reader => assert(reader.next()))
    two.foreach(_.close())
    refused.kafka.next("eu")(() => throw new SaslAuthenticationException("rotated"))
    refused.failure(refused.rows(eu(5, 9))): Unit
    assertEquals(offsets(refused.rows(eu(5, 9))), Vector(5L, 6L, 7L, 8L))
    refused.pool.sweep(): Unit
    assertEquals(refused.kafka.opened.map(_.closed), Vector(true, true, false))
  }

  test("what a partition holds is asked for a moment at a time: the other clusters of the task go on meanwhile") {
    val kafka = new RecordedKafka()
      .holds("eu", "orders", 0)(RecordedLog.of(5, 10))
      .holds("us", "orders", 0)(RecordedLog.of(0, 12))
    val waits = new ReaderFixture(kafka)
    var asked = Vector.empty[Duration]
    kafka.extentsAsked = timeout => {
      asked :+= timeout
      waits.advance(timeout)
      throw new TimeoutException("list offsets")
    }
    val reader = waits.reader(eu(2, 8), range("us", "orders", 0)(0, 12))
    val read   = (1 to 6).flatMap { _ => assert(reader.next()); waits.batchRows(reader) }
    assertEquals(read.size, 12)
    assert(asked.map(_.toSeconds).sum <= 15, asked)
    val (condition, _) = waits.failure(reader.next())
    assertEquals(condition, Condition.ClusterUnreachable: Condition)
    // Each reading of the clock is a second later here.
    assert(waits.elapsed.toSeconds <= 120 + 90, waits.elapsed)
    assert(asked.forall(_.toSeconds <= 8), asked)
  }

  test("a reader that is closed by another thread in mid-poll returns its consumer when the poll is through") {
    val closed   = fixture()
    val reader   = closed.reader(eu(5, 9))
    var borrowed = Vector.empty[Int]
    closed.kafka.silent += ClusterId("eu")
    closed.kafka.next("eu") { () =>
      val other = new Thread(() => reader.close())
      other.start()
      other.join()
      closed.pool.sweep(): Unit
      // The next borrower must not get the consumer that polls.
      closed.kafka.silent.clear()
      assertEquals(offsets(closed.rows(eu(5, 9))), Vector(5L, 6L, 7L, 8L))
      borrowed :+= closed.kafka.opened.size
      closed.kafka.silent += ClusterId("eu"): Unit
    }
    interrupted(reader)
    assertEquals(borrowed, Vector(2))
    interrupted(reader)
    closed.kafka.silent.clear()
    assertEquals(closed.rows(eu(5, 9)).size, 4)
    assertEquals(closed.kafka.opened.size, 2, "it was returned")
    reader.close()
  }

  test("a cluster without a connection is not listed") {
    val fails = fixture()
    assertEquals(fails.failure(fails.rows(range("asia", "orders", 0)(0, 1)))._1, Condition.ClusterNotListed: Condition)
  }
}
