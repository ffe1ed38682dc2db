package io.github.dynamickafka.spark.read

import java.util.{ArrayList => JArrayList, List => JList}

import org.apache.kafka.clients.consumer.OffsetAndMetadata

import io.github.dynamickafka.spark.columns.RecordBatch.Record
import io.github.dynamickafka.spark.read.WarmPartition.{PutBack, Reading, Use}

/** One partition that a consumer is assigned, as a value.
  *
  * @param position the offset of what the next poll returns of it
  * @param putBack what that poll returns, where it was fetched before; Kafka's consumer itself stands behind it
  * @param held the most bytes that the consumer holds of it from tasks before
  * @param polled the end of what the last poll returned of it, if any did since it was sought
  */
final private[read] case class WarmPartition(
    position: Long,
    use: Use = Reading,
    putBack: Option[PutBack] = None,
    held: Long = 0,
    polled: Option[OffsetAndMetadata] = None
) {

  /** Whether the next poll returns what was put back. */
  def ready: Boolean = reads && putBack.isDefined

  def reads: Boolean = use == Reading

  /** A poll returned all before this offset. */
  def at(next: OffsetAndMetadata): WarmPartition =
    copy(position = next.offset, putBack = None, polled = Some(next))

  /** The present task reads it from where it stands. */
  def reading: WarmPartition = copy(use = Reading)

  /** The present task has read it up to this offset.
    *
    * @param beyond all that the last poll brought from this offset on
    * @param held the most bytes that are held of it from now on
    */
  def kept(until: Long, beyond: JList[Record], held: Long): WarmPartition =
    if (position <= until) copy(use = WarmPartition.Kept, held = held)
    else {
      // A copy, because the list would keep the records before it too.
      val back = PutBack(new JArrayList(beyond), polled.getOrElse(new OffsetAndMetadata(position)))
      copy(position = until, use = WarmPartition.Kept, putBack = Some(back), held = held)
    }
}

private[read] object WarmPartition {

  /** What the present task does with it. */
  sealed trait Use

  /** It is fetched. */
  case object Reading extends Use

  /** It is paused: nothing of it comes until a task reads it again. */
  case object Kept extends Use

  /** Records that the task did not need, for the next one.
    *
    * @param next where Kafka's consumer stands
    */
  final case class PutBack(records: JList[Record], next: OffsetAndMetadata)
}
