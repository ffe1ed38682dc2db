package io.github.dynamickafka.spark.plan

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.LeftOverPolicy

/** One batch as it is planned.
  *
  * @param ranges what is read
  * @param abandoned the ranges that are not read, because the user has abandoned their clusters in this batch
  * @param recoveryAdvice what an error advises if a cluster of the batch can't be read again
  */
final case class PlannedBatch(
    ranges: Vector[OffsetRange],
    abandoned: SortedMap[ClusterId, Vector[OffsetRange]],
    recoveryAdvice: RecoveryAdvice
)

object PlannedBatch {

  /** @param tokens of the clusters that the user abandons; each fits one batch, and any other batch is read whole
    * @throws DynamicKafkaException see [[OffsetRanges.between]]
    */
  def between(start: SourceOffset, end: SourceOffset, tokens: Map[ClusterId, String]): PlannedBatch =
    of(OffsetRanges.between(start, end), end, tokens, LeftOverPolicy.Wait)

  /** @param ranges all that the batch still reads, which its tokens stand for
    * @param end of the batch
    */
  def of(
      ranges: Vector[OffsetRange],
      end: SourceOffset,
      tokens: Map[ClusterId, String],
      leftOver: LeftOverPolicy
  ): PlannedBatch = {
    val byCluster = ranges.groupBy(_.id.cluster)
    val own       = byCluster.map { case (id, here) => id -> BatchToken.of(id, here, end) }
    val abandoned = byCluster.filter { case (id, _) => tokens.get(id) == own.get(id) }.to(SortedMap)
    PlannedBatch(
      ranges.filterNot(range => abandoned.contains(range.id.cluster)),
      abandoned,
      RecoveryAdvice(own, abandoned.keySet.toSet, leftOver)
    )
  }
}
