package io.github.dynamickafka.spark.offsets

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

/** With what the last batch of Real-Time Mode has begun. Spark logs the end of such a batch only once its tasks are over. So
  * what begins in it is kept beside the checkpoint before a record of it is read.
  *
  * @param batch none if nothing begins in it, or it can't begin again
  * @param realTime whether the newest batch is of this mode; false once a batch of another trigger may have followed
  */
final case class Begun(batch: Option[Begun.Batch], realTime: Boolean = true) {

  /** The offset with which the query begins if Spark starts from this one. */
  def from(start: SourceOffset): SourceOffset = batch.filter(_.startsAt(start)).fold(start)(_.offset)
}

object Begun {

  /** @param start the digest of the offset from which Spark starts it
    * @param offset the same offset, with all that begins in the batch, and nothing of it read
    */
  final case class Batch(start: String, offset: SourceOffset) {
    def startsAt(other: SourceOffset): Boolean = start == digest(other)
  }

  /** A batch begins.
    *
    * @param start the offset from which Spark starts it
    * @param offset the same, with all that begins in it
    */
  def of(start: SourceOffset, offset: SourceOffset): Begun =
    Begun(Option.when(offset != start)(Batch(digest(start), offset)))

  /** Distinguishes an offset from all others of the query, in few characters. */
  private[offsets] def digest(offset: SourceOffset): String =
    HexFormat.of.formatHex(MessageDigest.getInstance("SHA-256").digest(OffsetJson.write(offset).getBytes(UTF_8)))
}
