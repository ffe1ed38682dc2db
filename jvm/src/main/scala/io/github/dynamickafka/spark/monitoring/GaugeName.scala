package io.github.dynamickafka.spark.monitoring

import javax.management.ObjectName

import io.github.dynamickafka.spark.metrics.{ClusterCause, Metric}

/** One gauge, as it leaves Spark.
  *
  * @param ids what it describes: `query`, `source` and `cluster`, each with its id
  * @param name in snake case, with its base unit
  * @param mark which `state` or `cause` the gauge stands for. Such a gauge is always 1
  */
final private[monitoring] case class GaugeName(
    ids: Vector[(String, String)],
    name: String,
    mark: Option[String] = None
) {
  import GaugeName._

  /** In Spark's metrics system. */
  def path: String = (ids.map { case (of, id) => s"$of.${escaped(id)}" } ++ Vector(name) ++ mark).mkString(".")

  /** Of the management bean with this gauge as an attribute. Exporters make the name of a metric from the domain, the
    * first key and the attribute, and labels from the other keys.
    */
  def bean(application: String): ObjectName = {
    val of   = ids.map(_._1).filter(_ != "source").lastOption.getOrElse("application")
    val keys = ("application" -> application) +: (ids ++ mark.map(name -> _))
    new ObjectName(s"dynamic_kafka:type=$of," + keys.map { case (key, id) => s"$key=${quoted(id)}" }.mkString(","))
  }
}

private[monitoring] object GaugeName {
  private val Cluster   = """cluster\.(.+)\.\w+""".r // only ids have dots
  private val Condition = """\[DYNAMIC_KAFKA_([A-Z_]+)\]""".r

  /** The gauges of one metric of a progress event. Texts without a number, such as the last error, have none. */
  def of(source: Vector[(String, String)], key: String, value: String): Vector[GaugeName] = {
    val ids = source ++ Cluster.findFirstMatchIn(key).map("cluster" -> _.group(1))
    if (key.endsWith(".state")) Vector(GaugeName(ids, "state", Some(value)))
    else if (key.endsWith(".cause")) conditions(value).map(found => GaugeName(ids, "cause", Some(found)))
    else Metric.of(key).filter(_.number(value).nonEmpty).flatMap(_.gauge).map(GaugeName(ids, _)).toVector
  }

  /** Whether the gauges of a metric follow from its text, and not from its key alone. */
  def followsText(key: String): Boolean = key.endsWith(".state") || key.endsWith(".cause")

  /** ASCII letters and digits stay. Each other character becomes `_` and two hexadecimal digits, or `_u` and four. Names
    * in Prometheus can have no other characters, and Spark would turn them all into `_`. Words such as `cluster` between
    * ids cannot be taken for a part of one: none begins with two hexadecimal digits, or with `u` and four.
    */
  def escaped(id: String): String = id.flatMap {
    case c if c < 128 && c.isLetterOrDigit => c.toString
    case c if c < 256                      => f"_${c.toInt}%02x"
    case c                                 => f"_u${c.toInt}%04x"
  }

  // Quotes that are not needed would be a part of the label.
  private def quoted(id: String): String = if (id.exists(",=:\"*?\n".contains(_))) ObjectName.quote(id) else id

  private def conditions(cause: String): Vector[String] = {
    val open  = Option.when(cause.contains(ClusterCause.OpenTransaction))("OPEN_TRANSACTION")
    val found = Condition.findAllMatchIn(cause).map(_.group(1)).toVector.distinct ++ open
    if (found.isEmpty) Vector("OTHER") else found
  }
}
