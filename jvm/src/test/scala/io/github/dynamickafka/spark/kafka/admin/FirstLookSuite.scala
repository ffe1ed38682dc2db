package io.github.dynamickafka.spark.kafka.admin

import java.lang.reflect.Proxy
import java.time.Duration
import java.util.Optional
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin._
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo
import org.apache.kafka.common.{KafkaFuture, Node, TopicPartition, TopicPartitionInfo, Uuid}

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.LogProofs
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The first look of a client, which credentials that rotate, or a restart, have opened anew. */
class FirstLookSuite extends munit.FunSuite {
  private def made[A](kind: Class[A], arguments: AnyRef*): A = {
    val constructor = kind.getDeclaredConstructors.find(_.getParameterCount == arguments.size).get
    constructor.setAccessible(true)
    kind.cast(constructor.newInstance(arguments: _*))
  }

  private def done[A](value: A): KafkaFuture[A] = KafkaFuture.completedFuture(value)

  /** The address leads to A again while this look is under way. What it had answered before is B's: a log from 500 on. */
  private val comesBack: Admin = {
    val now       = new AtomicReference("B")
    val partition = new TopicPartitionInfo(0, new Node(1, "b", 9092), java.util.List.of(), java.util.List.of())
    // Brokers before 2.8 give topics no id.
    val topic = new TopicDescription("orders", false, java.util.List.of(partition), null, Uuid.ZERO_UUID)
    Proxy.newProxyInstance(
      getClass.getClassLoader,
      Array[Class[_]](classOf[Admin]),
      (_, method, arguments) =>
        method.getName match {
          case "describeTopics"  => made(classOf[DescribeTopicsResult], null, java.util.Map.of("orders", done(topic)))
          case "describeCluster" => made(classOf[DescribeClusterResult], null, null, done(now.get), null)
          case "listOffsets"     =>
            val of = arguments(0).asInstanceOf[java.util.Map[TopicPartition, OffsetSpec]].asScala
            val at = of.head._2 match {
              case _: OffsetSpec.EarliestSpec => 500L
              case _                          => now.set("A"); 900L
            }
            new ListOffsetsResult(of.map { case (tp, _) =>
              tp -> done(new ListOffsetsResultInfo(at, -1, Optional.empty[Integer]))
            }.asJava)
          case _ => null
        }
    ).asInstanceOf[Admin]
  }

  test("what is seen by a new client while the address comes back from another Kafka cluster costs no position") {
    val limit = Duration.ofSeconds(10)
    val admin = new ClusterAdmin(
      ClusterId("eu"),
      new ConnectionSettings(Map.empty),
      (_, _) => comesBack,
      new LogProofs(() => fail("no log is in doubt"), limit, task => task.run()),
      limit,
      task => task.run()
    )
    val seen = admin.observe(Set("orders")).get(10, TimeUnit.SECONDS)
    admin.close()

    val all   = listed("eu" -> topics("orders"))
    val begun =
      Query(skipping.copy(failOnDataLoss = false)).sees(all)("eu" -> answer("orders" -> has(0 -> 100)).of("A")).read
    val after = begun.sees(all)("eu" -> seen).read
    // A itself has its records 100 to 899, and gets more.
    val later = after.sees(all)("eu" -> answer("orders" -> has(0 -> 950)).of("A"))
    assertEquals(
      begun.sees(all)("eu" -> seen).ranges ++ later.ranges,
      Vector("eu orders 0 100-950"),
      s"the first look says $seen"
    )
  }
}
