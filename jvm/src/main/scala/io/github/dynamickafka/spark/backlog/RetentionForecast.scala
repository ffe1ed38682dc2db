package io.github.dynamickafka.spark.backlog

/** When Kafka's retention will delete records that are not read, if deleting and reading go on as fast as now.
  *
  * Deletions move the offset of the oldest record, and reading moves the position. If the offset of the oldest record
  * moves faster, it will pass the position. Its speed is only known after two deletions, because
  * one may have come right after the first look. So there is no forecast for a topic that is read from its oldest record
  * faster than it is deleted, nor for one that is only compacted, nor for one that is never deleted.
  *
  * Between two deletions the oldest record counts as moving evenly. If a deletion is overdue, the speed is lower than
  * it seemed, so a topic whose retention was switched off is soon in no danger.
  */
object RetentionForecast {
  // Later than this is never.
  private val Longest = 10L * 365 * 24 * 3600 * 1000

  /** In milliseconds since the epoch.
    *
    * @param position the next offset to read, which is before the end of the log
    * @param asked when the brokers were last asked
    */
  def at(deletions: Deletions, position: Long, asked: Long): Option[Long] =
    if (deletions.earliest > position) Some(asked)
    else if (deletions.steps.sizeIs < 2) None
    else {
      val (first, last) = (deletions.steps.head, deletions.steps.last)
      val usual         = (last.at - first.at).toDouble / (deletions.steps.size - 1)
      val waited        = Math.min((asked - last.at).toDouble, usual)
      val overdue       = asked - last.at - waited
      val deleting      = (last.earliest - first.earliest) / (last.at - first.at + overdue)
      val reading       = (position - first.position).toDouble / (asked - first.at)
      val left          = position - last.earliest - deleting * waited
      Option.when(deleting > reading)(Math.max(0, left / (deleting - reading)))
        .filter(_ < Longest).map(asked + _.toLong)
    }
}
