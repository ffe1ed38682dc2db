package io.github.dynamickafka.spark.metadata

import java.util.{Map => JMap, Set => JSet}
import java.util.regex.Pattern

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark._
import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.ScriptedMetadataService
import io.github.dynamickafka.spark.fakes.Streams.{cluster, stream}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.topology.Pause

class TopologyFetchSuite extends munit.FunSuite with FailureAssertions {
  private val orders  = stream("orders", "eu-1" -> cluster("orders")(), "us-1" -> cluster("orders")())
  private val refunds = stream("refunds", "eu-1" -> cluster("refunds")())
  private val both    = ScriptedMetadataService.of(orders, refunds)

  private def ids(values: String*): ChosenStreams = ChosenStreams.Ids(values.map(StreamId(_)).to(SortedSet))

  private def subscriber(chosen: => JSet[String]): ChosenStreams = ChosenStreams.BySubscriber(_ => chosen)

  private def fetch(
      service: KafkaMetadataService,
      selection: ChosenStreams = ids("orders"),
      kafka: Map[String, String] = Map.empty,
      alsoAsk: Set[String] = Set.empty
  ): FetchedTopology = {
    val placeholders = new Placeholders(Map("PASSWORD" -> "s3cret").get, path => s"content of $path")
    new TopologyFetch(service, selection, kafka, placeholders, QueryLog.unnamed).fetch(alsoAsk.map(ClusterId(_)))
  }

  private def topics(fetched: FetchedTopology): Map[String, Map[String, String]] =
    fetched.topology.clusters.map { case (id, listed) =>
      id.value -> listed.topics.map { case (topic, stream) => topic -> stream.value }.toMap
    }.toMap

  private val failsAt = (selection: ChosenStreams, service: KafkaMetadataService) =>
    failing(Condition.MetadataUnavailable)(fetch(service, selection))

  test("streams chosen by id are described in one call, and each of their clusters is asked for once") {
    val service = ScriptedMetadataService.of(orders, refunds)
    val fetched = fetch(service, ids("refunds", "orders"))
    assertEquals(
      topics(fetched),
      Map("eu-1" -> Map("orders" -> "orders", "refunds" -> "refunds"), "us-1" -> Map("orders" -> "orders"))
    )
    assertEquals(service.calls.toList, List("describe orders,refunds", "active eu-1", "active us-1"))
  }

  test("a service that only lists its streams is asked once a fetch, however many clusters there are") {
    val service = new JavaCalls.ListedStreams(orders, refunds)
    val fetched = fetch(service, ids("orders", "nope"), alsoAsk = Set("eu-1", "gone"))
    assertEquals(topics(fetched), Map("eu-1" -> Map("orders" -> "orders"), "us-1" -> Map("orders" -> "orders")))
    assertEquals(fetched.topology.unknown, SortedSet(StreamId("nope")))
    assertEquals(fetched.inactive, Set(ClusterId("gone")))
    assertEquals(service.calls, 1)
  }

  test("the defaults of a service's interface answer as a fetch does") {
    val service = new JavaCalls.ListedStreams(orders, refunds)
    assertEquals(service.describeStreams(java.util.List.of("refunds", "nope")), JMap.of("refunds", refunds))
    assertEquals((service.isClusterActive("us-1"), service.isClusterActive("gone")), (true, false))
    service.close()
  }

  test("what a service has itself is asked of it, also behind a class that is made later") {
    val itself = new JavaCalls.ListedStreams(orders) {
      override def isClusterActive(clusterId: String): Boolean = clusterId == "eu-1"
    }
    Seq[KafkaMetadataService](itself, new MadeLater(() => itself)).foreach { service =>
      assertEquals(fetch(service, alsoAsk = Set("us-1")).inactive, Set(ClusterId("us-1")))
      assertEquals(fetch(service).topology.clusters.filter(!_._2.active).keySet.map(_.value), Set("us-1"))
    }
  }

  test("an id that the service does not know is unknown, not an error") {
    assertEquals(fetch(both, ids("orders", "nope")).topology.unknown, SortedSet(StreamId("nope")))
  }

  test("for an unknown id the service is asked nothing more") {
    val service = ScriptedMetadataService.of(orders, refunds)
    assertEquals(fetch(service, ids("ordres")).topology.unknown, SortedSet(StreamId("ordres")))
    assertEquals(service.calls.toList, List("describe ordres"))
  }

  test("a pattern matches the whole id") {
    def found(pattern: String) = topics(fetch(both, ChosenStreams.Matching(Pattern.compile(pattern)))).keySet
    assertEquals(found("ref.*"), Set("eu-1"))
    assertEquals(found("order"), Set.empty[String])
  }

  test("a subscriber is handed the service, and its choice is described") {
    val choosing: KafkaStreamSubscriber = service => {
      assertEquals(service.getAllStreams.size, 2)
      JSet.of("refunds", "nope")
    }
    val fetched = fetch(both, ChosenStreams.BySubscriber(choosing))
    assertEquals(topics(fetched), Map("eu-1" -> Map("refunds" -> "refunds")))
    assertEquals(fetched.topology.unknown, SortedSet.empty[StreamId])
  }

  test("a subscriber that chooses nothing gives an empty topology, and the service is not asked") {
    val service = ScriptedMetadataService.of(orders)
    assertEquals(topics(fetch(service, subscriber(JSet.of()))), Map.empty[String, Map[String, String]])
    assertEquals(service.calls.toList, Nil)
  }

  test("an inactive cluster is reported, listed or only draining") {
    val service = new ScriptedMetadataService(
      describe = _ => JMap.of("orders", orders),
      active = id => id == "us-1" || id == "old-2"
    )
    val fetched = fetch(service, alsoAsk = Set("old-1", "old-2", "us-1"))
    assertEquals(fetched.inactive, Set(ClusterId("old-1")))
    assertEquals(
      fetched.topology.clusters.map { case (id, c) => id.value -> c.active }.toMap,
      Map("eu-1" -> false, "us-1" -> true)
    )
    assertEquals(service.calls.count(_ == "active us-1"), 1)
  }

  test("what a service raises for a cluster that it does not list any more counts as inactive") {
    def looksUp(known: String*) = new ScriptedMetadataService(
      describe = _ => JMap.of("orders", orders),
      active = id => if (known.contains(id)) true else throw new java.util.NoSuchElementException(id)
    )
    val service = looksUp("eu-1", "us-1", "old-2")
    assertEquals(fetch(service, alsoAsk = Set("old-1", "old-2")).inactive, Set(ClusterId("old-1")))
    assert(service.calls.contains("active old-2"), "one error does not stop the other questions")
    failsAt(ids("orders"), looksUp("us-1"))
  }

  test("an interrupted question about a cluster that is not listed any more is a failed fetch all the same") {
    def interrupted(id: String) = if (id == "old-1") throw new InterruptedException("stop") else true
    val service = new ScriptedMetadataService(describe = _ => JMap.of("orders", orders), active = interrupted)
    failing(Condition.MetadataUnavailable)(fetch(service, alsoAsk = Set("old-1")))
    assert(Thread.interrupted())
  }

  test("a cluster's own properties beat the query's, with placeholders of both resolved") {
    val own     = cluster("orders")("client.rack" -> "own", "sasl.jaas.config" -> "password=${env:PASSWORD}")
    val service = ScriptedMetadataService.of(stream("orders", "eu-1" -> own))
    val kafka   = Map("client.rack" -> "${env:UNSET}", "ssl.key.password" -> "${file:/key}")
    assertEquals(
      fetch(service, kafka = kafka).topology.connections(ClusterId("eu-1")).properties,
      Map(
        "bootstrap.servers" -> "host:9092",
        "client.rack"       -> "own",
        "sasl.jaas.config"  -> "password=s3cret",
        "ssl.key.password"  -> "content of /key"
      )
    )
  }

  test("earlier ids and pauses come into the topology") {
    val eu    = cluster("orders")().continuing("eu-0").pausedTopics(JSet.of("orders"))
    val us    = cluster("orders")().continuing("eu-1").paused()
    val found = fetch(ScriptedMetadataService.of(stream("orders", "eu-1" -> eu, "us-1" -> us))).topology.clusters
    assertEquals(found(ClusterId("eu-1")).continues, SortedSet(ClusterId("eu-0")))
    assertEquals(found(ClusterId("eu-1")).pause, Pause.Topics(SortedSet("orders")): Pause)
    assertEquals(found(ClusterId("us-1")).continues, SortedSet(ClusterId("eu-0"), ClusterId("eu-1")))
    assertEquals(found(ClusterId("us-1")).pause, Pause.Whole: Pause)
  }

  test("a snapshot serves the whole fetch, though the service changes meanwhile") {
    val service                         = new InMemoryMetadataService(JSet.of(orders))
    val choosing: KafkaStreamSubscriber = view => {
      val all = view.getAllStreams
      service.remove("orders")
      service.deactivate("eu-1")
      JSet.of(all.iterator.next().getStreamId)
    }
    val fetched = fetch(service, ChosenStreams.BySubscriber(choosing))
    assertEquals(topics(fetched).keySet, Set("eu-1", "us-1"))
    assertEquals(fetched.topology.clusters(ClusterId("eu-1")).active, true)
  }

  Seq[Throwable](
    new IllegalStateException("boom"),
    new java.io.IOException("checked"),
    new NoClassDefFoundError("com/acme/Missing"),
    new StackOverflowError(),
    new AssertionError("wrong")
  ).foreach { thrown =>
    test(s"a service that throws ${thrown.getClass.getSimpleName} is a failed fetch with its text and cause") {
      val failure = failsAt(ids("orders"), new ScriptedMetadataService(describe = _ => throw thrown))
      assert(failure.getCause eq thrown)
      val text =
        s"ScriptedMetadataService in describeStreams() failed: ${thrown.getClass.getName}: ${thrown.getMessage}."
      assert(failure.detail.contains(text), failure.detail)
    }
  }

  test("endless recursion in a service is a failed fetch") {
    def endless(id: String): Boolean = !endless(id + id.take(1))
    val service = new ScriptedMetadataService(describe = _ => JMap.of("orders", orders), active = endless)
    assert(failsAt(ids("orders"), service).getCause.isInstanceOf[StackOverflowError])
  }

  test("a JVM without memory is not the service's failure") {
    val service = new ScriptedMetadataService(describe = _ => throw new OutOfMemoryError("heap"))
    // munit's `intercept` would let it pass.
    val passed =
      try { fetch(service); false }
      catch { case _: OutOfMemoryError => true }
    assert(passed)
  }

  test("an interrupted call is a failed fetch, and the thread stays interrupted") {
    failsAt(ids("orders"), new ScriptedMetadataService(describe = _ => throw new InterruptedException("stop")))
    assert(Thread.interrupted())
  }

  test("a failure that has a condition keeps it") {
    val own = errors.DynamicKafkaException(Condition.PythonService, "all_streams returned int")
    assert(failing(Condition.PythonService)(fetch(new ScriptedMetadataService(describe = _ => throw own))) eq own)
  }

  private val anything = ChosenStreams.Matching(Pattern.compile(".*"))

  Seq[(String, ChosenStreams, ScriptedMetadataService, String)](
    (
      "all streams are null",
      anything,
      new ScriptedMetadataService(all = null),
      "returned null; expected a set of streams"
    ),
    (
      "all streams hold null",
      anything,
      new ScriptedMetadataService(all = java.util.Collections.singleton(null)),
      "returned a collection with null; expected only KafkaStream objects"
    ),
    (
      "all streams hold something else",
      anything,
      new ScriptedMetadataService(all = JSet.of[Any]("orders").asInstanceOf[JSet[KafkaStream]]),
      "returned a collection with a java.lang.String; expected only KafkaStream objects"
    ),
    (
      "an id comes twice",
      anything,
      new ScriptedMetadataService(all = JSet.of(orders, stream("orders"))),
      "returned two streams with the id orders; expected each id once"
    ),
    (
      "the description is null",
      ids("orders"),
      new ScriptedMetadataService(describe = _ => null),
      "returned null; expected a map of streams by id"
    ),
    (
      "a described stream is null",
      ids("orders"),
      new ScriptedMetadataService(describe = _ => java.util.Collections.singletonMap("orders", null)),
      "returned a collection with null"
    ),
    (
      "a stream stands under another's id",
      ids("orders"),
      new ScriptedMetadataService(describe = _ => JMap.of("orders", refunds)),
      "returned stream refunds under the key orders; expected each stream under its own id"
    ),
    (
      "a stream was not asked for",
      ids("orders"),
      new ScriptedMetadataService(describe = _ => JMap.of("refunds", refunds)),
      "returned stream refunds, which was not asked for; expected only orders"
    ),
    (
      "the choice is null",
      subscriber(null),
      both,
      "in getSubscribedStreams() returned null; expected a set of stream ids"
    ),
    (
      "the choice holds null",
      subscriber(java.util.Collections.singleton(null)),
      both,
      "returned a set with null; expected ids, not empty"
    ),
    ("the choice holds an empty id", subscriber(JSet.of("")), both, "returned a set with a java.lang.String"),
    ("the choice throws", subscriber(throw new IllegalStateException("no")), both, "in getSubscribedStreams() failed")
  ).foreach { case (case_, selection, service, expected) =>
    test(s"it is a failed fetch, and says what was expected, when $case_") {
      val failure = failsAt(selection, service)
      assert(failure.detail.contains(expected), failure.detail)
    }
  }
}
