package io.github.dynamickafka.spark.spark

import org.apache.spark.SparkContext

import io.github.dynamickafka.spark.metadata.CallingQuery
import io.github.dynamickafka.spark.status.QueryIdentity

/** The query on whose thread this is called. Spark gives a source no object for it. But it sets local properties for the jobs
  * of that thread: the query's id, the run id as the job group, and the name as the first line of the job description.
  */
private[spark] object RunningQuery {

  /** None outside of a query. */
  def of(context: SparkContext, files: CheckpointFiles): Option[CallingQuery] = for {
    id    <- Option(context.getLocalProperty("sql.streaming.queryId"))
    runId <- Option(context.getLocalProperty("spark.jobGroup.id"))
  } yield {
    val description = Option(context.getLocalProperty("spark.job.description")).getOrElse("")
    CallingQuery(QueryIdentity(id, runId, name(description, id), files.source), files.versions)
  }

  /** The number of the batch that it plans; none outside of a batch. */
  def batch(context: SparkContext): Option[Long] =
    Option(context.getLocalProperty("streaming.sql.batchId")).flatMap(_.toLongOption)

  /** The name in `orders<br/>\nid = …<br/>\nrunId = …`, if the query has one. */
  private[spark] def name(description: String, id: String): Option[String] = {
    val before = description.indexOf(s"id = $id")
    Option.when(before > 0)(description.take(before).trim.stripSuffix("<br/>").trim).filter(_.nonEmpty)
  }
}
