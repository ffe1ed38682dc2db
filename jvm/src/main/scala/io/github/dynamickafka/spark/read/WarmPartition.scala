package io.github.dynamickafka.spark.read

import java.util.{ArrayList => JArrayList, List => JList}

import org.apache.kafka.clients.consumer.OffsetAndMetadata

import io.github.dynamickafka.spark.columns.RecordBatch.Record
import io.github.dynamickafka.spark.read.WarmPartition.PutBack

/** One partition that a consumer is assigned, as a value.
  *
  * @param position the offset of what the next poll returns of it
  * @param reads whether the present task fetches it; if not, it is paused until a task reads it again
  * @param putBack what that poll returns, if it was fetched before; Kafka's consumer itself stands after it
  * @param held the bytes that were put back, if the consumer may hold anything of it from tasks before
  * @param polled the end of what the last poll returned of it; none if none did since the last seek
  */
final private[read] case class WarmPartition(
    position: Long,
    reads: Boolean = true,
    putBack: Option[PutBack] = None,
    held: Option[Long] = None,
    polled: Option[OffsetAndMetadata] = None
) {

  /** Whether the next poll returns what was put back. */
  def ready: Boolean = reads && putBack.isDefined

  /** A poll returned all before this offset. */
  def at(next: OffsetAndMetadata): WarmPartition =
    copy(position = next.offset, putBack = None, polled = Some(next))

  /** The present task reads it from where it stands. */
  def reading: WarmPartition = copy(reads = true)

  /** The present task has read it up to this offset.
    *
    * @param beyond all that the last poll brought from this offset on
    * @param held the bytes of these records, if anything is held of it from now on
    */
  def kept(until: Long, beyond: JList[Record], held: Option[Long]): WarmPartition =
    if (position <= until) copy(reads = false, held = held)
    else {
      // A copy, because the list would keep the records before it too.
      val back = PutBack(new JArrayList(beyond), polled.getOrElse(new OffsetAndMetadata(position)))
      copy(position = until, reads = false, putBack = Some(back), held = held)
    }
}

private[read] object WarmPartition {

  /** Records that the task did not need, for the next one.
    *
    * @param next where Kafka's consumer stands
    */
  final case class PutBack(records: JList[Record], next: OffsetAndMetadata)
}
