package io.github.dynamickafka.spark.plan.filter

import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}

/** Where the rows that a filter keeps may be. It may include too much, but it never leaves out a row that the filter
  * keeps.
  *
  * Outline: for each part of a filter it finds the rows where the part may be true, and, below a `NOT`, those where it
  * may be false. Each result is one span of offsets and one lower bound of the times. For parts that must all hold, the
  * result is the intersection of the spans. For alternatives it is the smallest span that contains all of them. An
  * unknown part may be true or false anywhere. A part that is null for a row is neither.
  */
final class KeptRows(filter: RowFilter) {

  /** Whether it may leave anything out. */
  val fewer: Boolean = rows(filter, wanted = true, at = None) != Span.whole

  /** Where rows may be in a topic, or in one partition of it. None: nowhere. */
  def in(place: Place): Option[Span] = rows(filter, wanted = true, Some(place))

  // Without a place: the rows that are kept in every place.
  private def rows(filter: RowFilter, wanted: Boolean, at: Option[Place]): Option[Span] = filter match {
    case RowFilter.All(parts)       => if (wanted) together(parts, wanted, at) else either(parts, wanted, at)
    case RowFilter.AnyOf(parts)     => if (wanted) either(parts, wanted, at) else together(parts, wanted, at)
    case RowFilter.Not(part)        => rows(part, !wanted, at)
    case RowFilter.Always           => Span.whole.filter(_ => wanted)
    case RowFilter.Never            => Span.whole.filter(_ => !wanted)
    case RowFilter.Null             => None
    case RowFilter.Unknown          => Span.whole
    case RowFilter.OfText(of, test) =>
      Span.whole.filter(_ => at.exists(place => test.holds(place.text(of)) == wanted))
    case RowFilter.OfNumber(column, comparison, value) =>
      numbers(column, if (wanted) comparison else comparison.opposite, value, at)
  }

  private def numbers(column: NumberColumn, comparison: Comparison, value: Long, at: Option[Place]): Option[Span] =
    column match {
      case NumberColumn.Partition =>
        Span.whole.filter(_ => at.exists(_.partition.forall(here => comparison.holds(here.toLong.compare(value)))))
      case NumberColumn.Offset    => offsets(comparison, value)
      case NumberColumn.Timestamp =>
        comparison match {
          case Comparison.Equal | Comparison.AtLeast | Comparison.Greater if value >= 0 => Some(Span(since = value))
          // The records before a time may be anywhere in a partition.
          case _ => Span.whole
        }
    }

  private def offsets(comparison: Comparison, value: Long): Option[Span] = comparison match {
    case Comparison.Equal    => Some(Span(first = value, last = value))
    case Comparison.NotEqual => Span.whole
    case Comparison.AtLeast  => Some(Span(first = value))
    case Comparison.AtMost   => Some(Span(last = value))
    case Comparison.Greater  => Option.when(value < Long.MaxValue)(Span(first = value + 1))
    case Comparison.Less     => Option.when(value > Long.MinValue)(Span(last = value - 1))
  }

  private def together(parts: Vector[RowFilter], wanted: Boolean, at: Option[Place]): Option[Span] =
    parts.iterator.map(rows(_, wanted, at)).foldLeft(Span.whole)((all, here) =>
      all.flatMap(one => here.flatMap(one.and))
    )

  private def either(parts: Vector[RowFilter], wanted: Boolean, at: Option[Place]): Option[Span] =
    parts.iterator.flatMap(rows(_, wanted, at)).reduceOption(_ or _)
}

object KeptRows {

  /** All of them. */
  val everywhere: KeptRows = new KeptRows(RowFilter.Always)
}

/** A topic that a filter may leave out, or one partition of it. */
final case class Place(cluster: ClusterId, stream: StreamId, topic: String, partition: Option[Int] = None) {
  def text(column: TextColumn): String = column match {
    case TextColumn.Cluster => cluster.value
    case TextColumn.Stream  => stream.value
    case TextColumn.Topic   => topic
  }
}

/** Some rows of a partition.
  *
  * @param first the lowest offset that one may have
  * @param last the highest offset that one may have
  * @param since the earliest time that one may have, in microseconds since the epoch
  */
final case class Span(first: Long = Long.MinValue, last: Long = Long.MaxValue, since: Long = Long.MinValue) {

  /** The rows that are in both. */
  def and(other: Span): Option[Span] = {
    val both = Span(first.max(other.first), last.min(other.last), since.max(other.since))
    Option.when(both.first <= both.last)(both)
  }

  /** All rows that are in one of them, and all between them. */
  def or(other: Span): Span = Span(first.min(other.first), last.max(other.last), since.min(other.since))

  /** The earliest time in Kafka's milliseconds, rounded down. Kafka has no time before 1970: -1 means no time. */
  def sinceMillis: Option[Long] = Option.when(since >= 0)(since / 1000)
}

object Span {
  val whole: Option[Span] = Some(Span())
}
