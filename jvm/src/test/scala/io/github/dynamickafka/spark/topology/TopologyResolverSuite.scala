package io.github.dynamickafka.spark.topology

import scala.collection.immutable.{SortedMap, SortedSet}

import org.scalacheck.{Gen, Prop}

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, Printable, StreamId}
import io.github.dynamickafka.spark.offsets.OffsetRuleText

class TopologyResolverSuite extends munit.ScalaCheckSuite {
  private val eu = ClusterId("eu-1")

  private def cluster(topics: String*)(own: (String, String)*): DescribedCluster = {
    val properties = new ConnectionSettings(Map("bootstrap.servers" -> "host:9092") ++ own)
    DescribedCluster(topics.to(SortedSet), properties.properties.keySet.to(SortedSet), properties, Right(properties))
  }

  private def stream(id: String, clusters: (ClusterId, DescribedCluster)*): DescribedStream =
    DescribedStream(StreamId(id), SortedMap.from(clusters))

  private def resolve(streams: DescribedStream*) = TopologyResolver.resolve(streams, Set.empty, SortedSet.empty)

  private def problems(streams: DescribedStream*): Vector[String] =
    resolve(streams: _*).fold(_.map(_.toString), found => fail(s"no problem found in $found"))

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
        "cluster eu-1: streams a and b have different properties for it: client.id, sasl.jaas.config. Write the same " +
          "values in both, or another cluster id in one of them"
      )
    )
  }

  private def resolvedTo(password: String) =
    cluster("t")("password" -> "${file:/p}").copy(connection =
      Right(new ConnectionSettings(Map(
        "bootstrap.servers" -> "host:9092",
        "password"          -> password
      )))
    )

  test("properties of two streams are compared as they are written") {
    val found = topology(stream("a", eu -> resolvedTo("old")), stream("b", eu -> resolvedTo("new"))).topology
    assertEquals(found.connections.get(eu).map(_.properties("password")), Some("old"))
    val written = cluster("t")("password" -> "old")
    assert(problems(stream("a", eu -> resolvedTo("old")), stream("b", eu -> written)).head.contains("password"))
  }

  test("a cluster whose properties can't be resolved is listed with the reason, whatever its address will be") {
    val why  = Failure(Condition.AuthenticationFailed, "no such file")
    val open = cluster("t")("bootstrap.servers" -> "${env:ADDRESS}").copy(connection = Left(why))
    val here = topology(stream("a", eu -> open, old -> cluster("t")())).topology
    assertEquals((here.unresolved(eu), here.unresolved(old)), (Some(why), None))
    assertEquals(here.connections.keySet, Set(old))
    val nowhere = cluster("t")("bootstrap.servers" -> "").copy(connection = Left(why))
    assertEquals(problems(stream("a", eu -> nowhere)), Vector("cluster eu-1 of stream a: bootstrap.servers is missing"))
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
    test(s"`${Printable.line(name.take(5))}` is not a valid topic name") {
      assert(problems(stream("a", eu -> cluster(name)())).head.contains("is not a valid topic name"))
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
      "cluster eu-1: streams a and b have different startingOffsets for it. They apply to the whole cluster: " +
        "write the same in both"
    assertEquals(problems(first, stream("b", eu -> starting("earliest"))), Vector(expected))
    assertEquals(problems(first, stream("b", eu -> cluster("t")())), Vector(expected))
  }

  private val (old, other) = (ClusterId("eu-0"), ClusterId("eu-2"))

  private def later(topic: String, earlier: ClusterId*) = cluster(topic)().copy(continues = earlier.to(SortedSet))

  private def pausing(topic: String, pause: Pause) = cluster(topic)().copy(pause = pause)

  private def topics(names: String*): Pause = Pause.Topics(names.to(SortedSet))

  test("a listed cluster continues what it names and what listed clusters continue that it names") {
    val found = topology(
      stream("a", eu    -> later("t", old), other -> later("t", eu)),
      stream("b", other -> later("u", eu))
    ).topology.clusters
    assertEquals(found(eu).continues, SortedSet(old))
    assertEquals(found(other).continues, SortedSet(old, eu))
  }

  test("a topology that differs in what continues or is paused alone is another one") {
    val said = Seq(cluster("t")(), later("t", old), pausing("t", topics("t")), pausing("t", Pause.Whole))
    assertEquals(said.map(one => topology(stream("a", eu -> one)).topology).distinct.size, said.size)
  }

  test("two streams must say the same of what a cluster continues") {
    val expected =
      "cluster eu-1: streams a and b have different `continues` for it. It applies to the whole cluster: write the same in both"
    assertEquals(problems(stream("a", eu -> later("t", old)), stream("b", eu -> later("u", other))), Vector(expected))
    assertEquals(problems(stream("a", eu -> later("t", old)), stream("b", eu -> cluster("u")())), Vector(expected))
    topology(stream("a", eu -> later("t", old, other)), stream("b", eu -> later("u", other, old)))
  }

  test("a cluster can't continue itself") {
    assertEquals(
      problems(stream("a", eu -> later("t", eu, old))),
      Vector("cluster eu-1 of stream a: it can't continue itself: `continues` names only earlier ids")
    )
  }

  test("a circle and rivals are refused, over several streams as well") {
    val circle = problems(stream("a", eu -> later("t", other)), stream("b", other -> later("t", eu)))
    assert(circle.mkString.startsWith("clusters eu-1, eu-2 continue each other in a circle"), circle)
    val rivals = problems(stream("a", eu -> later("t", old)), stream("b", other -> later("t", old)))
    assert(rivals.mkString.startsWith("clusters eu-1, eu-2 continue eu-0 and do not continue each other"), rivals)
  }

  test("what one of two streams pauses of a cluster is paused") {
    def both(one: Pause, two: Pause) =
      topology(stream("a", eu -> pausing("t", one)), stream("b", eu -> pausing("u", two))).topology.clusters(eu).pause
    assertEquals(both(topics("t"), topics("u")), topics("t", "u"))
    assertEquals(both(Pause.none, Pause.Whole), Pause.Whole)
    assertEquals(both(topics("t"), Pause.Whole), Pause.Whole)
    assertEquals(both(Pause.none, Pause.none), Pause.none)
  }

  test("a paused topic that no stream lists there is reported by a warning, for it may be misspelt") {
    val found = topology(stream("a", eu -> pausing("t", topics("t", "u", "v"))), stream("b", eu -> cluster("u")()))
    assertEquals(
      found.warnings,
      SortedSet("cluster eu-1 pauses the topic v, which no stream lists there: only its drain is paused")
    )
    assertEquals(found.topology.clusters(eu).pause, topics("t", "u", "v"))
  }

  test("what is not a valid topic name can't be paused") {
    assert(problems(stream("a", eu -> pausing("t", topics("a b")))).head.contains("\"a b\" is not a valid topic name"))
  }

  test("an id with half a character is refused: from the checkpoint it would come back as another one") {
    val half = "eu\uD83D"
    for (
      listed <- Seq(
        stream("a", ClusterId(half) -> cluster("t")()),
        stream(half, eu             -> cluster("t")()),
        stream("a", eu              -> cluster("t")().copy(continues = SortedSet(ClusterId(half))))
      )
    ) {
      // Reports of tests can't be written with it either.
      val found =
        resolve(listed).fold(_.map(_.toString.contains("an id has only half of a surrogate pair")), _ => Vector.empty)
      assertEquals(found, Vector(true))
    }
    topology(stream("a", ClusterId("eu\uD83D\uDE00") -> cluster("t")()))
  }

  test("all problems come at once") {
    val found = problems(
      stream("a", eu                -> later("a b", eu).copy(ownProperties = SortedSet("enable.auto.commit"))),
      stream("b", ClusterId("us-1") -> cluster("t")("bootstrap.servers" -> ""), old -> later("t", other)),
      stream("c", other             -> later("t", old))
    )
    assertEquals(found.size, 5, found)
  }

  property("the order in which streams are described does not matter") {
    val streams = Gen.listOf(
      for {
        id     <- Gen.oneOf("a", "b", "c", "d")
        where  <- Gen.oneOf("eu-1", "us-1")
        topics <- Gen.someOf("one", "two", "three")
        before <- Gen.someOf("eu-0", "eu-1", "us-1")
        pause  <- Gen.oneOf(Pause.none, Pause.Whole, this.topics("one"), this.topics("two"))
        ids = before.map(ClusterId(_)).to(SortedSet)
      } yield stream(id, ClusterId(where) -> cluster(topics.toSeq: _*)().copy(continues = ids, pause = pause))
    )
    Prop.forAll(streams.map(_.distinctBy(_.id)))(found => resolve(found: _*) == resolve(found.reverse: _*))
  }
}
