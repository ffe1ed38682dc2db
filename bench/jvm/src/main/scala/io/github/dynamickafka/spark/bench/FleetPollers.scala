package io.github.dynamickafka.spark.bench

import java.time.{Clock, Duration, Instant}
import java.util.{ArrayList => JArrayList, List => JList}
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}
import java.util.concurrent.atomic.{AtomicLong, AtomicReference}

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.metadata.{
  AnswerFeedback,
  CallingQuery,
  ChosenStreams,
  MetadataServices,
  Placeholders,
  ServiceCaller,
  TopologyFetch,
  VersionStore
}
import io.github.dynamickafka.spark.options.{DiscoverySettings, ServiceChoice, ServiceSettings}
import io.github.dynamickafka.spark.poll.{LaterFetch, MetadataAnswer, MetadataPoller, PollListener}
import io.github.dynamickafka.spark.status.QueryIdentity

/** The pollers of many queries that ask one metadata service over HTTP, each with a connection of its own, as in JVMs of
  * their own. Nothing else of the queries runs.
  */
final class FleetPollers(url: String, tokenFile: String, stream: String, count: Int, millis: Long)
    extends AutoCloseable {
  private val requests = new ConcurrentLinkedQueue[Double]
  private val queries  = Vector.tabulate(count)(new Query(_))

  /** All queries start at the same moment. Returns the seconds until each has the streams. */
  def start(): Double = together(_.poller.first(Set.empty): Unit)

  /** A cluster of all fails, and each needs a fetch at once. Returns the seconds until each has it. */
  def clusterFails(): Double = together { query =>
    val limit = Duration.ofSeconds(60)
    query.poller.after(CallOrder.next(), limit) match {
      case LaterFetch.Succeeded(_) => ()
      case other                   => throw new IllegalStateException(s"no answer: $other")
    }
  }

  /** How many fetches the service answers in this time, if each query makes one after the other. */
  def fetches(millis: Long): Long = {
    val done = new AtomicLong
    val end  = System.nanoTime + millis * 1000 * 1000
    together(query =>
      while (System.nanoTime < end) {
        query.fetch(Set.empty): Unit
        done.incrementAndGet(): Unit
      }
    ): Unit
    done.get
  }

  /** When requests for the streams began, in seconds of the clock. */
  def asked(): JList[Double] = new JArrayList(requests)

  /** The failed fetches in a row, of all queries. */
  def failures(): Int = queries.map(_.poller.current.health.failures).sum

  override def close(): Unit = queries.foreach(_.poller.close())

  private def together(act: Query => Unit): Double = {
    val (ready, failed) = (new CountDownLatch(count), new AtomicReference[Throwable])
    val began           = System.nanoTime
    val threads         = queries.map { query =>
      new Thread(() => {
        ready.countDown()
        ready.await()
        try act(query)
        catch { case thrown: Throwable => failed.set(thrown) }
      })
    }
    threads.foreach(_.start())
    threads.foreach(_.join())
    Option(failed.get).foreach(throw _)
    (System.nanoTime - began) / 1e9
  }

  final private class Query(number: Int) {
    private val identity = QueryIdentity(f"query-$number%02d", "run", Some(s"query $number"), "0")
    private val caller   = ServiceCaller(FleetPollers.Limit, Some(CallingQuery(identity, new FleetPollers.Kept)))
    private val settings = ServiceSettings(ServiceChoice.Http, Map("url" -> url, "tokenFile" -> tokenFile))
    private val service  = MetadataServices.open(settings, Map.empty, caller = caller).service
    private val chosen   = ChosenStreams.Ids(SortedSet(StreamId(stream)))
    val fetch            = new TopologyFetch(service, chosen, Map.empty, Placeholders.ofDriver, QueryLog.unnamed)

    private val listener = new PollListener {
      override def taken(answer: MetadataAnswer): Unit =
        report(_.applied(answer.fetched.version, answer.ended))
      override def failed(failure: DynamicKafkaException): Unit = report(_.refused(failure))
      override def close(): Unit                                = service.close()
    }

    val poller = new MetadataPoller(
      draining => {
        requests.add(Instant.now.toEpochMilli / 1e3)
        fetch(draining)
      },
      None,
      DiscoverySettings(Some(Duration.ofMillis(millis)), None, FleetPollers.Limit),
      s"fleet-$number",
      QueryLog.unnamed,
      Clock.systemUTC,
      listener
    )

    private def report(say: AnswerFeedback => Unit): Unit = service match {
      case heard: AnswerFeedback => say(heard)
      case _                     => ()
    }
  }
}

private object FleetPollers {
  private val Limit = Duration.ofSeconds(30)

  /** The version of the metadata, as a checkpoint keeps it. */
  final private class Kept extends VersionStore {
    private val text = new AtomicReference[Option[String]](None)

    override def read(): Option[String]    = text.get
    override def write(next: String): Unit = text.set(Some(next))
  }
}
