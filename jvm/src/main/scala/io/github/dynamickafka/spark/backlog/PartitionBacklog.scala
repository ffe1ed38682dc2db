package io.github.dynamickafka.spark.backlog

/** The unread records of one partition, as its cluster last reported them. Times are milliseconds since the epoch: numbers
  * take less memory than objects, and there may be a hundred thousand of these values.
  *
  * @param end the end offset of the unread records, exclusive
  * @param asked when the brokers were asked for `end`
  * @param first when unread records were first reported
  * @param caughtUpAt a time of an earlier report. All records that were written before it are read
  * @param lastTime the timestamp of the last record that was read
  * @param lostAt when retention is expected to delete unread records, if that is known
  */
final case class PartitionBacklog(
    end: Long,
    asked: Long,
    first: Long,
    caughtUpAt: Option[Long],
    lastTime: Option[Long],
    deletions: Deletions,
    lostAt: Option[Long]
) {

  /** Since when the oldest of them may have waited. If `caughtUpAt` and `lastTime` are unknown, since they were first
    * reported.
    */
  def since: Long = {
    val known = Math.max(caughtUpAt.getOrElse(Long.MinValue), lastTime.getOrElse(Long.MinValue))
    if (known == Long.MinValue) first else known
  }

  /** After another report of unread records.
    *
    * @param position the next offset to read
    */
  def reported(end: Long, at: Long, earliest: Long, position: Long): PartitionBacklog =
    if (this.end > position) {
      val now = deletions.asked(at, earliest, position)
      copy(end = end, asked = at, deletions = now, lostAt = RetentionForecast.at(now, position, at))
    } else
      PartitionBacklog(end, at, first, caughtUpAt = Some(asked), lastTime = None, Deletions(earliest), lostAt = None)

  /** After a batch.
    *
    * @param time the timestamp of its last record of this partition. The record was written before the brokers reported it,
    *             even if the producer's clock was ahead
    */
  def read(time: Long): PartitionBacklog = copy(lastTime = Some(Math.min(time, asked)))
}

object PartitionBacklog {

  /** At the first report of unread records.
    *
    * @param caughtUpAt the time of an earlier report without unread records
    * @param lastTime the timestamp of the last record that was read before any report
    */
  def begun(
      end: Long,
      at: Long,
      earliest: Long,
      position: Long,
      caughtUpAt: Option[Long],
      lastTime: Option[Long]
  ): PartitionBacklog = {
    val deletions = Deletions(earliest)
    val time      = lastTime.map(Math.min(_, at))
    PartitionBacklog(end, at, at, caughtUpAt, time, deletions, RetentionForecast.at(deletions, position, at))
  }
}
