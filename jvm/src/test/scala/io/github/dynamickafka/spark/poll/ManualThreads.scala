package io.github.dynamickafka.spark.poll

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.fakes.ManualClock

/** Real threads for calls, for which a test can wait, and a schedule that moves with the clock on the test's thread. */
final private class ManualThreads(val clock: ManualClock, override val share: Double = 0) extends PollThreads {
  private case class Planned(due: Instant, number: Int, body: () => Unit)

  private var planned = Vector.empty[Planned]
  private var threads = Vector.empty[Thread]
  private var closed  = false

  override def time: Long = Duration.between(Instant.EPOCH, clock.instant()).toNanos

  override def thread(body: => Unit): Thread = synchronized {
    val thread = new Thread(() => body, s"test-${threads.size}")
    thread.setDaemon(true)
    threads :+= thread
    thread
  }

  override def later(delay: Duration)(body: => Unit): Unit = synchronized {
    if (!closed) planned :+= Planned(clock.instant().plus(delay), planned.size, () => body)
  }

  override def close(): Unit = synchronized {
    closed = true
    planned = Vector.empty
  }

  /** Moves the time forward, and runs everything that becomes due, each at its own time. */
  def advance(by: Duration): Unit = {
    val until = clock.instant().plus(by)
    var next  = take(until)
    while (next.nonEmpty) {
      next.foreach { task =>
        clock.advance(Duration.between(clock.instant(), task.due))
        task.body()
      }
      next = take(until)
    }
    clock.advance(Duration.between(clock.instant(), until))
  }

  /** The same, then waits for the call that this started. */
  def advanceThroughCall(by: Duration): Unit = {
    advance(by)
    joinLast()
  }

  def joinLast(): Unit = {
    val last = synchronized(threads.last)
    last.join(10000)
    assert(!last.isAlive, s"${last.getName} does not end")
  }

  def started: Int = synchronized(threads.size)

  def pending: Int = synchronized(planned.size)

  private def take(until: Instant): Option[Planned] = synchronized {
    val due = planned.filter(!_.due.isAfter(until)).minByOption(task => (task.due, task.number))
    planned = planned.filterNot(due.contains)
    due
  }
}
