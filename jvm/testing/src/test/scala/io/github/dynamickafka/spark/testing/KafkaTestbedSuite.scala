package io.github.dynamickafka.spark.testing

import java.time.Duration
import java.util.{List => JList, Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQuery

import io.github.dynamickafka.spark.{ClusterMetadata, DynamicKafkaSource, KafkaStream, YamlFileMetadataService}

/** On real brokers. What a user's test does is shown by `OrdersSuite`. */
class KafkaTestbedSuite extends FunSuite {
  private val testbed = new Fixture[KafkaTestbed]("testbed") {
    private lazy val started                           = KafkaTestbed.start()
    override def apply(): KafkaTestbed                 = started
    override def beforeEach(context: BeforeEach): Unit = started.reset()
    override def afterAll(): Unit                      = started.close()
  }
  private val spark = new Fixture[SparkSession]("spark") {
    private lazy val session = SparkSession.builder().master("local[2]").config("spark.ui.enabled", false).getOrCreate()
    override def apply(): SparkSession = session
    override def afterAll(): Unit      = session.stop()
  }
  override def munitFixtures = List(testbed, spark)
  override def munitTimeout  = scala.concurrent.duration.Duration(5, "minutes")

  private def start(stream: String): StreamingQuery = {
    val rows = DynamicKafkaSource
      .builder(spark())
      .metadataService(testbed().service)
      .streamIds(stream)
      .startingOffsets("earliest")
      .metadataDiscoveryInterval("1s")
      .clusterRequestTimeout("5s")
      .load()
    rows.selectExpr("CAST(value AS STRING) AS id").writeStream.format("memory").queryName(stream).start()
  }

  private def read(stream: String): JList[String] = spark().table(stream).collect().map(_.getString(0)).toList.asJava

  private def assertAllCame(query: StreamingQuery, stream: String): Unit =
    EachOnce.assertEachOnce(query, () => read(stream), testbed().written(stream))

  test("what is missing, came too often, or was never written is reported") {
    testbed().createStream("payments", "eu-1")
    testbed().write("payments", "1", "2")
    val query                      = start("payments")
    def reported(written: String*) = intercept[AssertionError](
      EachOnce.assertEachOnce(query, () => read("payments"), written.asJava, Duration.ofMillis(100))
    ).getMessage
    try {
      assertAllCame(query, "payments")
      assertEquals(reported("1", "2", "3"), "1 missing: '3'.")
      assertEquals(reported("1", "1"), "1 missing: '1'; 1 never written: '2'.")
      assertEquals(reported(), "Nothing was written, so nothing can be shown.")
      testbed().write("payments", "1")
      assert(Waiting.holds(Duration.ofMinutes(1), () => read("payments").size == 3))
      assertEquals(reported("1", "2"), "1 more than once: '1'.")
    } finally query.stop()
  }

  test("a query that failed is reported by its own error") {
    testbed().publish(new KafkaStream("bills", JMap.of("eu-1", new ClusterMetadata(JSet.of("bills"), nowhere))))
    val query = start("bills")
    val error = intercept[AssertionError](EachOnce.assertEachOnce(query, () => read("bills"), JList.of("1")))
    assert(error.getMessage.contains("[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE]"), error.getMessage)
  }
  private lazy val nowhere = JMap.of("bootstrap.servers", "127.0.0.1:1")

  test("a cluster keeps its records and its address when it is killed or frozen, and grows") {
    val cluster = testbed().cluster("eu-2")
    val address = cluster.bootstrapServers
    testbed().createStream("orders", "eu-2", 2)
    testbed().write("orders", "1")
    cluster.kill()
    cluster.start()
    cluster.pause()
    cluster.resume()
    cluster.addPartitions("orders", 3)
    testbed().write("orders", "2")
    assertEquals(cluster.endOffsets("orders").asScala.values.map(_.longValue).sum, 2L)
    assertEquals(cluster.endOffsets("orders").size, 3)
    assertEquals(cluster.bootstrapServers, address)
    testbed().reset()
    assertEquals(cluster.topics.asScala.toSet, Set.empty[String])
    assertEquals(testbed().service.getAllStreams.size, 0)
  }

  test("the file says what the service says") {
    testbed().createStream("orders", "eu-1")
    testbed().move("orders", "eu-2")
    val cluster = new ClusterMetadata(JSet.of("bills"), JMap.of("bootstrap.servers", "b1:9092", "client.id", "\"é\""))
    val more    = cluster.withStartingOffsets("""{"bills":{"0":7}}""").withEndingOffsets("latest").continuing("old")
    testbed().publish(new KafkaStream("bills", JMap.of("a: b", more.pausedTopics(JSet.of("bills")))))
    testbed().publish(new KafkaStream("all", JMap.of("x", cluster.withStartingOffsets("earliest").paused())))
    val file = new YamlFileMetadataService(testbed().file.toString)
    assertEquals(file.getAllStreams, testbed().service.getAllStreams)
  }

  test("mistakes are reported") {
    testbed().createStream("orders", "eu-1")
    def reported(act: => Any) = intercept[IllegalArgumentException](act).getMessage
    assertEquals(reported(testbed().createStream("orders", "eu-2")), "Stream orders is there already, on eu-1.")
    assertEquals(reported(testbed().move("orders", "eu-1")), "Stream orders is on eu-1 already.")
    assertEquals(reported(testbed().move("orders", "eu-3")), "There is no cluster eu-3. There are eu-1 and eu-2.")
    assertEquals(reported(testbed().write("bills", "1")), "There is no stream bills. Create it by createStream.")
  }
}
