package io.github.dynamickafka.spark.offsets

/** A place in a partition that its brokers can turn into an offset. */
sealed trait AskedPoint extends Product with Serializable

/** The offset up to which a log is unchanged since a position was set: the position itself, unless the log was cut
  * below it. None if the brokers can't say.
  *
  * @param epoch the leader epoch of the answer that set the position
  * @param leader that of the leader whose log it is; what an earlier one says does not count
  */
final case class LogAgreement(position: Long, epoch: Int, leader: Int) extends AskedPoint

/** A place in a partition, as options and metadata give it. */
sealed trait OffsetPoint extends AskedPoint {

  /** The points that only brokers can turn into offsets: this one, and those it falls back on. */
  def asked: Vector[OffsetPoint] = this match {
    case OffsetPoint.Timestamp(_)            => Vector(this)
    case OffsetPoint.Committed(_, otherwise) => this +: otherwise.asked
    case _                                   => Vector.empty
  }
}

object OffsetPoint {
  case object Earliest extends OffsetPoint
  case object Latest   extends OffsetPoint

  /** The first record at or after this time; the end where there is none. Milliseconds since the epoch. */
  final case class Timestamp(ms: Long) extends OffsetPoint

  /** What a consumer group has committed; where it has committed nothing, the other point. */
  final case class Committed(group: String, otherwise: OffsetPoint) extends OffsetPoint

  /** One offset. Only a partition can be given one. */
  final case class Exact(offset: Long) extends OffsetPoint
}
