package io.github.dynamickafka.spark.monitoring

import java.time.Instant

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent

/** Takes the watermark of each query from its progress, because a source does not see it. The bus of the application
  * has the events of all its sessions, and of those that come later. A `StreamingQueryListener` has those of one session.
  */
final private[monitoring] class WatermarkListener(gauges: ApplicationGauges) extends SparkListener {
  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case progressed: QueryProgressEvent =>
      val progress = progressed.progress
      Option(progress.eventTime.get("watermark")).foreach { text =>
        gauges.watermark(progress.runId.toString, Instant.parse(text))
      }
    case _ => ()
  }
}
