package io.github.dynamickafka.spark.spark

import munit.{FunSuite, Location}
import org.apache.spark.sql.connector.expressions.{Cast, Expression, Expressions, GeneralScalarExpression, Literal}
import org.apache.spark.sql.connector.expressions.filter.{AlwaysFalse, AlwaysTrue, And, Not, Or, Predicate}
import org.apache.spark.sql.types.{
  DataType,
  DataTypes,
  IntegerType,
  LongType,
  StringType,
  TimestampNTZType,
  TimestampType
}
import org.apache.spark.unsafe.types.UTF8String

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.plan.filter.RowFilter
import io.github.dynamickafka.spark.plan.filter.RowFilter.{Always, Never, Null, Unknown}

/** What is made of Spark's filters. */
class RowFiltersSuite extends FunSuite {
  private def column(name: String): Expression                = Expressions.column(name)
  private def literal(value: Any, kind: DataType): Literal[_] = new RowFiltersSuite.Value(value, kind)
  private def text(value: String): Literal[_]                 = literal(UTF8String.fromString(value), StringType)
  private def predicate(name: String, children: Expression*): Predicate = new Predicate(name, children.toArray)

  private val eu    = predicate("=", column("cluster"), text("eu"))
  private val later = predicate(">=", column("timestamp"), literal(1500000L, TimestampType))

  private def reads(expected: String, filter: Predicate)(implicit location: Location): Unit =
    test(s"understood: $filter")(assertEquals(RowFilters.of(filter).toString, expected))

  private def becomes(expected: RowFilter, filter: Predicate)(implicit location: Location): Unit =
    test(s"$expected: $filter")(assertEquals(RowFilters.of(filter), expected))

  reads("cluster = eu", eu)
  reads("stream <> s", predicate("<>", column("stream"), text("s")))
  reads("topic begins with ord", predicate("STARTS_WITH", column("topic"), text("ord")))
  reads("partition = 3", predicate("<=>", column("partition"), literal(3, IntegerType)))
  reads("offset < 5", predicate("<", column("offset"), literal(5L, LongType)))
  reads("offset > 5", predicate("<", literal(5L, LongType), column("offset")))
  reads("offset <= 5", predicate(">=", literal(5L, LongType), column("offset")))
  reads("timestamp >= 1970-01-01T00:00:01.500Z", later)
  reads("(cluster = eu AND timestamp >= 1970-01-01T00:00:01.500Z)", new And(eu, later))
  reads("(cluster = eu OR NOT (cluster = eu))", new Or(eu, new Not(eu)))
  reads("(cluster = eu OR cluster = us)", predicate("IN", column("cluster"), text("eu"), text("us")))
  reads(
    "(partition = 1 OR Null)",
    predicate("IN", column("partition"), literal(1, IntegerType), literal(null, IntegerType))
  )

  becomes(Null, predicate("=", column("cluster"), literal(null, StringType)))
  becomes(Never, predicate("<=>", column("cluster"), literal(null, StringType)))
  becomes(Never, predicate("IS_NULL", column("timestamp")))
  becomes(Always, predicate("IS_NOT_NULL", column("offset")))
  becomes(Always, new AlwaysTrue)
  becomes(Never, new AlwaysFalse)

  // What may mean anything.
  becomes(Unknown, predicate("=", column("value"), text("eu")))
  becomes(Unknown, predicate("IS_NULL", column("key")))
  becomes(Unknown, predicate("ENDS_WITH", column("cluster"), text("u")))
  becomes(Unknown, predicate("STARTS_WITH", column("value"), text("u")))
  becomes(Unknown, predicate("=", column("cluster"), column("topic")))
  becomes(Unknown, predicate("=", Expressions.column("headers.key"), text("eu")))
  becomes(Unknown, predicate("=", column("partition"), literal(3L, LongType)))
  becomes(Unknown, predicate(">=", column("timestamp"), literal(5L, LongType)))
  becomes(Unknown, predicate(">=", column("timestamp"), literal(5L, TimestampNTZType)))
  becomes(Unknown, predicate("BOOLEAN_EXPRESSION", column("cluster")))
  becomes(Unknown, predicate("=", new Cast(column("partition"), IntegerType, StringType), text("3")))
  becomes(Unknown, predicate("=", new GeneralScalarExpression("LOWER", Array(column("cluster"))), text("eu")))
  becomes(
    Unknown,
    predicate("=", column("cluster"), literal(UTF8String.fromString("EU"), DataTypes.createVarcharType(5)))
  )

  test("all filters are left for Spark to evaluate, and those that leave something out count as pushed") {
    val useless = predicate("<", column("timestamp"), literal(5L, TimestampType))
    val options = Map("metadataService" -> "x.Y", "streamIds" -> "orders")
    val builder = new DynamicKafkaScanBuilder(options, RowSchema.all)
    assertEquals(builder.pushPredicates(Array(eu, useless, later)).toVector, Vector(eu, useless, later))
    assertEquals(builder.pushedPredicates().toVector, Vector(eu, later))
    assertEquals(
      builder.build().description(),
      "dynamic-kafka streams orders, fetched where [cluster = eu, timestamp >= 1970-01-01T00:00:01.500Z]"
    )
  }
}

private object RowFiltersSuite {

  /** As Spark makes them; its own class can't be named. */
  final class Value(of: Any, kind: DataType) extends Literal[Any] {
    override def value: Any                  = of
    override def dataType: DataType          = kind
    override def children: Array[Expression] = Array.empty
    override def toString: String            = s"'$of'"
  }
}
