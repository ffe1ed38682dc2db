package io.github.dynamickafka.spark.spark

import java.util.concurrent.atomic.AtomicReference

import scala.jdk.OptionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryTerminatedEvent

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.status.QueryState

/** Learns how a query has ended. A source learns from Spark only that it stops; what the query failed with, in a task or a sink
  * too, comes a little later as an event.
  */
final private[spark] class QueryEnd(runId: String, context: SparkContext) extends SparkListener with AutoCloseable {
  private val waiting = new AtomicReference[QueryState => Unit](_ => ())

  /** Calls this when the query has ended, on a thread of Spark's. */
  def await(ended: QueryState => Unit): Unit = {
    waiting.set(ended)
    context.addSparkListener(this)
  }

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case over: QueryTerminatedEvent if over.runId.toString == runId => waiting.get()(QueryEnd.state(over))
    case _                                                          => ()
  }

  override def close(): Unit = context.removeSparkListener(this)
}

private[spark] object QueryEnd {

  /** Only the name of the failure, and what it is about: its text may quote anything. */
  def state(over: QueryTerminatedEvent): QueryState = over.exception.fold[QueryState](QueryState.Stopped) { text =>
    DynamicKafkaException.find(new RuntimeException(text)).toScala
      .fold(QueryState.Failed(over.errorClassOnException))(QueryState.Failed.of)
  }
}
