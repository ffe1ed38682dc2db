package io.github.dynamickafka.spark.poll

import java.time.Duration
import java.util.concurrent.locks.Lock

import scala.collection.mutable.ListBuffer

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.ManualClock
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.options.DiscoverySettings

/** A poller with a fetch, a schedule and a clock that a test moves by hand. */
final private class PollerFixture(
    interval: Option[Duration] = Some(Duration.ofSeconds(10)),
    threshold: Option[Int] = None,
    timeout: Duration = Duration.ofSeconds(30),
    lock: Option[Lock] = None,
    onClose: () => Unit = () => ()
) {
  val fetch   = new ScriptedFetch
  val threads = new ManualThreads(new ManualClock)

  /** What the listener heard. */
  val heard: ListBuffer[String] = ListBuffer.empty

  private val listener = new PollListener {
    override def taken(answer: MetadataAnswer): Unit          = heard += s"taken ${answer.number}"
    override def failed(failure: DynamicKafkaException): Unit = heard += s"failed ${failure.detail}"
    override def close(): Unit                                = onClose()
  }

  val poller = new MetadataPoller(
    fetch,
    lock,
    DiscoverySettings(interval, threshold, timeout),
    QueryLog.unnamed,
    threads.clock,
    listener,
    threads
  )

  def start(): MetadataAnswer = poller.first(Set.empty)

  def failures: Int = poller.current.health.failures

  def clusters: Set[String] = poller.current.fetched.topology.clusters.keySet.map(_.value).toSet

  def pass(seconds: Int): Unit = threads.advance(Duration.ofSeconds(seconds.toLong))

  def passThroughCall(seconds: Int): Unit = threads.advanceThroughCall(Duration.ofSeconds(seconds.toLong))
}
