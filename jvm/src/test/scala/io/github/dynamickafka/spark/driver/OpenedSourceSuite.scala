package io.github.dynamickafka.spark.driver

import java.net.{InetAddress, ServerSocket}
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.annotation.tailrec

import munit.FunSuite

import io.github.dynamickafka.spark.{InMemoryMetadataService, KafkaMetadataService, KafkaStream, KafkaStreamSubscriber}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedMetadataService, Streams}
import io.github.dynamickafka.spark.metadata.Registered
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser, SourceSettings}
import io.github.dynamickafka.spark.plan.ReadLimits

/** Who owns the metadata service. No cluster is listed here, so none is asked. */
class OpenedSourceSuite extends FunSuite {
  private def settings(service: String, more: (String, String)*): SourceSettings = SourceOptionsParser.settings(
    Map("metadataService" -> service, "streamPattern" -> ".*", "metadataDiscoveryInterval" -> "-1") ++ more,
    ReadKind.Streaming
  )

  test("a service that is named by its class is made for the source alone, and closed with it") {
    OpenedSourceSuite.closed.set(0)
    val named = settings(classOf[OpenedSourceSuite.Counted].getName)
    val one   = OpenedSource.streaming(named, new InMemoryDecisionStore)
    val other = OpenedSource.streaming(named, new InMemoryDecisionStore)
    Seq(one, other).foreach(_.driver.latest(SourceOffset.initial, ReadLimits.everything))
    one.close()
    assertEquals(OpenedSourceSuite.closed.get, 1)
    other.close()
    assertEquals(OpenedSourceSuite.closed.get, 2)
  }

  test("a service object is the user's, and never closed") {
    val mine = new ScriptedMetadataService()
    for (_ <- 1 to 2) {
      val source = OpenedSource.streaming(settings(Registered.service(mine)), new InMemoryDecisionStore)
      source.driver.latest(SourceOffset.initial, ReadLimits.everything): Unit
      source.close()
    }
    assertEquals(mine.calls.toVector, Vector("all", "all"))
  }

  test("a constructor that hangs ends the start within the time limit, and ends itself with the query") {
    val hanging = settings(classOf[OpenedSourceSuite.Hanging].getName, "metadataRequestTimeout" -> "100ms")
    val source  = OpenedSource.streaming(hanging, new InMemoryDecisionStore)
    val failure = intercept[DynamicKafkaException](source.driver.latest(SourceOffset.initial, ReadLimits.everything))
    assertEquals(failure.condition, Condition.MetadataUnavailable: Condition)
    assertEquals(OpenedSourceSuite.ended.getCount, 1L)
    source.close()
    assert(OpenedSourceSuite.ended.await(10, TimeUnit.SECONDS))
  }

  test("ten seconds after a query was interrupted nothing of it runs, though a cluster hangs for longer") {
    val silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress) // takes connections, and answers nothing
    try {
      val service = ScriptedMetadataService.of(
        Streams.stream(
          "orders",
          "a" -> Streams.cluster("t")("bootstrap.servers" -> s"127.0.0.1:${silent.getLocalPort}")
        )
      )
      val hanging = settings(Registered.service(service), "clusterRequestTimeout" -> "60s")
      // All threads that a query starts, and those that they start, are in its group. One is Java's own, for all.
      val group   = new ThreadGroup("query")
      def running = {
        val threads = new Array[Thread](100)
        threads.take(group.enumerate(threads)).toVector.filter(_.getName != "CompletableFutureDelayScheduler")
      }
      val query = new Thread(
        group,
        () => {
          val source = OpenedSource.streaming(hanging, new InMemoryDecisionStore)
          try source.driver.latest(SourceOffset.initial, ReadLimits.everything): Unit
          catch { case _: InterruptedException => () }
          finally source.close()
        }
      )
      query.start()
      silent.accept() // as soon as the driver asks the cluster
      val until = System.nanoTime + TimeUnit.SECONDS.toNanos(10)
      query.interrupt()
      @tailrec def left(): Vector[Thread] = running match {
        case one +: _ if System.nanoTime < until =>
          one.join(100)
          left()
        case others => others
      }
      assertEquals(left().map(_.getName), Vector.empty)
    } finally silent.close()
  }

  test("if a subscriber can't be made, no service is") {
    OpenedSourceSuite.made.set(0)
    val chosen = SourceOptionsParser.settings(
      Map(
        "metadataService"  -> classOf[OpenedSourceSuite.Counted].getName,
        "streamSubscriber" -> classOf[OpenedSourceSuite.Broken].getName
      ),
      ReadKind.Streaming
    )
    val failure = intercept[DynamicKafkaException](OpenedSource.streaming(chosen, new InMemoryDecisionStore))
    assertEquals(failure.condition, Condition.MetadataUnavailable: Condition)
    assertEquals(OpenedSourceSuite.made.get, 0)
  }

  test("a batch read closes what it opened, also when it fails") {
    OpenedSourceSuite.closed.set(0)
    val bounded = SourceOptionsParser.settings(
      Map("metadataService" -> classOf[OpenedSourceSuite.Counted].getName, "streamIds" -> "nobody's"),
      ReadKind.Batch
    )
    val failure = intercept[DynamicKafkaException](OpenedSource.bounded(bounded))
    assertEquals(failure.condition, Condition.StreamNotFound: Condition)
    assert(failure.detail.contains("It knows no stream."), failure.detail)
    assertEquals(OpenedSourceSuite.closed.get, 1)
  }
}

object OpenedSourceSuite {
  private val made   = new AtomicInteger
  private val closed = new AtomicInteger

  private val ended = new CountDownLatch(1)

  /** Its constructor returns when it is interrupted. */
  final class Hanging extends KafkaMetadataService {
    try new CountDownLatch(1).await()
    finally ended.countDown()

    override def getAllStreams: java.util.Set[KafkaStream] = java.util.Set.of()
    override def describeStreams(ids: java.util.Collection[String]): java.util.Map[String, KafkaStream] =
      java.util.Map.of()
    override def isClusterActive(clusterId: String): Boolean = true
    override def close(): Unit                               = ()
  }

  final class Broken extends KafkaStreamSubscriber {
    throw new IllegalStateException("no rules")

    override def getSubscribedStreams(service: KafkaMetadataService): java.util.Set[String] = java.util.Set.of()
  }

  /** Knows no stream. */
  final class Counted extends KafkaMetadataService {
    made.incrementAndGet()
    private val none = new InMemoryMetadataService

    override def getAllStreams: java.util.Set[KafkaStream] = none.getAllStreams

    override def describeStreams(
        ids: java.util.Collection[String]
    ): java.util.Map[String, KafkaStream] = none.describeStreams(ids)

    override def isClusterActive(clusterId: String): Boolean = none.isClusterActive(clusterId)

    override def close(): Unit =
      closed.incrementAndGet(): Unit
  }
}
