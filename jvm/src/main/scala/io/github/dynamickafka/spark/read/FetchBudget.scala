package io.github.dynamickafka.spark.read

import io.github.dynamickafka.spark.read.FetchBudget.{Held, Limits}

/** What one executor holds of fetched records, over all tasks and idle consumers of all queries, as a value that decides
  * who may hold more. This is the memory bound of an executor:
  *
  * {{{ taken + idle <= limit }}}
  *
  *   - `limit` is the option `maxFetchBytesPerExecutor`, or else [[FetchBudget.ofHeap]]. A task goes by the option of its
  *     own query, and counts what all queries hold. So the highest one is the bound where queries differ.
  *   - `taken` is the sum over all tasks of what [[FetchWindow]] counts. Each task takes more only while it has at most
  *     four times what is free then. So some room is always left for a task that begins, and the others leave it more as
  *     they read partitions to their end: n tasks that want all of the budget have nearly an n-th each.
  *   - `idle` is what consumers hold that no task uses. It makes room for what a task fetches.
  *
  * Nothing fails or stands still for lack of room. So there may be more than the limit: one partition of each task, and
  * all that Real-Time Mode fetches.
  *
  * For example, an executor with 16 cores and a heap of 4 GiB has a limit of 1.6 GiB. One task takes its own limit of
  * 256 MiB. Sixteen that want as much take 100 MiB each, which is 50 partitions at a time.
  *
  * All sizes are bytes, counted as in [[FetchWindow]].
  */
final private[read] case class FetchBudget(taken: Long = 0, idle: Long = 0) {

  def held: Long = taken + idle

  /** One task has this now, and no longer what it had before. */
  def moved(before: Held, now: Held): FetchBudget = copy(taken = taken - before.all + now.all)

  /** Whether a task may fetch so much more. What is idle makes room for it. */
  def mayFetch(bytes: Long, has: Held, limits: Limits): Boolean =
    limits.allow(has.all + bytes, limits.executor - taken - bytes)

  /** Whether a task may keep so much more for later ones. What is idle does not make room: it was kept as well. */
  def mayKeep(bytes: Long, has: Held, limits: Limits): Boolean =
    limits.allow(has.all + bytes, limits.executor - held - bytes)

  /** Whether a task may go on holding what an idle consumer held that it has borrowed. The executor has room for that, so
    * it is not measured by what is free: otherwise all tasks would drop what they hold where little is free.
    */
  def mayCarry(bytes: Long, has: Held, limits: Limits): Boolean =
    has.all + bytes <= limits.task && fits(bytes, limits)

  /** Whether so much more stays within the limit. */
  def fits(bytes: Long, limits: Limits): Boolean = held + bytes <= limits.executor

  /** How much of what is idle must be let go of, so that so much more fits. */
  def excess(bytes: Long, limits: Limits): Long = (held + bytes - limits.executor).max(0).min(idle)
}

private[read] object FetchBudget {

  /** What one task has: of what it fetches, and of what it keeps for later ones. */
  final case class Held(fetched: Long = 0, kept: Long = 0) {
    def all: Long = fetched + kept
  }

  /** The limits of one query.
    *
    * @param task the option `maxFetchBytesPerTask`
    * @param executor of all that its executor holds
    */
  final case class Limits(task: Long, executor: Long) {

    /** Whether a task may have so much where this is free then. */
    def allow(all: Long, free: Long): Boolean = all <= task && all / Times <= free
  }

  // One task alone takes four fifths. More would leave less for one that begins, less would waste more where few run.
  private val Times = 4

  /** The limit where no option sets it: 40 % of the heap. Spark plans with the other 60 % for itself
    * (`spark.memory.fraction`). The uncompressed records of polls need room too, and have it: less is in use than is
    * counted. A partition counts two whole answers while it is fetched, and each one that is kept counts the answer that
    * it shares with others.
    *
    * @param heap the most bytes that this JVM will use
    */
  def ofHeap(heap: Long): Long = heap / 10 * 4
}
