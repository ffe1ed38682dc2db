package io.github.dynamickafka.spark.kafka.consumer

import java.time.Duration
import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}

import scala.util.Try

import munit.FunSuite
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.SaslAuthenticationException

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.properties.BootstrapList
import io.github.dynamickafka.spark.topology.ConnectionSettings

class LogProofsSuite extends FunSuite {
  private val zero  = new TopicPartition("orders", 0)
  private val asked = Map(zero -> EpochPosition(10, 3))
  private val key   = ConsumerKey(ClusterId("eu"), new ConnectionSettings(Map.empty), "prefix")

  private def holding(log: RecordedLog) = new RecordedKafka().holds("eu", "orders", 0)(log)

  private def proofs(kafka: RecordedKafka) =
    new LogProofs(_ => kafka.open(key), Duration.ofSeconds(30), task => task.run())

  test("a question has a consumer of its own, which is closed after it") {
    val kafka = holding(RecordedLog.of(0, 20, epoch = 3).cut(at = 7, epoch = 5, until = 30))
    assertEquals(proofs(kafka).of(asked, None).get, Map(zero -> Option(7L)))
    assertEquals((kafka.opened.size, kafka.opened.forall(_.closed)), (1, true))
  }

  test("while no broker answers, two further consumers ask other addresses, one each, also if one can't be resolved") {
    val addresses = ConsumerKey(ClusterId("eu"), new ConnectionSettings(Map("bootstrap.servers" -> "a:1,b:2,c:3")), "p")
    val unresolved = Failure(Condition.ClusterUnreachable, "it can't be resolved").exception
    // The first one of them can't be asked, for one of two reasons; or both can.
    for ((silent, failure) <- Seq(2 -> Some(unresolved), 2 -> Some(new SaslAuthenticationException("no")), 3 -> None)) {
      val kafka = holding(RecordedLog.of(0, 20, epoch = 3).cut(at = 7, epoch = 5, until = 30)).silentUntil("eu")(silent)
      def open(number: Int) =
        failure.filter(_ => number == 1).fold {
          val opened = kafka.open(addresses.copy(connection = BootstrapList.inTurn(addresses.connection, number)))
          if (kafka.opened.size == silent) kafka.answers("eu")
          opened
        }(throw _)
      val asks = new LogProofs(open(_), Duration.ofSeconds(30), task => task.run())
      assertEquals(asks.of(asked, Some("kafka-eu")).get, Map(zero -> Option(7L)))
      assertEquals(kafka.addresses.toVector.drop(1), Vector("a:1", "b:2").takeRight(silent - 1))
      assert(kafka.opened.forall(_.closed))
    }
  }

  test("what another Kafka cluster says proves nothing") {
    val kafka = holding(RecordedLog.of(0, 20, epoch = 3).cut(at = 7, epoch = 5, until = 30))
    kafka.kafkaIds(ClusterId("eu")) = "another"
    assertEquals(proofs(kafka).of(asked, Some("known")).get, Map.empty[TopicPartition, Option[Long]])
    assertEquals(proofs(kafka).of(asked, Some("another")).get, Map(zero -> Option(7L)))
    assert(kafka.opened.forall(_.closed))
  }

  test("a question whose consumer is still being opened when all is closed is not asked, and nothing stays open") {
    val kafka                = holding(RecordedLog.of(0, 20, epoch = 3))
    val (begun, slow)        = (new CountDownLatch(1), new CountDownLatch(1))
    val threads              = Executors.newSingleThreadExecutor()
    def open(): RecordSource = {
      begun.countDown()
      slow.await()
      kafka.open(key)
    }
    val proofs          = new LogProofs(_ => open(), Duration.ofSeconds(30), threads)
    val (first, queued) = (proofs.of(asked, None), proofs.of(asked, None))
    begun.await()
    proofs.close()
    slow.countDown()
    threads.shutdown()
    assert(threads.awaitTermination(10, TimeUnit.SECONDS))
    assert(Seq(first, queued).forall(answer => Try(answer.get).isFailure))
    assertEquals(kafka.calls.filter(_.contains("agreement")).toList, Nil)
    assertEquals(kafka.opened.map(_.closed), Vector(true))
  }
}
