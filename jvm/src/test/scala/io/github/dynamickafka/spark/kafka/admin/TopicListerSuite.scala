package io.github.dynamickafka.spark.kafka.admin

import java.lang.management.ManagementFactory
import java.net.{InetAddress, ServerSocket}
import java.util.concurrent.{CompletableFuture, TimeUnit}
import javax.management.ObjectName

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

/** Leaves out answers of real brokers: scenarios cover them. */
class TopicListerSuite extends munit.FunSuite {
  test("a property that Kafka refuses is reported as by the source's other clients, and its value is not") {
    val properties = Map("bootstrap.servers" -> "localhost:1", "request.timeout.ms" -> "s3cret")
    val failure    = intercept[DynamicKafkaException](new TopicLister("eu-1").topics(properties))
    assertEquals(failure.condition, Condition.InvalidMetadata: Condition)
    assert(failure.detail.contains("request.timeout.ms") && !failure.detail.contains("s3cret"), failure.detail)
  }

  test("a client that has not answered is given up, as it may be dead") {
    val beans                = ManagementFactory.getPlatformMBeanServer
    val name                 = new ObjectName("kafka.admin.client:type=app-info,id=spark-dynamic-kafka-topics-*")
    def clients: Set[String] = beans.queryNames(name, null).asScala.map(_.getKeyProperty("id")).toSet
    // Accepts connections and never answers.
    Using.resource(new ServerSocket(0, 50, InetAddress.getLoopbackAddress)) { silent =>
      val lister     = new TopicLister("eu-1")
      val properties =
        Map("bootstrap.servers" -> s"localhost:${silent.getLocalPort}", "default.api.timeout.ms" -> "300") ++
          Map("request.timeout.ms" -> "200")
      val before  = clients
      val failure = intercept[DynamicKafkaException](lister.topics(properties))
      assertEquals(failure.condition, Condition.MetadataUnavailable: Condition)
      assertEquals(clients, before)
      lister.close()
    }
  }

  test("closing ends a call that waits for an answer, and later calls fail") {
    // Accepts connections and never answers.
    Using.resource(new ServerSocket(0, 50, InetAddress.getLoopbackAddress)) { silent =>
      val properties = Map("bootstrap.servers" -> s"localhost:${silent.getLocalPort}")
      val lister     = new TopicLister("eu-1")
      val call       = CompletableFuture.supplyAsync(() => Try(lister.topics(properties)))
      silent.accept()
      lister.close()
      val waiting = call.get(10, TimeUnit.SECONDS)
      Seq(waiting, Try(lister.topics(properties))).foreach { ended =>
        val failure = intercept[DynamicKafkaException](ended.get)
        assertEquals(failure.condition, Condition.MetadataUnavailable: Condition)
        assert(failure.detail.startsWith("Cannot list the topics of cluster eu-1 ("), failure.detail)
      }
    }
  }
}
