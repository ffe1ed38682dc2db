package io.github.dynamickafka.spark.read.realtime

import java.lang.{Long => JLong}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.streaming.{PartitionOffset, SupportsRealTimeRead}
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead.RecordStatus

import io.github.dynamickafka.spark.read.TaskFailure

/** The reader of one real-time task, as Spark 4.2 and later call it. Its class is loaded only there. */
final private[realtime] class RealTimeReader(task: RealTimeTask) extends SupportsRealTimeRead[InternalRow] {
  import RealTimeReader._

  /** @param start when Spark's clock was read, in milliseconds
    * @param timeout how long until the batch ends by its time, in milliseconds
    */
  override def nextWithTimeout(start: JLong, timeout: JLong): RecordStatus =
    if (TaskFailure.readably(task.next(timeout))) Found else Over

  /** Spark asks for it at the end of each task, even if the task was not asked to read. The task reports what it has
    * taken to the driver in a message. Spark would use an accumulator, whose reader does not know our classes if the
    * jar was added to a running Spark.
    */
  override def getOffset(): PartitionOffset = {
    TaskFailure.readably(task.end())
    null
  }

  override def next(): Boolean =
    throw new UnsupportedOperationException("a reader of Real-Time Mode is asked with a time limit")

  override def get(): InternalRow = task.current

  override def close(): Unit = TaskFailure.readably(task.close())
}

private object RealTimeReader {
  private val Found = RecordStatus.newStatusWithoutArrivalTime(true)
  private val Over  = RecordStatus.newStatusWithoutArrivalTime(false)
}
