package io.github.dynamickafka.spark.errors

import java.nio.file.Files
import java.util.{List => JList, Optional, OptionalInt}

import scala.collection.immutable.SortedMap

import munit.FunSuite
import org.apache.kafka.common.errors.{SaslAuthenticationException, TopicAuthorizationException}

import io.github.dynamickafka.spark.YamlFileMetadataService
import io.github.dynamickafka.spark.driver.uncommitted.UncommittedBatch
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId, TopicId}
import io.github.dynamickafka.spark.kafka.failure.{Attempt, Diagnosis}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.metadata.{ChosenStreams, Placeholders, TopologyFetch}
import io.github.dynamickafka.spark.offsets.TopicOffset
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.observed.ReadObstacle
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.{Notice, SkippedTopics}
import io.github.dynamickafka.spark.reconcile.succession.Duplicates
import io.github.dynamickafka.spark.reconcile.topic.Recreated

/** What the errors of this source name. */
class NamedFieldsSuite extends FunSuite {
  private val (eu, us) = (ClusterId("eu-1"), ClusterId("us-1"))
  private val topic    = TopicId(eu, "orders")

  private def cluster(failure: Failure)   = failure.exception.getCluster
  private def topicOf(failure: Failure)   = failure.exception.getTopic
  private def partition(failure: Failure) = failure.exception.getPartition

  private def read(text: String): TopologyFetch = {
    val file = Files.createTempFile("streams", ".yaml")
    Files.writeString(file, text)
    val service = new YamlFileMetadataService(file.toString)
    new TopologyFetch(
      service,
      ChosenStreams.Matching(".*".r.pattern),
      Map("x" -> "${env:QUERY}"),
      new Placeholders(_ => None, _ => ""),
      QueryLog.unnamed
    )
  }

  private def refused(text: String): DynamicKafkaException =
    intercept[DynamicKafkaException](read(text).fetch(Set.empty): Unit)

  private def file(properties: String): String =
    s"""- streamId: orders
       |  clusterMetadataList:
       |  - clusterId: eu-1
       |    bootstrapServers: b1:9092
       |    topics: [orders]
       |    properties: $properties
       |""".stripMargin

  test("a failure of a topic names cluster and topic") {
    val present = Present(Some("new"), Map.empty)
    for (
      failure <- Seq(
        Recreated.failure(topic, TopicOffset(Some("old"), StreamId("orders"), SortedMap.empty), present),
        Notice.MissingTopic(eu, "orders").warning
      )
    ) {
      assertEquals(cluster(failure), Optional.of("eu-1"))
      assertEquals(topicOf(failure), Optional.of("orders"))
      assertEquals(partition(failure), OptionalInt.empty)
    }
  }

  test("a partition without a leader is named, with its topic and cluster") {
    val failure = SkippedTopics(
      eu,
      SortedMap("orders" -> ReadObstacle(partitions = SortedMap(2 -> ReadObstacle.Leaderless)))
    ).failure.getOrElse(fail("nothing hinders"))
    assertEquals(
      (cluster(failure), topicOf(failure), partition(failure)),
      (Optional.of("eu-1"), Optional.of("orders"), OptionalInt.of(2))
    )
  }

  test("two clusters that are one are both named, and neither is the one") {
    val error = Duplicates.failure(eu, "orders", us).exception
    assertEquals(error.getCluster, Optional.empty[String])
    assertEquals(error.getClusters, JList.of("us-1", "eu-1"))
    assertEquals(error.getTopic, Optional.of("orders"))
  }

  test("an uncommitted batch names its partition") {
    val range = OffsetRange(PartitionId(eu, "orders", 3), 5, 9, StreamId("orders"))
    val error = UncommittedBatch.notListed(Vector(range), "").exception
    assertEquals(
      (error.getCluster, error.getTopic, error.getPartition),
      (Optional.of("eu-1"), Optional.of("orders"), OptionalInt.of(3))
    )
  }

  test("a refusal names the cluster, and the topics that it is about") {
    val attempt = Attempt(eu, "read", "READ", Seq("a", "b"))
    val login   = Diagnosis.of(attempt, new SaslAuthenticationException("no"))
    assertEquals(login.happened.fields, ErrorFields.of(Field.Cluster, "eu-1"))
    val right = Diagnosis.of(attempt, new TopicAuthorizationException(java.util.Set.of("orders")))
    assertEquals(right.happened.fields.one(Field.Topic), Some("orders"))
  }

  test("a wrong line of the metadata file names stream, file and line") {
    val error = refused(file("{a: [1]}"))
    assertEquals(error.getStream, Optional.of("orders"))
    assert(error.getFile.get.endsWith(".yaml"), error)
    assertEquals(error.getLine, OptionalInt.of(6))
    assert(error.detail.contains(s"${error.getFile.get}") && error.detail.contains("line 6"), error.detail)
  }

  test("a metadata file that is not there is named") {
    val service = new YamlFileMetadataService("/not/there.yaml")
    assertEquals(intercept[DynamicKafkaException](service.snapshot(): Unit).getFile, Optional.of("/not/there.yaml"))
  }

  private def unresolved(text: String): DynamicKafkaException =
    read(text).fetch(Set.empty).topology.unresolved(eu).getOrElse(fail("it is resolved")).exception

  test("a placeholder that is not set names cluster, stream, property, file and line") {
    val error = unresolved(file("{x: here, sasl.jaas.config: \"${env:MISSING}\"}").replace(", sasl", ",\n      sasl"))
    assertEquals((error.getCluster, error.getStream), (Optional.of("eu-1"), Optional.of("orders")))
    assertEquals(error.getLine, OptionalInt.of(7))
    assert(error.detail.contains(s"property sasl.jaas.config: $${env:MISSING}: the driver's environment"), error.detail)
    assert(error.detail.contains(s"(line 7 of ${error.getFile.get})"), error.detail)
  }

  test("a placeholder of the query's own option has no line, and an address with one has it") {
    assertEquals(unresolved(file("{}")).getFile, Optional.empty[String])
    val address = unresolved(file("{x: here}").replace("b1:9092", "\"${env:MISSING}:9092\""))
    assertEquals(address.getLine, OptionalInt.of(4))
  }

  test("a cluster that the topology refuses is named") {
    val error = refused(file("{x: here, auto.offset.reset: latest}"))
    assertEquals((error.getCluster, error.getStream), (Optional.of("eu-1"), Optional.of("orders")))
  }

  test("options are named by their keys: one alone, or all") {
    def options(more: (String, String)*) = intercept[DynamicKafkaException](
      SourceOptionsParser.settings(Map("metadataService" -> "a.B", "streamIds" -> "a") ++ more, ReadKind.Batch): Unit
    )
    assertEquals(options("maxOffsetsPerTrigger" -> "many").getOption, Optional.of("maxOffsetsPerTrigger"))
    val two = options("maxOffsetsPerTrigger" -> "many", "subscribe" -> "orders")
    assertEquals((two.getOption, two.getOptions.size), (Optional.empty[String], 2))
  }
}
