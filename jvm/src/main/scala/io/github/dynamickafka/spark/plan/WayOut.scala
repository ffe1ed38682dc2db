package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.{ClusterTokens, SourceOptions}

/** How to go on with a batch without clusters that can't be read again.
  *
  * @param tokens of each cluster that the batch reads
  * @param abandoned those given up already: a batch is given up by all their tokens together, start after start
  */
final case class WayOut(tokens: Map[ClusterId, String], abandoned: Set[ClusterId]) {

  /** The option to set, in the forms in which it is pasted; none where there is no batch to be planned again. */
  def text(failed: Set[ClusterId]): Option[String] = {
    val named  = tokens.filter { case (id, _) => abandoned(id) || failed(id) }
    val json   = ClusterTokens.text(named)
    val key    = SourceOptions.AbandonClusters.key
    val python = json.replace("\\", "\\\\").replace("'", "\\'")
    Option.when(failed.exists(tokens.contains))(
      "To give up for good all that this batch has of " + clusters(failed) + ", start the query again with " +
        s"--conf '${WayOut.ConfigPrefix}$key=${json.replace("'", "'\\''")}', or .option(\"$key\", '$python'), " +
        s"or .abandon_clusters($json)."
    )
  }

  private def clusters(failed: Set[ClusterId]): String =
    failed.toVector.sorted.mkString(if (failed.sizeIs == 1) "cluster " else "clusters ", ", ", "")
}

object WayOut {
  val none: WayOut = WayOut(Map.empty, Set.empty)

  private val ConfigPrefix = "spark.datasource.dynamic-kafka."
}
