package io.github.dynamickafka.spark.status

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.offsets.OffsetJson
import io.github.dynamickafka.spark.plan.OffsetRanges
import io.github.dynamickafka.spark.reconcile.ManyHistories

/** Histories in which a cluster is switched off once it is not needed, and the query does not notice. */
trait SwitchedOffHistories extends ManyHistories {

  /** What follows, with the cluster and without it: the same, and nothing is read of it.
    *
    * @param dark the same move, in which the cluster does not answer
    */
  protected def switchedOff[R, M](cluster: String, from: R, rest: List[M], query: R => Query)(after: (R, M) => R)(
      dark: M => M
  ): Unit =
    rest.foldLeft((from, from)) { case ((on, off), move) =>
      val (later, without) = (after(on, move), after(off, dark(move)))
      assertEquals(OffsetJson.write(query(without).held), OffsetJson.write(query(later).held), s"$cluster is off")
      val read = OffsetRanges.between(query(off).held, query(without).held)
      assertEquals(read.filter(_.id.cluster.value == cluster), Vector.empty)
      (later, without)
    }: Unit
}
