package io.github.dynamickafka.spark.plan

/** One executor that lives now. */
final case class Executor(id: String, host: String) {

  /** As Spark takes it for a task's preferred location: this executor, and for want of it another one of its host. None
    * for a host that Spark could not find again in that text.
    */
  def location: Option[String] = Option.unless(host.contains('_'))(s"executor_${host}_$id")
}

object Executor {

  /** In the order in which they came: Spark counts its executors. */
  implicit val ordering: Ordering[Executor] = Ordering.by(one => (one.id.length, one.id, one.host))
}
