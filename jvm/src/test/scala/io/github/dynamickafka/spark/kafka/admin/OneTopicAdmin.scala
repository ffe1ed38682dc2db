package io.github.dynamickafka.spark.kafka.admin

import java.lang.reflect.Proxy
import java.util.Optional

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin._
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo
import org.apache.kafka.clients.consumer.OffsetAndMetadata
import org.apache.kafka.common.{KafkaFuture, Node, TopicCollection, TopicPartition, TopicPartitionInfo, Uuid}
import org.apache.kafka.common.errors.{ApiException, UnknownTopicIdException}
import org.apache.kafka.common.internals.KafkaFutureImpl
import org.apache.kafka.common.protocol.Errors

/** Kafka's admin client of a cluster that has one topic, `orders`, with one partition. */
object OneTopicAdmin {

  /** @param kafkaId of the cluster, each time it is asked
    * @param topic the answer about `orders`
    * @param offset the answer about an offset of it
    * @param committed hears of what is committed
    */
  def of(
      kafkaId: () => String = () => "K",
      topic: () => KafkaFuture[TopicDescription] = () => done(orders()),
      offset: OffsetSpec => Long = _ => 7,
      committed: Map[TopicPartition, OffsetAndMetadata] => Unit = _ => ()
  ): Admin = Proxy.newProxyInstance(
    getClass.getClassLoader,
    Array[Class[_]](classOf[Admin]),
    (_, method, arguments) =>
      method.getName match {
        case "describeTopics"            => described(arguments(0), topic())
        case "describeCluster"           => made(classOf[DescribeClusterResult], null, null, done(kafkaId()), null)
        case "listOffsets"               => listed(arguments(0), offset)
        case "alterConsumerGroupOffsets" =>
          val of = arguments(1).asInstanceOf[java.util.Map[TopicPartition, OffsetAndMetadata]].asScala.toMap
          committed(of)
          made(classOf[AlterConsumerGroupOffsetsResult], done(of.map { case (tp, _) => tp -> Errors.NONE }.asJava))
        case _ => null
      }
  ).asInstanceOf[Admin]

  /** @param id none, as of brokers before 2.8 */
  def orders(id: Uuid = Uuid.ZERO_UUID): TopicDescription = {
    val partition = new TopicPartitionInfo(0, new Node(1, "b", 9092), java.util.List.of(), java.util.List.of())
    new TopicDescription("orders", false, java.util.List.of(partition), null, id)
  }

  def done[A](value: A): KafkaFuture[A] = KafkaFuture.completedFuture(value)

  def failed[A](why: ApiException): KafkaFuture[A] = {
    val future = new KafkaFutureImpl[A]
    future.completeExceptionally(why): Unit
    future
  }

  private def described(asked: AnyRef, topic: KafkaFuture[TopicDescription]) = asked match {
    case ids: TopicCollection.TopicIdCollection =>
      def unknown = failed[TopicDescription](new UnknownTopicIdException("another cluster"))
      val found   = ids.topicIds.asScala.map(id => id -> (if (id == topic.get.topicId) topic else unknown))
      new DescribeTopicsResult(found.toMap.asJava, null) {}
    case _ => new DescribeTopicsResult(null, java.util.Map.of("orders", topic)) {}
  }

  private def listed(asked: AnyRef, offset: OffsetSpec => Long) = {
    val of = asked.asInstanceOf[java.util.Map[TopicPartition, OffsetSpec]].asScala
    new ListOffsetsResult(of.map { case (tp, spec) =>
      tp -> done(new ListOffsetsResultInfo(offset(spec), -1, Optional.empty[Integer]))
    }.asJava)
  }

  // Kafka makes these itself, by constructors that are not public.
  private def made[A](kind: Class[A], arguments: AnyRef*): A = {
    val constructor = kind.getDeclaredConstructors.find(_.getParameterCount == arguments.size).get
    constructor.setAccessible(true)
    kind.cast(constructor.newInstance(arguments: _*))
  }
}
