package io.github.dynamickafka.spark.spark

import org.apache.spark.sql.connector.expressions.{Expression, Literal, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.{AlwaysFalse, AlwaysTrue, And, Not, Or, Predicate}
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StringType, TimestampType}

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.plan.filter.{Comparison, NumberColumn, RowFilter, TextColumn, TextTest}
import io.github.dynamickafka.spark.plan.filter.Comparison._

/** Translates Spark's filters. It supports comparisons of this source's plain columns with a value of the same type.
  * Everything that is cast, computed or has another collation is unknown.
  */
private[spark] object RowFilters {
  private val texts: Map[String, TextColumn] = Map(
    RowSchema.Cluster -> TextColumn.Cluster,
    RowSchema.Stream  -> TextColumn.Stream,
    RowSchema.Topic   -> TextColumn.Topic
  )

  private val numbers: Map[String, (NumberColumn, DataType)] = Map(
    RowSchema.Partition -> (NumberColumn.Partition -> IntegerType),
    RowSchema.Offset    -> (NumberColumn.Offset    -> LongType),
    RowSchema.Timestamp -> (NumberColumn.Timestamp -> TimestampType)
  )

  // Spark and `Comparison` write them as SQL does.
  private val comparisons: Map[String, Comparison] =
    Vector(Equal, NotEqual, Less, AtMost, Greater, AtLeast).map(one => one.toString -> one).toMap + ("<=>" -> Equal)

  def of(predicate: Predicate): RowFilter = predicate match {
    case both: And      => RowFilter.All(Vector(of(both.left), of(both.right)))
    case either: Or     => RowFilter.AnyOf(Vector(of(either.left), of(either.right)))
    case not: Not       => RowFilter.Not(of(not.child))
    case _: AlwaysTrue  => RowFilter.Always
    case _: AlwaysFalse => RowFilter.Never
    case other          => leaf(other.name, other.children.toVector)
  }

  private def leaf(name: String, children: Vector[Expression]): RowFilter = (name, children) match {
    case ("IS_NULL", Vector(Column(column))) if known(column)     => RowFilter.Never
    case ("IS_NOT_NULL", Vector(Column(column))) if known(column) => RowFilter.Always
    case ("IN", Column(column) +: values)                         =>
      RowFilter.AnyOf(values.map(compared(column, name = "=", Equal, _)))
    case ("STARTS_WITH", Vector(Column(column), value)) =>
      (texts.get(column), value) match {
        case (Some(text), Text(part)) => RowFilter.OfText(text, TextTest.BeginsWith(part))
        case _                        => RowFilter.Unknown
      }
    case (_, Vector(Column(column), value)) =>
      comparisons.get(name).fold[RowFilter](RowFilter.Unknown)(compared(column, name, _, value))
    case (_, Vector(value, Column(column))) =>
      comparisons.get(name).fold[RowFilter](RowFilter.Unknown)(it => compared(column, name, it.mirrored, value))
    case _ => RowFilter.Unknown
  }

  private def known(column: String): Boolean = texts.contains(column) || numbers.contains(column)

  private def compared(column: String, name: String, comparison: Comparison, value: Expression): RowFilter =
    value match {
      // `<=>` is the only comparison with null whose result is not null. These columns are never null.
      case literal: Literal[_] if literal.value == null && known(column) =>
        if (name == "<=>") RowFilter.Never else RowFilter.Null
      case literal: Literal[_] =>
        val ofText = for {
          text <- texts.get(column)
          it   <- Text.unapply(literal)
        } yield RowFilter.OfText(text, TextTest.Compared(comparison, it))
        val ofNumber = for {
          (number, kind) <- numbers.get(column) if literal.dataType == kind
          it             <- whole(literal.value)
        } yield RowFilter.OfNumber(number, comparison, it)
        ofText.orElse(ofNumber).getOrElse(RowFilter.Unknown)
      case _ => RowFilter.Unknown
    }

  private def whole(value: Any): Option[Long] = value match {
    case int: Int   => Some(int.toLong)
    case long: Long => Some(long)
    case _          => None
  }

  private object Column {
    def unapply(expression: Expression): Option[String] = expression match {
      case reference: NamedReference if reference.fieldNames.length == 1 => Some(reference.fieldNames.head)
      case _                                                             => None
    }
  }

  private object Text {

    /** A text that is compared byte by byte. A type with a collation does not match. */
    def unapply(expression: Expression): Option[String] = expression match {
      case literal: Literal[_] if literal.dataType == StringType => Option(literal.value).map(_.toString)
      case _                                                     => None
    }
  }
}
