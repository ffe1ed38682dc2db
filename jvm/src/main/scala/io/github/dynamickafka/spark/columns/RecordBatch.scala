package io.github.dynamickafka.spark.columns

import java.util.{Map => JMap}

import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.spark.unsafe.types.UTF8String

/** Records of one poll of one cluster, in the order of each partition.
  *
  * @param records the first `count` of them are the batch; the others are not set
  * @param cluster the id of the cluster
  * @param streams the stream of each topic
  */
final class RecordBatch(
    val records: Array[RecordBatch.Record],
    val count: Int,
    val cluster: UTF8String,
    val streams: JMap[String, UTF8String]
)

object RecordBatch {
  type Record = ConsumerRecord[Array[Byte], Array[Byte]]

  val empty: RecordBatch = new RecordBatch(new Array[Record](0), 0, UTF8String.EMPTY_UTF8, JMap.of())
}
