package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.errors.{Named, Say, Wording}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.{ClusterTokens, LeftOverPolicy, SourceOptions}

/** What an error advises for a batch if one of its clusters can't be read again: the options to set.
  *
  * @param tokens of each cluster that the batch reads
  * @param abandoned the clusters that are abandoned already: each start needs all their tokens together
  * @param leftOver whether the query waits for what can't be read now
  */
final case class RecoveryAdvice(
    tokens: Map[ClusterId, String],
    abandoned: Set[ClusterId],
    leftOver: LeftOverPolicy = LeftOverPolicy.Wait
) {

  /** The options to set, first the one that loses nothing. None where no batch is planned again. */
  def text(failed: Set[ClusterId]): Option[Wording] =
    giveUp(failed).map(out => say"${RecoveryAdvice.defer(leftOver)}$out")

  /** The option to set, in each form in which it can be pasted. */
  def giveUp(failed: Set[ClusterId]): Option[Wording] = {
    val named  = tokens.filter { case (id, _) => abandoned(id) || failed(id) }
    val json   = ClusterTokens.text(named)
    val key    = SourceOptions.AbandonClusters.key
    val python = json.replace("\\", "\\\\").replace("'", "\\'")
    Option.when(failed.exists(tokens.contains))(
      say"To abandon for good what this batch reads of ${clusters(failed)}, start the query again with " +
        s"--conf '${RecoveryAdvice.ConfigPrefix}$key=${json.replace("'", "'\\''")}', or .option(\"$key\", '$python'), " +
        say"or .abandon_clusters(${Named.tokens(json, named)})."
    )
  }

  private def clusters(failed: Set[ClusterId]): Wording =
    say"${if (failed.sizeIs == 1) "cluster" else "clusters"} ${Wording.list(failed.toVector.sorted)}"
}

object RecoveryAdvice {
  val none: RecoveryAdvice = RecoveryAdvice(Map.empty, Set.empty)

  private def defer(leftOver: LeftOverPolicy): String = leftOver match {
    case LeftOverPolicy.Defer => ""
    case LeftOverPolicy.Wait  =>
      s"To go on without that part now, and read it later, start the query again with " +
        s"${SourceOptions.LeftOverPolicyOption.key}=defer. Where the cluster is still listed, set " +
        "unavailableClusterPolicy=skip too. "
  }

  private val ConfigPrefix = "spark.datasource.dynamic-kafka."
}
