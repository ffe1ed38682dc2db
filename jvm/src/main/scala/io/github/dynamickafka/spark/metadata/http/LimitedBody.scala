package io.github.dynamickafka.spark.metadata.http

import java.io.ByteArrayOutputStream
import java.net.http.HttpResponse.{BodyHandler, BodySubscriber}
import java.nio.ByteBuffer
import java.util.{List => JList}
import java.util.concurrent.{CompletableFuture, CompletionStage}
import java.util.concurrent.Flow.Subscription
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

/** Collects a body up to a limit. If there is more, the rest is not read, and `beyond` is the result.
  *
  * Java 17 has no such limit of its own.
  */
final private class LimitedBody(limit: Int, beyond: => Either[Throwable, Array[Byte]])
    extends BodySubscriber[Array[Byte]] {
  private val result       = new CompletableFuture[Array[Byte]]
  private val bytes        = new ByteArrayOutputStream
  private val subscription = new AtomicReference[Subscription]

  override def getBody: CompletionStage[Array[Byte]] = result

  override def onSubscribe(started: Subscription): Unit = {
    subscription.set(started)
    started.request(Long.MaxValue)
  }

  // The client calls these one after the other.
  override def onNext(parts: JList[ByteBuffer]): Unit = if (!result.isDone) {
    if (bytes.size.toLong + parts.asScala.map(_.remaining.toLong).sum > limit) {
      subscription.get.cancel()
      beyond.fold(result.completeExceptionally, result.complete): Unit
    } else parts.forEach { part =>
      val piece = new Array[Byte](part.remaining)
      part.get(piece)
      bytes.write(piece, 0, piece.length)
    }
  }

  override def onError(thrown: Throwable): Unit = result.completeExceptionally(thrown): Unit

  override def onComplete(): Unit = result.complete(bytes.toByteArray): Unit
}

private[http] object LimitedBody {
  // The body of an error answer is not shown, so a long one is not read to its end.
  private val OfErrors = 64 * 1024

  /** The body of an answer 200, or a failure if it is larger. Bodies of other answers are not used. */
  def handler(limit: Int, tooLarge: => Throwable): BodyHandler[Array[Byte]] = head =>
    if (head.statusCode == 200) new LimitedBody(limit, Left(tooLarge))
    else new LimitedBody(OfErrors, Right(Array.emptyByteArray))
}
