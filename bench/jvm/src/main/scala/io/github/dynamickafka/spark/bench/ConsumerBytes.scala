package io.github.dynamickafka.spark.bench

import java.lang.management.ManagementFactory
import java.util.{HashMap => JHashMap, Map => JMap}
import javax.management.ObjectName

/** What the consumers of this process have received, by the figures that Kafka's clients keep of themselves. */
final class ConsumerBytes {

  /** In bytes since it was opened, by consumer; of all that are open now. */
  def received(): JMap[String, Double] = {
    val server = ManagementFactory.getPlatformMBeanServer
    val found  = new JHashMap[String, Double]
    server.queryNames(new ObjectName("kafka.consumer:type=consumer-metrics,client-id=*"), null).forEach { name =>
      found.put(name.getCanonicalName, server.getAttribute(name, "incoming-byte-total").asInstanceOf[Double]): Unit
    }
    found
  }
}
