package io.github.dynamickafka.spark.spark.lineage

import java.util
import java.util.{List => JList, Map => JMap}

import scala.annotation.unused
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.plans.QueryPlan

import io.github.dynamickafka.spark.spark.DynamicKafkaTable

/** Reports to OpenLineage's listener which topics a query reads. The listener calls these methods by their names, with
  * nodes of Spark's plans, and takes plain maps.
  */
final class LineageVisitor {
  import LineageVisitor._

  /** The listener asks for the root of a plan, and for the table of each batch read. */
  def isDefinedAt(node: Any): Boolean = node match {
    case plan: QueryPlan[_]   => reads(plan).nonEmpty && !askedForOutputs
    case _: DynamicKafkaTable => true
    case _                    => false
  }

  /** @param event the class of the event that the listener got */
  def apply(node: Any, @unused event: String): JMap[String, AnyRef] = {
    val topics = node match {
      case plan: QueryPlan[_] => reads(plan).flatMap(_.topicsRead).distinct
      // The root of its plan has reported it.
      case _ => Vector.empty
    }
    util.Map.of("datasets", topics.map(dataset).asJava, "delegateNodes", JList.of())
  }
}

private object LineageVisitor {

  /** All reads of this source in a plan, also in its commands and subqueries. */
  def reads(plan: QueryPlan[_]): Vector[ReadsTopics] =
    plan.productIterator.collect { case it: ReadsTopics => it }.toVector ++
      Vector[Iterable[Any]](plan.children, plan.innerChildren, plan.subqueries).flatten.flatMap {
        case part: QueryPlan[_] => reads(part)
        case _                  => Vector.empty
      }

  // The listener makes the same calls for a plan's inputs and for its outputs. Only its calling classes differ.
  private def askedForOutputs: Boolean = StackWalker.getInstance.walk[java.lang.Boolean](frames =>
    frames.limit(Depth).anyMatch(_.getClassName.endsWith("OutputDatasetBuilder"))
  )

  private val Depth = 50L

  /** By OpenLineage's convention for the names of Kafka's topics. The listener treats datasets of the same name as one,
    * unless their facets differ.
    */
  def dataset(read: ReadTopic): JMap[String, AnyRef] = {
    val server = s"kafka://${read.address}"
    val source = util.Map.of("_producer", Producer, "name", read.cluster.toString, "uri", server)
    util.Map.of(
      "namespace",
      server,
      "name",
      read.topic,
      "facets",
      util.Map.of("dataSource", source),
      "inputFacets",
      util.Map.of()
    )
  }

  private val Producer = "urn:dynamic-kafka-spark"
}
