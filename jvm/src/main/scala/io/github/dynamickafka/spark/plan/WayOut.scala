package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.{ClusterTokens, LeftOverPolicy, SourceOptions}

/** How to go on with a batch without clusters that can't be read again.
  *
  * @param tokens of each cluster that the batch reads
  * @param abandoned those given up already: a batch is given up by all their tokens together, start after start
  * @param leftOver whether the query waits for what can't be read now
  */
final case class WayOut(
    tokens: Map[ClusterId, String],
    abandoned: Set[ClusterId],
    leftOver: LeftOverPolicy = LeftOverPolicy.Wait
) {

  /** The options to set, the one that loses nothing first; none where there is no batch to be planned again. */
  def text(failed: Set[ClusterId]): Option[String] = giveUp(failed).map(WayOut.defer(leftOver) + _)

  /** The option to set, in the forms in which it is pasted. */
  def giveUp(failed: Set[ClusterId]): Option[String] = {
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

  private def defer(leftOver: LeftOverPolicy): String = leftOver match {
    case LeftOverPolicy.Defer => ""
    case LeftOverPolicy.Wait  =>
      s"To go on without that part, and read it once it can be, start the query again with ${SourceOptions.LeftOverPolicyOption.key}=defer; " +
        "for a cluster that is still listed that needs unavailableClusterPolicy=skip too. "
  }

  private val ConfigPrefix = "spark.datasource.dynamic-kafka."
}
