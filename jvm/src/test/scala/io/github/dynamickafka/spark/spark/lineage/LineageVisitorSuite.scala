package io.github.dynamickafka.spark.spark.lineage

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LocalRelation, LogicalPlan, Union}

import io.github.dynamickafka.spark.driver.bounded.BoundedRead
import io.github.dynamickafka.spark.driver.memory.DriverState
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What the listener gets of a plan. That a real listener takes it is shown by `tests/scenarios/test_lineage.py`. */
class LineageVisitorSuite extends FunSuite {
  private val orders  = ReadTopic(ClusterId("eu-1"), "b1:9092", "orders")
  private val mirror  = orders.copy(cluster = ClusterId("us-1"), address = "u1:9092")
  private val visitor = new LineageVisitor

  private def plan(topics: ReadTopic*): LogicalPlan = LineageVisitorSuite.Node(new ReadsTopics {
    override def topicsRead: Vector[ReadTopic] = topics.toVector
  })

  private def datasets(node: Any): Vector[(Any, Any, Any)] =
    visitor.apply(node, "event").get("datasets").asInstanceOf[java.util.List[java.util.Map[String, Any]]].asScala.map {
      one =>
        val facets = one.get("facets").asInstanceOf[java.util.Map[String, java.util.Map[String, Any]]]
        (one.get("namespace"), one.get("name"), facets.get("dataSource").get("name"))
    }.toVector

  test("all topics of a plan, each once, with the id of its cluster") {
    val both = Union(Seq(plan(orders), Union(Seq(plan(orders, mirror), LocalRelation(Nil)))))
    assert(visitor.isDefinedAt(both))
    assertEquals(
      datasets(both),
      Vector[(Any, Any, Any)](("kafka://b1:9092", "orders", "eu-1"), ("kafka://u1:9092", "orders", "us-1"))
    )
  }

  test("a plan without this source is none of ours, and neither is what a plan writes") {
    assert(!visitor.isDefinedAt(LocalRelation(Nil)))
    assert(!visitor.isDefinedAt("text"))
    assert(!new LineageVisitorSuite.SomeOutputDatasetBuilder().asks(visitor, plan(orders)))
  }

  test("a batch read reports what it reads, and of an address the host and the port alone") {
    val range      = OffsetRange(PartitionId(ClusterId("eu-1"), "orders", 0), 0, 5, StreamId("s"))
    val connection = new ConnectionSettings(Map("bootstrap.servers" -> "SASL_SSL://b1:9092,b2:9092", "x" -> "s3cret"))
    val read       =
      BoundedRead(Vector(range, range.copy(id = range.id.copy(partition = 1))), Map(ClusterId("eu-1") -> connection))
    assertEquals(ReadTopic.of(read), Vector(orders))
  }

  test("a query without a step reads nothing yet") {
    assertEquals(ReadTopic.of(DriverState()), Vector.empty)
  }

  test("the provider names the visitor, and without it a class that is defined nowhere") {
    assertEquals(new LineageProvider().getVisitorClassName, classOf[LineageVisitor].getName)
    val blind = LineageProvider.visitor(ClassLoader.getPlatformClassLoader)
    val empty = Class.forName(blind).getDeclaredConstructor().newInstance()
    val ask   = empty.getClass.getMethod("isDefinedAt", classOf[Object])
    assertEquals(ask.invoke(empty, plan(orders)), false: Any)
  }
}

private object LineageVisitorSuite {
  final case class Node(stream: ReadsTopics) extends LeafNode {
    override def output: Seq[Attribute] = Nil
  }

  final class SomeOutputDatasetBuilder {
    def asks(visitor: LineageVisitor, plan: LogicalPlan): Boolean = visitor.isDefinedAt(plan)
  }
}
