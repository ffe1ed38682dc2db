package io.github.dynamickafka.spark.cli

import java.nio.{BufferUnderflowException, ByteBuffer}
import java.nio.charset.StandardCharsets.UTF_8

/** The key of a checkpoint of MirrorMaker 2.
  *
  * @param topic by its name on the target
  */
final private[cli] case class MirrorKey(group: String, topic: String, partition: Int)

/** The value of such a checkpoint.
  *
  * @param upstream what the group had committed on the source
  * @param offset the same on the target, or an offset before it
  */
final private[cli] case class MirrorCheckpoint(upstream: Long, offset: Long)

/** The records of MirrorMaker 2's topic of checkpoints, as `org.apache.kafka.connect.mirror.Checkpoint` writes them. Left:
  * why one can't be read.
  */
private[cli] object MirrorRecord {
  private val Known = 0

  /** The key, which has no version. */
  def key(bytes: Array[Byte]): Either[String, MirrorKey] =
    parsed(bytes)(in => Right(MirrorKey(text(in), text(in), in.getInt)))

  def value(bytes: Array[Byte]): Either[String, MirrorCheckpoint] = parsed(bytes) { in =>
    in.getShort.toInt match {
      case Known =>
        val checkpoint = MirrorCheckpoint(in.getLong, in.getLong)
        // The metadata of the group's commit.
        text(in): Unit
        Right(checkpoint)
      case other => Left(s"it has version $other, and this release knows $Known")
    }
  }

  private def parsed[A](bytes: Array[Byte])(parse: ByteBuffer => Either[String, A]): Either[String, A] =
    Option(bytes).toRight("it is empty").flatMap { there =>
      val in = ByteBuffer.wrap(there)
      try parse(in).filterOrElse(_ => !in.hasRemaining, s"${in.remaining} bytes are left over")
      catch { case _: BufferUnderflowException => Left("it is cut off") }
    }

  private def text(in: ByteBuffer): String = {
    val length = in.getShort.toInt
    if (length < 0) throw new BufferUnderflowException
    val bytes = new Array[Byte](length)
    in.get(bytes)
    new String(bytes, UTF_8)
  }
}
