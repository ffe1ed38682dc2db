package io.github.dynamickafka.spark.plan.filter

import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS

/** A condition on the rows of a batch read, about the place and the time of a record. Everything else is
  * [[RowFilter.Unknown]]. As in SQL it is true, false or null for a row, and the row is kept if it is true. These
  * columns are never null.
  */
sealed trait RowFilter extends Product with Serializable

object RowFilter {
  final case class OfText(column: TextColumn, test: TextTest) extends RowFilter {
    override def toString: String = s"$column $test"
  }

  /** A time is in microseconds since the epoch. */
  final case class OfNumber(column: NumberColumn, comparison: Comparison, value: Long) extends RowFilter {
    override def toString: String = s"$column $comparison ${column.shown(value)}"
  }

  final case class All(parts: Vector[RowFilter]) extends RowFilter {
    override def toString: String = parts.mkString("(", " AND ", ")")
  }

  final case class AnyOf(parts: Vector[RowFilter]) extends RowFilter {
    override def toString: String = if (parts.sizeIs > Shown) {
      parts.take(Shown).mkString("(", " OR ", s" OR … ${parts.size - Shown} more)")
    } else parts.mkString("(", " OR ", ")")
  }

  final case class Not(part: RowFilter) extends RowFilter {
    override def toString: String = s"NOT ($part)"
  }

  case object Always extends RowFilter
  case object Never  extends RowFilter

  /** A comparison with null: neither it nor its opposite is ever true. */
  case object Null extends RowFilter

  /** A condition that this source does not use. */
  case object Unknown extends RowFilter { override def toString: String = "?" }

  // How many alternatives a plan shows.
  private val Shown = 10
}

/** A column of text, which is the same for all rows of a topic of a cluster. */
sealed trait TextColumn extends Product with Serializable {
  override def toString: String = productPrefix.toLowerCase
}

object TextColumn {
  case object Cluster extends TextColumn
  case object Stream  extends TextColumn
  case object Topic   extends TextColumn
}

sealed trait NumberColumn extends Product with Serializable {
  def shown(value: Long): String = value.toString
  override def toString: String  = productPrefix.toLowerCase
}

object NumberColumn {
  case object Partition extends NumberColumn
  case object Offset    extends NumberColumn
  case object Timestamp extends NumberColumn {
    override def shown(micros: Long): String = Instant.EPOCH.plus(micros, MICROS).toString
  }
}

/** @param holds whether it is true of two values in this order: negative, zero or positive */
sealed abstract class Comparison(override val toString: String, val holds: Int => Boolean) extends Product
    with Serializable {
  import Comparison._

  /** The comparison that is true exactly if this one is false. */
  def opposite: Comparison = this match {
    case Equal    => NotEqual
    case NotEqual => Equal
    case Less     => AtLeast
    case AtMost   => Greater
    case Greater  => AtMost
    case AtLeast  => Less
  }

  /** The comparison with the same result when the two values are swapped. */
  def mirrored: Comparison = this match {
    case Less    => Greater
    case AtMost  => AtLeast
    case Greater => Less
    case AtLeast => AtMost
    case same    => same
  }
}

object Comparison {
  case object Equal    extends Comparison("=", _ == 0)
  case object NotEqual extends Comparison("<>", _ != 0)
  case object Less     extends Comparison("<", _ < 0)
  case object AtMost   extends Comparison("<=", _ <= 0)
  case object Greater  extends Comparison(">", _ > 0)
  case object AtLeast  extends Comparison(">=", _ >= 0)
}
