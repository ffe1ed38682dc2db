package io.github.dynamickafka.spark.topology

import scala.collection.immutable.{SortedMap, SortedSet}

import org.scalacheck.{Gen, Prop}

import io.github.dynamickafka.spark.ids.{ClusterId, Printable, StreamId}
import io.github.dynamickafka.spark.offsets.OffsetRuleText

class TopologyResolverSuite extends munit.ScalaCheckSuite {
  private val eu = ClusterId("eu-1")

  private def cluster(topics: String*)(own: (String, String)*): DescribedCluster = {
    val properties = Map("bootstrap.servers" -> "host:9092") ++ own
    DescribedCluster(topics.to(SortedSet), properties.keySet.to(SortedSet), new ConnectionSettings(properties))
  }

  private def stream(id: String, clusters: (ClusterId, DescribedCluster)*): DescribedStream =
    DescribedStream(StreamId(id), SortedMap.from(clusters))

  private def resolve(streams: DescribedStream*) = TopologyResolver.resolve(streams, Set.empty, SortedSet.empty)

  private def problems(streams: DescribedStream*): Vector[String] =
    resolve(streams: _*).fold(identity, found => fail(s"no problem found in $found"))

  private def topology(streams: DescribedStream*): TopologyResolver.Resolved =
    resolve(streams: _*).fold(found => fail(found.mkString("; ")), identity)

  test("a cluster of two streams is one cluster with the topics of both") {
    val found = topology(stream("a", eu -> cluster("one")()), stream("b", eu -> cluster("two")()))
    assertEquals(found.topology.clusters(eu).topics, SortedMap("one" -> StreamId("a"), "two" -> StreamId("b")))
    assertEquals(found.warnings, SortedSet.empty[String])
  }

  test("a topic of two streams belongs to the id that sorts first, and a warning says so") {
    val found = topology(stream("b", eu -> cluster("one")()), stream("a", eu -> cluster("one")()))
    assertEquals(found.topology.clusters(eu).topics, SortedMap("one" -> StreamId("a")))
    assertEquals(
      found.warnings,
      SortedSet(
        "topic one of cluster eu-1 is shared by the streams a, b: it is read once, and its rows carry the stream a"
      )
    )
  }

  test("a cluster without topics stays listed") {
    assertEquals(
      topology(stream("a", eu -> cluster()())).topology.clusters(eu).topics,
      SortedMap.empty[String, StreamId]
    )
  }

  test("unknown ids and inactive clusters are carried through") {
    val found = TopologyResolver.resolve(Seq(stream("a", eu -> cluster("t")())), Set(eu), SortedSet(StreamId("x")))
    assertEquals(found.map(_.topology.unknown), Right(SortedSet(StreamId("x"))))
    assertEquals(found.map(_.topology.clusters(eu).active), Right(false))
  }

  test("properties that differ between streams are named, and their values are not") {
    assertEquals(
      problems(
        stream("a", eu -> cluster("t")("sasl.jaas.config" -> "s3cret", "client.rack" -> "r")),
        stream("b", eu -> cluster("u")("sasl.jaas.config" -> "other", "client.id" -> "c", "client.rack" -> "r"))
      ),
      Vector(
        "cluster eu-1: streams a and b give it different properties: client.id, sasl.jaas.config. Give the same values " +
          "in both, or another cluster id in one of them"
      )
    )
  }

  test("an address is needed, and the message names stream and cluster") {
    assertEquals(
      problems(stream("a", eu -> cluster("t")("bootstrap.servers" -> " "))),
      Vector("cluster eu-1 of stream a: bootstrap.servers is missing")
    )
  }

  Seq(
    "auto.offset.reset",
    "enable.auto.commit",
    "key.deserializer",
    "value.deserializer",
    "interceptor.classes"
  ).foreach {
    name =>
      test(s"$name among a cluster's own properties is refused with a reason") {
        val found = problems(stream("a", eu -> cluster("t")(name -> "s3cret")))
        assert(found.head.startsWith(s"cluster eu-1 of stream a: property $name is refused: "), found.toString)
        assert(!found.head.contains("s3cret"))
      }
  }

  Seq("", "a b", "ä", "x" * 250, ".", "..", "../a", "a\n").foreach { name =>
    test(s"`${Printable.line(name.take(5))}` is no topic's name") {
      assert(problems(stream("a", eu -> cluster(name)())).head.contains("is no topic's name"))
    }
  }

  test("own offsets keep their text, and get their meaning") {
    val text  = """{"t": {"0": 12}}"""
    val found = topology(stream("a", eu -> cluster("t")().copy(startingOffsets = Some(text)))).topology.clusters(eu)
    assertEquals(found.startingOffsets, Some(OwnOffsets(text, OffsetRuleText.cluster(text).getOrElse(fail("no rule")))))
    assertEquals(found.endingOffsets, None)
  }

  test("own offsets that mean nothing are a problem with stream, cluster and field") {
    val found = problems(stream("a", eu -> cluster("t")().copy(endingOffsets = Some("soon"))))
    assert(found.head.startsWith("cluster eu-1 of stream a: endingOffsets: "), found.toString)
  }

  test("two streams' offsets for one cluster are compared by what they mean") {
    def starting(text: String) = cluster("t")().copy(startingOffsets = Some(text))
    val first                  = stream("a", eu -> starting("""{"t":{"0":1}}"""))
    assertEquals(
      topology(
        first,
        stream("b", eu -> starting("""{ "t": {"0": 1} }"""))
      ).topology.clusters(eu).startingOffsets.map(_.text),
      Some("""{"t":{"0":1}}""")
    )
    val expected =
      "cluster eu-1: streams a and b give it different startingOffsets. They hold for the whole cluster: " +
        "give the same in both"
    assertEquals(problems(first, stream("b", eu -> starting("earliest"))), Vector(expected))
    assertEquals(problems(first, stream("b", eu -> cluster("t")())), Vector(expected))
  }

  test("all problems come at once") {
    val found = problems(
      stream("a", eu                -> cluster("a b")("enable.auto.commit" -> "true")),
      stream("b", ClusterId("us-1") -> cluster("t")("bootstrap.servers" -> ""))
    )
    assertEquals(found.size, 3)
  }

  property("the order in which streams are described does not matter") {
    val streams = Gen.listOf(
      for {
        id     <- Gen.oneOf("a", "b", "c", "d")
        where  <- Gen.oneOf("eu-1", "us-1")
        topics <- Gen.someOf("one", "two", "three")
      } yield stream(id, ClusterId(where) -> cluster(topics.toSeq: _*)())
    )
    Prop.forAll(streams)(found => resolve(found: _*) == resolve(found.reverse: _*))
  }
}
