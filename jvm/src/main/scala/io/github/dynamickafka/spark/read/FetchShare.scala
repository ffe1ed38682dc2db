package io.github.dynamickafka.spark.read

import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

import io.github.dynamickafka.spark.read.FetchBudget.{Held, Limits}

/** What one task has of its executor's [[FetchBudget]]. `close` returns all of it. Not thread-safe: it belongs to one
  * task. The budget belongs to all.
  *
  * @param letGo makes idle consumers let go of so many bytes
  */
final private[read] class FetchShare(budget: AtomicReference[FetchBudget], limits: Limits, letGo: Long => Unit)
    extends AutoCloseable {
  // Changes with each partition that is opened or read to its end.
  private var mine = Held()

  def held: Held = mine

  /** Takes these bytes to fetch, if there is room. */
  def fetches(bytes: Long): Boolean = {
    def may(all: FetchBudget) = all.mayFetch(bytes, mine, limits)
    may(budget.get) && {
      makeRoom(bytes)
      // Others may have taken the room by now, or become idle.
      become(fetching(bytes))(all => may(all) && all.fits(bytes, limits))
    }
  }

  /** Takes them in any case. */
  def fetchesAnyway(bytes: Long): Unit = {
    makeRoom(bytes)
    become(fetching(bytes))(_ => true): Unit
  }

  /** Takes these bytes to keep for later tasks, if there is room. */
  def keeps(bytes: Long): Boolean = become(keeping(bytes))(_.mayKeep(bytes, mine, limits))

  /** The same for what was kept for this task. */
  def carries(bytes: Long): Boolean = become(keeping(bytes))(_.mayCarry(bytes, mine, limits))

  def returns(fetched: Long, kept: Long): Unit =
    become(Held(mine.fetched - fetched, mine.kept - kept))(_ => true): Unit

  override def close(): Unit = become(Held())(_ => true): Unit

  private def fetching(bytes: Long) = mine.copy(fetched = mine.fetched + bytes)
  private def keeping(bytes: Long)  = mine.copy(kept = mine.kept + bytes)

  private def makeRoom(bytes: Long): Unit = {
    val excess = budget.get.excess(bytes, limits)
    if (excess > 0) letGo(excess)
  }

  @tailrec
  private def become(now: Held)(allowed: FetchBudget => Boolean): Boolean = {
    val before = budget.get
    if (!allowed(before)) false
    else if (budget.compareAndSet(before, before.moved(mine, now))) {
      mine = now
      true
    } else become(now)(allowed)
  }
}
