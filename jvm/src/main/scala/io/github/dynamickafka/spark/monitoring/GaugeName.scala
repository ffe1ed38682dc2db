package io.github.dynamickafka.spark.monitoring

import io.github.dynamickafka.spark.metrics.ClusterCause

/** One gauge, below the name of its source. */
sealed abstract private[monitoring] class GaugeName extends Product with Serializable {
  def name: String
}

private[monitoring] object GaugeName {

  /** Shows the number of a metric. */
  final case class Figure(name: String) extends GaugeName

  /** Says that something is so: its value is 1 as long as the gauge is there. */
  final case class Mark(name: String) extends GaugeName

  private val Cluster   = "cluster."
  private val Condition = """\[DYNAMIC_KAFKA_([A-Z_]+)\]""".r

  /** The gauges of one metric of a progress event. Texts without a number, such as the last error, have none.
    *
    * @param key of the metric: `cluster.<id>.<name>`, or a name alone. Only ids have dots
    */
  def of(key: String, value: String): Vector[GaugeName] = {
    val last = key.lastIndexOf('.')
    if (!key.startsWith(Cluster) || last < Cluster.length) figure(key, value)
    else {
      val (id, metric) = (escaped(key.slice(Cluster.length, last)), key.drop(last + 1))
      metric match {
        case "state" => Vector(Mark(s"$Cluster$id.state.$value"))
        case "cause" => conditions(value).map(condition => Mark(s"$Cluster$id.cause.$condition"))
        case _       => figure(s"$Cluster$id.$metric", value)
      }
    }
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

  def number(text: String): Option[Number] =
    text.toLongOption.map(Long.box(_): Number).orElse(text.toDoubleOption.filter(_.isFinite).map(Double.box(_): Number))

  private def figure(name: String, value: String): Vector[GaugeName] = number(value).map(_ => Figure(name)).toVector

  private def conditions(cause: String): Vector[String] = {
    val open  = Option.when(cause.contains(ClusterCause.OpenTransaction))("OPEN_TRANSACTION")
    val found = Condition.findAllMatchIn(cause).map(_.group(1)).toVector.distinct ++ open
    if (found.isEmpty) Vector("OTHER") else found
  }
}
