package io.github.dynamickafka.spark.kafka.admin

import java.lang.reflect.Proxy
import java.time.Duration
import java.util.Optional
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin._
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo
import org.apache.kafka.common.{KafkaFuture, Node, TopicPartition, TopicPartitionInfo, Uuid}
import org.apache.kafka.common.errors.{ApiException, SaslAuthenticationException, SslAuthenticationException}
import org.apache.kafka.common.internals.KafkaFutureImpl

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.LogProofs
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Kafka's client reads a key store, a key tab, and what its own `config.providers` look up, once: when it is opened.
  * If the file behind them is replaced, the text of the properties stays the same, and so does the client.
  */
class RefusedClientSuite extends munit.FunSuite {
  // Kafka makes these itself, by constructors that are not public.
  private def made[A](kind: Class[A], arguments: AnyRef*): A = {
    val constructor = kind.getDeclaredConstructors.find(_.getParameterCount == arguments.size).get
    constructor.setAccessible(true)
    kind.cast(constructor.newInstance(arguments: _*))
  }

  private def done[A](value: A): KafkaFuture[A] = KafkaFuture.completedFuture(value)

  private def failed[A](why: ApiException): KafkaFuture[A] = {
    val future = new KafkaFutureImpl[A]
    future.completeExceptionally(why): Unit
    future
  }

  /** A client with this answer about the topic `orders`. */
  private def client(orders: () => KafkaFuture[TopicDescription]): Admin =
    Proxy.newProxyInstance(
      getClass.getClassLoader,
      Array[Class[_]](classOf[Admin]),
      (_, method, arguments) =>
        method.getName match {
          case "describeTopics"  => made(classOf[DescribeTopicsResult], null, java.util.Map.of("orders", orders()))
          case "describeCluster" => made(classOf[DescribeClusterResult], null, null, done("K"), null)
          case "listOffsets"     =>
            val of = arguments(0).asInstanceOf[java.util.Map[TopicPartition, OffsetSpec]].asScala
            new ListOffsetsResult(of.map { case (tp, _) =>
              tp -> done(new ListOffsetsResultInfo(7, -1, Optional.empty[Integer]))
            }.asJava)
          case _ => null
        }
    ).asInstanceOf[Admin]

  private def orders: TopicDescription = {
    val partition = new TopicPartitionInfo(0, new Node(1, "b", 9092), java.util.List.of(), java.util.List.of())
    new TopicDescription("orders", false, java.util.List.of(partition), null, Uuid.ZERO_UUID)
  }

  test("a client whose credentials are refused again and again is exchanged") {
    for (
      why <- Seq(
        new SaslAuthenticationException("Authentication failed: Invalid username or password"),
        new SslAuthenticationException("Received fatal alert: certificate_expired")
      )
    ) {
      val opened = new AtomicInteger
      val limit  = Duration.ofSeconds(10)
      val here   = new ClusterAdmin(
        ClusterId("eu"),
        new ConnectionSettings(Map("ssl.keystore.location" -> "/etc/kafka/reader.p12")),
        // Only the first client was opened before the file behind its properties was replaced.
        (_, _) => if (opened.incrementAndGet() == 1) client(() => failed(why)) else client(() => done(orders)),
        new LogProofs(() => fail("no log is in doubt"), limit, task => task.run()),
        limit,
        task => task.run()
      )
      val seen = Vector.fill(6)(here.observe(Set("orders")).get(10, TimeUnit.SECONDS))
      here.close()
      seen.head match {
        case ClusterObservation.Failed(failure) =>
          assertEquals(failure.condition, Condition.AuthenticationFailed: Condition)
        case other => fail(s"$other")
      }
      assert(seen.last.isInstanceOf[ClusterObservation.Answered], s"clients opened: ${opened.get}, seen: $seen")
    }
  }
}
