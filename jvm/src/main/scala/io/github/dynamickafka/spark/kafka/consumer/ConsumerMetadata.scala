package io.github.dynamickafka.spark.kafka.consumer

import java.util.concurrent.atomic.AtomicBoolean

import scala.util.control.NonFatal

import org.apache.kafka.clients.Metadata
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.slf4j.LoggerFactory

/** The metadata of a consumer: Kafka's ids of the cluster and of its topics, as of the last metadata response. Kafka's consumer does
  * not show its metadata, and another client would have to ask again. So private fields are read. In a version of
  * kafka-clients without these fields, nothing is known. A test shows that the version in our jar has them.
  */
private[kafka] object ConsumerMetadata {
  private val log      = LoggerFactory.getLogger(getClass.getName.stripSuffix("$"))
  private val reported = new AtomicBoolean

  /** Called once for each consumer. */
  def of(consumer: KafkaConsumer[_, _]): Option[Metadata] =
    try {
      val delegate = field(classOf[KafkaConsumer[_, _]], "delegate", consumer)
      field(delegate.getClass, "metadata", delegate) match {
        case known: Metadata =>
          // Another version may lack the method.
          known.topicIds(): Unit
          known.fetch(): Unit
          Some(known)
        case _ => unknown("its metadata are of another class")
      }
    } catch { case e @ (NonFatal(_) | _: LinkageError) => unknown(e.toString) }

  private def field(of: Class[_], name: String, in: AnyRef): AnyRef = {
    val field = of.getDeclaredField(name)
    field.setAccessible(true)
    field.get(in)
  }

  private def unknown(why: String): Option[Metadata] = {
    if (reported.compareAndSet(false, true)) log.info(
      "This version of kafka-clients does not show a consumer's metadata. A topic that is created again while a batch runs " +
        s"is noticed only when the next batch is planned. reason=$why"
    )
    None
  }
}
