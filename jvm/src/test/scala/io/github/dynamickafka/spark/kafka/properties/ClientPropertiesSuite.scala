package io.github.dynamickafka.spark.kafka.properties

import java.time.Duration
import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.{Admin, DescribeClusterOptions}
import org.apache.kafka.clients.admin.internals.AdminMetadataManager
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.logging.log4j.Level

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.LogLines
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.client.ClientOpening
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, KafkaConsumers}
import io.github.dynamickafka.spark.topology.ConnectionSettings

class ClientPropertiesSuite extends munit.FunSuite {
  private def consumer(properties: (String, String)*): Map[String, AnyRef] =
    ClientProperties.forConsumer(new ConnectionSettings(properties.toMap), "group-1", "client-1").asScala.toMap

  test("a consumer keeps no positions in Kafka, and reads bytes from given positions alone") {
    val properties = consumer("bootstrap.servers" -> "a:1", "enable.auto.commit" -> "true")
    assertEquals(properties("enable.auto.commit"), "false": AnyRef)
    assertEquals(properties("auto.offset.reset"), "none": AnyRef)
    assertEquals(properties("allow.auto.create.topics"), "false": AnyRef)
    assertEquals(properties("bootstrap.servers"), "a:1": AnyRef)
    assert(properties("value.deserializer").toString.endsWith("ByteArrayDeserializer"))
  }

  test("ids and sizes are the user's where given, and generated elsewhere") {
    val names     = Seq("group.id", "client.id", "max.poll.records", "fetch.max.wait.ms", "receive.buffer.bytes")
    val generated = consumer()
    val users     = consumer(names.map(_ -> "7"): _*)
    assertEquals(names.map(generated), Seq[AnyRef]("group-1", "client-1", "5000", "10", "-1"))
    assertEquals(names.map(users), Seq.fill[AnyRef](5)("7"))
  }

  test("an admin client gets the connection and a client id, and nothing of consumers") {
    val users      = Map("bootstrap.servers" -> "a:1", "request.timeout.ms" -> "7")
    val properties = ClientProperties.forAdmin(new ConnectionSettings(users), "client-1", Duration.ofSeconds(30))
    val added      = Map("client.id" -> "client-1", "metadata.recovery.strategy" -> "none")
    assertEquals(properties.asScala.toMap, Map[String, AnyRef]() ++ users ++ added)
  }

  test("a cluster that is down does not fill the driver's log") {
    def lines(times: Int, properties: (String, String)*): Int = {
      val connection = new ConnectionSettings(Map("bootstrap.servers" -> "localhost:1") ++ properties)
      val admin      = Admin.create(ClientProperties.forAdmin(connection, "client-1", Duration.ofSeconds(30)))
      try LogLines.of(classOf[AdminMetadataManager], Level.INFO) {
          for (_ <- 1 to times) intercept[ExecutionException](
            admin.describeCluster(new DescribeClusterOptions().timeoutMs(1000)).clusterId.get
          )
        }.size
      finally admin.close(Duration.ZERO)
    }
    def kafkas(times: Int) = lines(times, "metadata.recovery.strategy" -> "rebootstrap")
    // A machine that is busy with other things writes less in a second.
    val seconds = Iterator.from(1).take(10).find(kafkas(_) > 50)
    assert(seconds.nonEmpty, "Kafka's own way does not write 50 lines in ten seconds: is ours needed?")
    val ours = lines(seconds.get)
    assert(ours < 20, s"$ours lines in ${seconds.get} seconds")
  }

  private def triesFor(limit: Int, properties: (String, String)*): Option[AnyRef] = {
    val connection = new ConnectionSettings(Map("bootstrap.servers" -> "a:1") ++ properties)
    Option(ClientProperties.forAdmin(
      connection,
      "client-1",
      Duration.ofSeconds(limit.toLong)
    ).get("request.timeout.ms"))
  }

  test("a broker that hangs leaves time to ask others within the limit, and one that is busy is not taken for it") {
    assertEquals(triesFor(30), Some("7500": AnyRef))
    assertEquals(triesFor(1), Some("1000": AnyRef))
    assertEquals(triesFor(3), Some("2000": AnyRef))
    assertEquals(triesFor(6), Some("3000": AnyRef))
    assertEquals(triesFor(600), Some("30000": AnyRef))
  }

  test("what the user says of how long requests may take stands alone") {
    assertEquals(triesFor(30, "request.timeout.ms" -> "7"), Some("7": AnyRef))
    assertEquals(triesFor(30, "default.api.timeout.ms" -> "5000"), None)
  }

  private def opening(properties: (String, String)*): DynamicKafkaException = {
    val all = ClientProperties.forConsumer(new ConnectionSettings(properties.toMap), "group-1", "client-1")
    intercept[DynamicKafkaException](ClientOpening.open(ClusterId("eu"), all)(new KafkaConsumer(all)))
  }

  test("a property that Kafka refuses is named, and its value is shown nowhere") {
    val failure = opening("bootstrap.servers" -> "localhost:1", "max.poll.interval.ms" -> "s3cret")
    assertEquals(failure.condition, Condition.InvalidMetadata: Condition)
    assert(failure.detail.contains("property max.poll.interval.ms"), failure.detail)
    assert(!failure.detail.contains("s3cret") && failure.getCause == null, failure.detail)
  }

  test("addresses whose hosts nobody knows are an unreachable cluster") {
    val failure = opening("bootstrap.servers" -> "nobody.invalid:9092")
    assertEquals(failure.condition, Condition.ClusterUnreachable: Condition)
  }

  test("a login module that is not there is a wrong property, not a login that failed") {
    val failure = opening(
      "bootstrap.servers" -> "localhost:1",
      "security.protocol" -> "SASL_PLAINTEXT",
      "sasl.mechanism"    -> "PLAIN",
      "sasl.jaas.config"  -> "s3.cret required;"
    )
    assertEquals(failure.condition, Condition.InvalidMetadata: Condition)
    assert(failure.detail.contains("property sasl.jaas.config") && !failure.detail.contains("s3.cret"), failure.detail)
  }

  test("a class that another one misses is named, and no other text of such an error is shown") {
    val all     = ClientProperties.forConsumer(new ConnectionSettings(Map.empty), "group-1", "client-1")
    val missing = new IllegalStateException("s3cret", new NoClassDefFoundError("some/vendor/Signer"))
    val failure = intercept[DynamicKafkaException](ClientOpening.open(ClusterId("eu"), all)(throw missing))
    assertEquals(failure.condition, Condition.InvalidMetadata: Condition)
    assert(failure.detail.contains("NoClassDefFoundError: some/vendor/Signer"), failure.detail)
    assert(!failure.detail.contains("s3cret"), failure.detail)
    val odd = intercept[DynamicKafkaException](
      ClientOpening.open(ClusterId("eu"), all)(throw new NoClassDefFoundError("a s3cret"))
    )
    assert(odd.detail.contains("NoClassDefFoundError") && !odd.detail.contains("s3cret"), odd.detail)
  }

  test("classes are looked up with our class loader, and the thread has its own again afterwards") {
    val thread  = Thread.currentThread
    val before  = thread.getContextClassLoader
    val foreign = new ClassLoader(null) {}
    thread.setContextClassLoader(foreign)
    try {
      KafkaConsumers
        .open(ConsumerKey(ClusterId("eu"), new ConnectionSettings(Map("bootstrap.servers" -> "localhost:1")), "prefix"))
        .close()
      assert(thread.getContextClassLoader eq foreign)
    } finally thread.setContextClassLoader(before)
  }
}
