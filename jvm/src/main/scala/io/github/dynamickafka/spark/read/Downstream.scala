package io.github.dynamickafka.spark.read

/** How long a task is busy with its records after they were read: the time between two batches of its reader, and after
  * the last one.
  *
  * @param nanoTime any rising clock, in nanoseconds
  * @param report gets the records and the nanoseconds of a task that has ended
  */
final private[read] class Downstream(nanoTime: () => Long, report: (Long, Long) => Unit) {
  private var records = 0L
  private var nanos   = 0L
  private var since   = Option.empty[Long]

  /** The query wants more. */
  def asks(): Unit = {
    nanos += since.fold(0L)(nanoTime() - _)
    since = None
  }

  /** It gets so many records. */
  def gets(count: Int): Unit = {
    records += count
    since = Some(nanoTime())
  }

  /** The task ends. */
  def ended(): Unit = {
    asks()
    report(records, nanos)
  }
}
