package io.github.dynamickafka.spark.status

/** Identifies one source of one query.
  *
  * @param id of the query, the same after each restart from its checkpoint
  * @param runId of this start
  * @param name the query's, if it has one
  * @param source the number of the source within the query, as in the checkpoint
  */
final case class QueryIdentity(id: String, runId: String, name: Option[String], source: String) {

  /** What people call it: its name, else its id. */
  def label: String = name.getOrElse(id)
}
