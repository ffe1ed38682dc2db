package io.github.dynamickafka.spark.read

import scala.util.control.NonFatal

import org.apache.spark.SparkContext

import io.github.dynamickafka.spark.errors.DynamicKafkaException

/** A failure of a task in a form that the driver can always read.
  *
  * Spark sends the exception itself. If the jar was added to a running session, the driver's thread that receives the
  * exception knows neither our classes nor those of Kafka's client, and Spark would report only `UnknownReason`. So the
  * exception is replaced by classes of Spark or Java, with the same texts, causes and stack traces.
  */
private[read] object TaskFailure {

  /** @throws Throwable what the call throws, in a readable form */
  def readably[A](call: => A): A =
    try call
    catch { case NonFatal(e) => throw readable(e)(isSparks) }

  /** The exception itself, if Spark knows its class and those of its causes; otherwise a copy of Java's classes.
    *
    * @param known whether Spark knows a class
    */
  def readable(e: Throwable)(known: Class[_] => Boolean): Throwable =
    if (chain(e).forall(link => known(link.getClass) && link.getSuppressed.forall(one => known(one.getClass)))) e
    else copy(e)

  private def copy(e: Throwable): Throwable = {
    val cause = Option(e.getCause).map(copy).orNull
    // Our own exception is an IllegalArgumentException already.
    val copied = e match {
      case ours: DynamicKafkaException => new IllegalArgumentException(ours.getMessage, cause)
      case other                       => new RuntimeException(other.toString, cause)
    }
    copied.setStackTrace(e.getStackTrace)
    copied
  }

  private def chain(e: Throwable): Iterator[Throwable] = Iterator.iterate(e)(_.getCause).takeWhile(_ != null)

  private def isSparks(kind: Class[_]): Boolean = {
    val loader = kind.getClassLoader
    loader == null || loader == ClassLoader.getPlatformClassLoader || loader == classOf[SparkContext].getClassLoader
  }
}
