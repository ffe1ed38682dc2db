package io.github.dynamickafka.spark.options

import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetPoint, OffsetRule}

/** The starts and ends of a read that Spark's own Kafka source refuses before it asks a broker. */
private[options] object OneClusterBounds {

  /** @param starting by the options of Spark's own source, as `ending` */
  def problems(starting: Option[OffsetRule], ending: Option[OffsetRule], kind: ReadKind): Seq[OptionProblem] =
    kind match {
      case ReadKind.Streaming => ending.map(_ => OptionProblems.endingOfOneCluster).toSeq
      case ReadKind.Batch     =>
        found(starting, OffsetPoint.Latest, SourceOptions.StartingOffsets, "begin at `latest`").toSeq ++
          found(ending, OffsetPoint.Earliest, SourceOptions.EndingOffsets, "end at `earliest`") ++
          starting.zip(ending).flatMap { case (from, to) => unlike(one(from), one(to)) }
    }

  private def found(rule: Option[OffsetRule], point: OffsetPoint, option: SourceOption[_], what: String) =
    Option.when(rule.exists(_.points.contains(point)))(
      OptionProblem(option.key, s"option `${option.key}`: a batch read can't $what, not even in one partition")
    )

  private def one(rule: OffsetRule): Seq[ClusterRule] = rule.clusters.values.toSeq

  /** If both name partitions: why these differ, or which one begins after its end. */
  private def unlike(from: Seq[ClusterRule], to: Seq[ClusterRule]): Option[OptionProblem] = {
    val (begin, end) = (offsets(from), offsets(to))
    val lone         = (begin.keySet | end.keySet) -- (begin.keySet & end.keySet)
    val crossed      = begin.collectFirst {
      case (at, OffsetPoint.Exact(first)) if end.get(at).exists(isBefore(_, first)) => at
    }
    if (begin.isEmpty || end.isEmpty) None
    else lone.toSeq.sorted.headOption.map(at => problem(s"${text(at)} is in one of them alone"))
      .orElse(crossed.map(at => problem(s"${text(at)} would end before it begins")))
  }

  private def isBefore(end: OffsetPoint, first: Long): Boolean = end match {
    case OffsetPoint.Exact(last) => last < first
    case _                       => false
  }

  private def offsets(rules: Seq[ClusterRule]): Map[(String, Int), OffsetPoint] = (for {
    rule               <- rules
    (topic, own)       <- rule.topics
    (partition, point) <- own.partitions
  } yield (topic, partition) -> point).toMap

  private def text(at: (String, Int)): String = s"partition ${at._2} of topic ${at._1}"

  private def problem(why: String): OptionProblem = {
    val (from, to) = (SourceOptions.StartingOffsets.key, SourceOptions.EndingOffsets.key)
    OptionProblem(
      from,
      s"options `$from` and `$to`: $why; name the same partitions, each with an end that is not before its start"
    )
  }
}
