package io.github.dynamickafka.spark.plan

/** One running executor. */
final case class Executor(id: String, host: String) {

  /** The text that Spark takes as a task's preferred location: this executor, or else another one on its host. None if
    * Spark could not find the host's name in such a text.
    */
  def location: Option[String] = Option.unless(host.contains('_'))(s"executor_${host}_$id")
}

object Executor {

  /** The order in which executors were added: Spark numbers them. */
  implicit val ordering: Ordering[Executor] = Ordering.by(one => (one.id.length, one.id, one.host))
}
