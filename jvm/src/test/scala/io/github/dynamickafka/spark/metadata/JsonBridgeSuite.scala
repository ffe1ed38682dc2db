package io.github.dynamickafka.spark.metadata

import java.time.Instant
import java.util.{List => JList, Map => JMap, Set => JSet}

import scala.collection.mutable.ListBuffer

import py4j.GatewayServer

import io.github.dynamickafka.spark.InMemoryMetadataService
import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Streams.{cluster, stream}
import io.github.dynamickafka.spark.status.RefusedAnswer

/** Leaves out Py4J itself, which the Python package's tests cover with a real session. */
class JsonBridgeSuite extends munit.FunSuite with FailureAssertions {
  // Never started: nothing here has a connection to Python.
  private val python = new GatewayServer(null)

  private val text =
    """{"stream_id":"orders","clusters":{"eu-1":{"topics":["one","two"],"properties":{"bootstrap.servers":"host:9092"},""" +
      """"starting_offsets":"earliest","ending_offsets":null,"continues":["eu-0"],"paused":["one"]}}}"""
  private val eu     = cluster("one", "two")().withStartingOffsets("earliest")
  private val orders = stream("orders", "eu-1" -> eu.continuing("eu-0").pausedTopics(JSet.of("one")))

  final private class Scripted(answer: => String) extends JsonCall {
    val requests: ListBuffer[String] = ListBuffer.empty

    override def call(request: String): String = {
      requests += request
      answer
    }
  }

  private def bridged(call: JsonCall) = PythonBridge.service(call, python, describes = true, reportsActive = true)

  private def service(answer: => String) = new JsonMetadataService(new Scripted(answer))

  test("all streams are asked for and read") {
    val call = new Scripted(s"""{"streams":[$text]}""")
    assertEquals(bridged(call).getAllStreams, JSet.of(orders))
    assertEquals(call.requests.toList, List("""{"method":"all_streams"}"""))
  }

  test("a cluster may be paused as a whole or not at all, and fields that are left out or null say nothing") {
    def read(instead: String) = service(s"""{"streams":[${text.replace("\"paused\":[\"one\"]", instead)}]}""")
      .getAllStreams.iterator.next().getClusters.get("eu-1")
    assertEquals(read("\"paused\":true"), eu.continuing("eu-0").paused())
    Seq("\"paused\":false", "\"paused\":null", "\"paused\":[]", "\"other\":1").foreach { none =>
      assertEquals(read(none), eu.continuing("eu-0"))
    }
    val plain = text.replace(",\"continues\":[\"eu-0\"],\"paused\":[\"one\"]", "")
    assertEquals(service(s"""{"streams":[$plain]}""").getAllStreams, JSet.of(stream("orders", "eu-1" -> eu)))
  }

  test("what is written of a stream is read as the same stream") {
    Seq(eu, eu.paused(), eu.pausedTopics(JSet.of("x")), eu.continuing(JList.of("a", "b"))).foreach { cluster =>
      val written = JsonChannel.mapper.createObjectNode()
      JsonStreams.write(Seq(stream("orders", "eu-1" -> cluster)), written.putArray("streams"))
      assertEquals(JsonStreams.read("all_streams", written), Vector(stream("orders", "eu-1" -> cluster)))
    }
  }

  test("streams are described by id") {
    val call = new Scripted(s"""{"streams":[$text]}""")
    assertEquals(
      bridged(call).describeStreams(JList.of("orders", "nope")),
      JMap.of("orders", orders)
    )
    assertEquals(call.requests.toList, List("""{"method":"describe_streams","stream_ids":["orders","nope"]}"""))
  }

  test("a cluster's activity is asked for by its id") {
    val call = new Scripted("""{"active":false}""")
    assertEquals(bridged(call).isClusterActive("eu-1"), false)
    assertEquals(call.requests.toList, List("""{"method":"is_cluster_active","cluster_id":"eu-1"}"""))
  }

  test("closing is passed on") {
    val call = new Scripted("{}")
    bridged(call).close()
    assertEquals(call.requests.toList, List("""{"method":"close"}"""))
  }

  test("a subscriber gets all streams and the inactive clusters, and answers with ids") {
    val call    = new Scripted("""{"stream_ids":["orders"]}""")
    val streams = new InMemoryMetadataService(JSet.of(orders))
    assertEquals(PythonBridge.subscriber(call, python).getSubscribedStreams(streams), JSet.of("orders"))
    streams.deactivate("eu-1")
    PythonBridge.subscriber(call, python).getSubscribedStreams(streams)
    assertEquals(
      call.requests.toList,
      List("", "\"eu-1\"").map(inactive =>
        s"""{"method":"subscribed_streams","streams":[$text],"inactive":[$inactive]}"""
      )
    )
  }

  test("what Python raises is a failed fetch with its text and traceback") {
    val raised = """{"error":{"kind":"raised","message":"ValueError: boom","traceback":"Traceback …\n  line 3"}}"""
    assertEquals(
      failing(Condition.MetadataUnavailable)(service(raised).getAllStreams).detail,
      "The Python service's all_streams raised ValueError: boom. It is asked again at the next interval.\nTraceback …\n  line 3"
    )
  }

  test("what Python raises is the text of other code, which a status leaves out") {
    val raised  = """{"error":{"kind":"raised","message":"OSError: s3cret","traceback":"File s3cret"}}"""
    val failure = failing(Condition.MetadataUnavailable)(service(raised).getAllStreams)
    assertEquals(failure.getCause.getMessage, "OSError: s3cret")
    val refused = RefusedAnswer.of(None, failure, Instant.EPOCH)
    assertEquals(refused.reason, "The log of the driver says why.")
  }

  test("a result of the wrong type has a condition of its own") {
    val wrong =
      """{"error":{"kind":"type","message":"all_streams returned int; expected a collection of KafkaStream"}}"""
    assertEquals(
      failing(Condition.PythonService)(service(wrong).getAllStreams).detail,
      "all_streams returned int; expected a collection of KafkaStream. Correct the Python service."
    )
  }

  test("a Python process that is gone is a failed fetch") {
    val gone    = new RuntimeException("Error while obtaining a new communication channel")
    val failure = failing(Condition.MetadataUnavailable)(service(throw gone).isClusterActive("eu-1"))
    assert(failure.getCause eq gone)
    assert(
      failure.detail.startsWith("The call of the Python service's is_cluster_active failed: java.lang.RuntimeException")
    )
  }

  Seq(
    "null"                       -> null,
    "no JSON"                    -> "s3cret",
    "no object"                  -> "[]",
    "no streams"                 -> "{}",
    "streams that are no array"  -> """{"streams":"s3cret"}""",
    "a stream without an id"     -> """{"streams":[{"clusters":{}}]}""",
    "a stream with an empty id"  -> """{"streams":[{"stream_id":"","clusters":{}}]}""",
    "a cluster without topics"   -> s"""{"streams":[${text.replace("\"topics\"", "\"other\"")}]}""",
    "a topic that is no text"    -> s"""{"streams":[${text.replace("\"two\"", "2")}]}""",
    "a property that is no text" -> s"""{"streams":[${text.replace("\"host:9092\"", "null")}]}""",
    "offsets that are no text"   -> s"""{"streams":[${text.replace("\"earliest\"", "1")}]}""",
    "an earlier id alone"        -> s"""{"streams":[${text.replace("[\"eu-0\"]", "\"s3cret\"")}]}""",
    "an earlier id, no text"     -> s"""{"streams":[${text.replace("\"eu-0\"", "7")}]}""",
    "an earlier id, empty"       -> s"""{"streams":[${text.replace("\"eu-0\"", "\"\"")}]}""",
    "a pause that is text"       -> s"""{"streams":[${text.replace("[\"one\"]", "\"s3cret\"")}]}""",
    "a paused topic, no text"    -> s"""{"streams":[${text.replace("[\"one\"]", "[true]")}]}"""
  ).foreach { case (case_, answer) =>
    test(s"an answer with $case_ is a wrong result, and its text is not shown") {
      val failure = failing(Condition.PythonService)(service(answer).getAllStreams)
      assert(!failure.getMessage.contains("s3cret"))
    }
  }

  test("an activity that is no boolean, and ids that are no texts, are wrong results") {
    failing(Condition.PythonService)(service("""{"active":"yes"}""").isClusterActive("eu-1"))
    val ids = PythonBridge.subscriber(new Scripted("""{"stream_ids":[1]}"""), python)
    failing(Condition.PythonService)(ids.getSubscribedStreams(new InMemoryMetadataService()))
  }

  test("the bridge registers objects, and says the version of the build") {
    val mine = service("{}")
    assertEquals(PythonBridge.register(mine), Registered.service(mine))
    val chooses = PythonBridge.subscriber(new Scripted("{}"), python)
    assertEquals(PythonBridge.registerSubscriber(chooses), Registered.subscriber(chooses))
    assert(PythonBridge.version.matches("\\d+\\.\\d+\\.\\d+.*"), PythonBridge.version)
  }
}
