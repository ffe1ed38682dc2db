package io.github.dynamickafka.spark.poll

import java.time.{Duration, Instant}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.fakes.ManualClock
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.metadata.FetchedTopology
import io.github.dynamickafka.spark.options.DiscoverySettings

/** Many queries of one metadata service, on one clock that a test moves by hand. They start at the same moment, each in a
  * JVM of its own, which asks at `shares` of the interval.
  */
final private class Fleet(shares: Seq[Double], interval: Duration) {
  private val schedule = new ManualThreads(new ManualClock)
  private val asked    = new AtomicReference(Vector.empty[Instant])
  private val down     = new AtomicReference[Option[Hang]](None)
  private val refuses  = new AtomicReference(false)
  private val hanging  = ConcurrentHashMap.newKeySet[Thread]()
  private val pollers  = shares.map(share =>
    new MetadataPoller(
      _ => answer(),
      None,
      DiscoverySettings(Some(interval), None, Duration.ofSeconds(30)),
      QueryLog.unnamed,
      schedule.clock,
      () => (),
      new Threads(share)
    )
  )

  def start(): Unit = pollers.foreach(_.first(Set.empty): Unit)

  def close(): Unit = pollers.foreach(_.close())

  def pass(time: Duration): Unit = schedule.advance(time)

  /** How many requests came in each second of this time, which passes. */
  def requests(time: Duration): Vector[Int] = {
    val before = asked.get.size
    val begin  = schedule.clock.instant()
    pass(time)
    val came = asked.get.drop(before).map(Duration.between(begin, _).toSeconds.toInt)
    Vector.tabulate(time.toSeconds.toInt)(second => came.count(_ == second))
  }

  /** A cluster of all queries fails: each needs a fetch at once. How many requests that is. */
  def clusterFails(): Int = {
    val before = asked.get.size
    pollers.foreach(_.after(CallOrder.next(), Duration.ofSeconds(10)): Unit)
    asked.get.size - before
  }

  /** The service refuses connections for so long. */
  def refusing(time: Duration): Vector[Int] = {
    refuses.set(true)
    try requests(time)
    finally refuses.set(false)
  }

  /** The service is frozen for so long, and then answers all that it was asked meanwhile. */
  def frozen(time: Duration): Vector[Int] = {
    val hang = new Hang
    down.set(Some(hang))
    try requests(time)
    finally {
      down.set(None)
      hang.letGo()
      hanging.forEach(_.join(10000))
      hanging.clear()
    }
  }

  def failures: Int = pollers.map(_.current.health.failures).sum

  private def answer(): FetchedTopology = {
    asked.updateAndGet(_ :+ schedule.clock.instant())
    if (refuses.get) throw new IllegalStateException("it refuses connections")
    down.get.foreach { hang =>
      hanging.add(Thread.currentThread)
      hang.enter()
    }
    ScriptedFetch.listing("eu")
  }

  /** A thread that was started is over, or hangs: time stands still meanwhile. */
  final private class Threads(override val share: Double) extends PollThreads {
    override def time: Long = schedule.time

    override def thread(body: => Unit): Thread = new Thread(() => body, "fleet") {
      setDaemon(true)
      override def start(): Unit = {
        super.start()
        while (isAlive && !hanging.contains(this)) join(1)
      }
    }

    override def later(delay: Duration)(body: => Unit): Unit = schedule.later(delay)(body)

    override def close(): Unit = ()
  }
}
