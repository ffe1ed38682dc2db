package io.github.dynamickafka.spark.bench

import java.lang.management.ManagementFactory
import java.util.{HashMap => JHashMap, Map => JMap}
import javax.management.ObjectName

/** How much the consumers of this process have received, from the metrics of Kafka's clients. */
final class ConsumerBytes {

  /** The bytes since it was opened, for each open consumer. */
  def received(): JMap[String, Double] = {
    val server = ManagementFactory.getPlatformMBeanServer
    val found  = new JHashMap[String, Double]
    server.queryNames(new ObjectName("kafka.consumer:type=consumer-metrics,client-id=*"), null).forEach { name =>
      found.put(name.getCanonicalName, server.getAttribute(name, "incoming-byte-total").asInstanceOf[Double]): Unit
    }
    found
  }
}
