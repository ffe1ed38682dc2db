package io.github.dynamickafka.spark.backlog

/** Records of one partition that are written and not read, as its cluster last reported them. Times are in
  * milliseconds since the epoch, because there may be a hundred thousand of these.
  *
  * @param end the offset after the last one that the query is to read
  * @param asked when the brokers were asked for it
  * @param first when they were first asked about this partition
  * @param noneAt a time before which all was written that has been read to the end: the partition had no such records
  * @param lastTime the timestamp of the last record that was read
  * @param lostAt when retention will delete some of them, as far as is known
  */
final case class PartitionBacklog(
    end: Long,
    asked: Long,
    first: Long,
    noneAt: Option[Long],
    lastTime: Option[Long],
    deletions: Deletions,
    lostAt: Option[Long]
) {

  /** Since when they may have waited. If nothing is known of the time before, since they were first seen. */
  def since: Long = {
    val known = Math.max(noneAt.getOrElse(Long.MinValue), lastTime.getOrElse(Long.MinValue))
    if (known == Long.MinValue) first else known
  }

  /** After one more ask, by which there are such records.
    *
    * @param position the next offset to read
    */
  def again(end: Long, at: Long, earliest: Long, position: Long): PartitionBacklog =
    if (this.end > position) {
      val now = deletions.asked(at, earliest, position)
      copy(end = end, asked = at, deletions = now, lostAt = RetentionForecast.at(now, position, at))
    } else PartitionBacklog(end, at, first, noneAt = Some(asked), lastTime = None, Deletions(earliest), lostAt = None)

  /** After a batch whose last record of this partition has this timestamp. No record was written after the ask that
    * reported it, whatever its producer's clock says.
    */
  def read(time: Long): PartitionBacklog = copy(lastTime = Some(Math.min(time, asked)))
}

object PartitionBacklog {

  /** At the first ask that reports such records.
    *
    * @param noneAt when an ask before reported that there were none
    * @param lastTime the timestamp of the last record that was read before any ask
    */
  def begun(
      end: Long,
      at: Long,
      earliest: Long,
      position: Long,
      noneAt: Option[Long],
      lastTime: Option[Long]
  ): PartitionBacklog = {
    val deletions = Deletions(earliest)
    val time      = lastTime.map(Math.min(_, at))
    PartitionBacklog(end, at, at, noneAt, time, deletions, RetentionForecast.at(deletions, position, at))
  }
}
