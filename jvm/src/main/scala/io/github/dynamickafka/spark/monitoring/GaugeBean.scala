package io.github.dynamickafka.spark.monitoring

import java.util.concurrent.ConcurrentHashMap
import javax.management.{
  Attribute,
  AttributeList,
  AttributeNotFoundException,
  DynamicMBean,
  MBeanAttributeInfo,
  MBeanInfo
}

import scala.jdk.CollectionConverters._

import com.codahale.metrics.Gauge

/** A management bean whose attributes are gauges that come and go. It can't be changed from outside. */
final private[monitoring] class GaugeBean extends DynamicMBean {
  val gauges = new ConcurrentHashMap[String, Gauge[Number]]

  override def getAttribute(name: String): AnyRef =
    Option(gauges.get(name)).getOrElse(throw new AttributeNotFoundException(name)).getValue

  override def getAttributes(names: Array[String]): AttributeList = {
    val found =
      for (name <- names.toVector; gauge <- Option(gauges.get(name))) yield new Attribute(name, gauge.getValue)
    new AttributeList(found.asJava)
  }

  override def getMBeanInfo: MBeanInfo = {
    val attributes = gauges.keySet.asScala.toArray.sorted.map { name =>
      new MBeanAttributeInfo(name, classOf[Number].getName, name, true, false, false)
    }
    new MBeanInfo(getClass.getName, "Dynamic Kafka for Spark", attributes, null, null, null)
  }

  override def setAttribute(attribute: Attribute): Unit = throw new AttributeNotFoundException("It is read-only.")

  override def setAttributes(attributes: AttributeList): AttributeList = new AttributeList

  override def invoke(name: String, parameters: Array[AnyRef], types: Array[String]): AnyRef =
    throw new UnsupportedOperationException(name)
}
