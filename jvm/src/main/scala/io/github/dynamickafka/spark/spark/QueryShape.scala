package io.github.dynamickafka.spark.spark

import scala.util.Try

/** What takes cores in a query beside the tasks of one source. In Real-Time Mode all of it runs at once.
  *
  * @param sources how many it reads, this one too
  * @param others how many tasks the stages after its shuffles have
  */
final private[spark] case class QueryShape(sources: Int, others: Long) {

  /** How many tasks each source may have on so many cores. */
  def tasks(cores: Int): Int = Math.max(1L, (cores - others) / sources.max(1)).toInt
}

private[spark] object QueryShape {

  /** Of the query whose thread this is; none if Spark does not say it.
    *
    * @param partitions of each shuffle
    */
  def of(thread: Thread, partitions: Int): Option[QueryShape] = for {
    execution <- QueryThread.execution(thread)
    plan      <- Try(Option(execution.getClass.getMethod("analyzedPlan").invoke(execution))).toOption.flatten
  } yield of(plan.toString, partitions)

  /** By the text of its plan, which has a line for each node. A `~` marks those that stream. */
  def of(plan: String, partitions: Int): QueryShape = {
    val nodes = plan.linesIterator.flatMap(Node.findFirstMatchIn(_)).map(_.group(1)).toVector
    QueryShape(nodes.count(_.startsWith("Streaming")), nodes.count(Shuffled).toLong * partitions)
  }

  private val Node     = """^[\s:|+-]*~(\w+)""".r
  private val Shuffled = Set(
    "Aggregate",
    "Deduplicate",
    "DeduplicateWithinWatermark",
    "Distinct",
    "FlatMapGroupsInPandasWithState",
    "FlatMapGroupsWithState",
    "Join",
    "Repartition",
    "RepartitionByExpression",
    "TransformWithState",
    "TransformWithStateInPandas",
    "TransformWithStateInPySpark"
  )
}
