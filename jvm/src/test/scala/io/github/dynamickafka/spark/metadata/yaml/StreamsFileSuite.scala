package io.github.dynamickafka.spark.metadata.yaml

import java.util.{List => JList, Set => JSet}

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._

import org.scalacheck.{Gen, Prop}

import io.github.dynamickafka.spark.KafkaStream
import io.github.dynamickafka.spark.fakes.Streams.{cluster, stream}

/** The file as a whole, and its streams. `ClusterEntrySuite` covers the clusters' fields. */
class StreamsFileSuite extends munit.ScalaCheckSuite with StreamsFiles {
  private val good =
    """- streamId: orders
      |  clusterMetadataList:
      |    - clusterId: eu-1            # a comment
      |      bootstrapServers: b1:9092,b2:9092
      |      topics: [orders, "2024"]
      |      properties:
      |        security.protocol: SASL_SSL
      |        sasl.jaas.config: "${env:EU1_JAAS}"
      |        fetch.min.bytes: 0x10
      |        check.crcs: TRUE
      |      startingOffsets: earliest
      |      endingOffsets: {orders: {1: latest, "0": 1200}}
      |      active: true
      |      continues: [eu-0, "7"]
      |      paused: [orders]
      |    - {clusterId: us-1, bootstrapServers: "b3:9092", topics: [], active: false, continues: us-0, paused: true}
      |- streamId: refunds
      |  clusterMetadataList: []
      |""".stripMargin

  test("all fields are read") {
    val eu = cluster("orders", "2024")(
      "bootstrap.servers" -> "b1:9092,b2:9092",
      "security.protocol" -> "SASL_SSL",
      "sasl.jaas.config"  -> "${env:EU1_JAAS}",
      "fetch.min.bytes"   -> "0x10",
      "check.crcs"        -> "TRUE"
    ).withStartingOffsets("earliest").withEndingOffsets("""{"orders":{"0":1200,"1":"latest"}}""")
      .continuing(JList.of("eu-0", "7")).pausedTopics(JSet.of("orders"))
    val us = cluster()("bootstrap.servers" -> "b3:9092").continuing("us-0").paused()
    assertEquals(
      parsed(good),
      StreamsFile(
        SortedMap("orders" -> stream("orders", "eu-1" -> eu, "us-1" -> us), "refunds" -> stream("refunds")),
        active = Map("eu-1" -> true, "us-1" -> false),
        unnamed = SortedSet.empty
      )(lines = Map.empty)
    )
  }

  test("a time of offsets needs no quotes") {
    val entry =
      "{clusterId: c, bootstrapServers: 'b:1', topics: [t], startingOffsets: {timestamp: 2026-01-01T00:00:00Z}}"
    val found = parsed(s"- {streamId: s, clusterMetadataList: [$entry]}").streams("s").getClusters.get("c")
    assertEquals(found.getStartingOffsets.get, """{"timestamp":"2026-01-01T00:00:00Z"}""")
  }

  test("an explicit empty list is an empty topology") {
    assertEquals(parsed("[]").streams, SortedMap.empty[String, KafkaStream])
    assertEquals(parsed("--- # nothing yet\n[]\n").streams.size, 0)
  }

  test("a cluster without an id is known by its address") {
    val text  = "- streamId: s\n  clusterMetadataList:\n  - {bootstrapServers: 'b:1', topics: [t]}"
    val found = parsed(text)
    assertEquals(found.unnamed, SortedSet("b:1"))
    assertEquals(found.streams("s").getClusters.keySet, java.util.Set.of("b:1"))
    assertEquals(found.active, Map("b:1" -> true))
  }

  test("an anchor may give many clusters the same properties") {
    val text =
      """- streamId: s
        |  clusterMetadataList:
        |  - {clusterId: a, bootstrapServers: "a:1", topics: [t], properties: &sasl {security.protocol: SASL_SSL}}
        |  - {clusterId: b, bootstrapServers: "b:1", topics: [t], properties: *sasl}
        |""".stripMargin
    assertEquals(parsed(text).streams("s").getClusters.get("b").getProperties.get("security.protocol"), "SASL_SSL")
  }

  private val nothing = "line 1: it is empty; no streams at all are written as []"

  Seq[(String, String, Seq[String])](
    ("empty", "", Seq(nothing)),
    ("comments alone", "# later\n", Seq(nothing)),
    ("an empty document", "---\n", Seq(nothing)),
    ("no list at the top", "streams: []", Seq("line 1: expected a list, found a mapping")),
    (
      "two documents",
      "[]\n---\n[]\n",
      Seq(
        "line 2: it is not valid YAML, or is cut off, expected a single document in the stream, but found another document"
      )
    ),
    ("an entry that is no mapping", "- orders\n", Seq("line 1, entry 1: expected a mapping, found text")),
    (
      "an unknown field of a stream",
      "- streamId: s\n  clusterMetadataList: []\n  clusters: []",
      Seq("line 3, stream s, field clusters: there is no such field; allowed are streamId, clusterMetadataList")
    ),
    (
      "a misspelled field, which is not missing as well",
      one("bootstrapServers: b:1", "topcis: [a]"),
      Seq("line 5, stream orders, field clusterMetadataList[0].topcis: there is no such field; did you mean topics?")
    ),
    (
      "a misspelled field beside one that is missing",
      one("topic: [a]"),
      Seq(
        "line 3, stream orders, field clusterMetadataList[0].bootstrapServers: it is missing, or the file is cut off here",
        "line 4, stream orders, field clusterMetadataList[0].topic: there is no such field; did you mean topics?"
      )
    ),
    (
      "a misspelled field of a stream",
      "- stream_id: s\n  clusterMetadataList: []",
      Seq("line 1, entry 1, field stream_id: there is no such field; did you mean streamId?")
    ),
    (
      "no streamId",
      "- streamId: s\n  clusterMetadataList: []\n- clusterMetadataList: []",
      Seq("line 3, entry 2, field streamId: it is missing, or the file is cut off here")
    ),
    (
      "a streamId that is a number",
      "- streamId: 7\n  clusterMetadataList: []",
      Seq("line 1, entry 1, field streamId: expected text, found a number: put it in quotes")
    ),
    (
      "an empty streamId",
      "- streamId: ''\n  clusterMetadataList: []",
      Seq("line 1, entry 1, field streamId: it is empty")
    ),
    (
      "cut off after streamId",
      "- streamId: s\n",
      Seq("line 1, stream s, field clusterMetadataList: it is missing, or the file is cut off here")
    ),
    (
      "cut off after the list's name",
      "- streamId: s\n  clusterMetadataList:",
      Seq("line 2, stream s, field clusterMetadataList: expected a list, found nothing (is the file cut off here?)")
    ),
    (
      "cut off inside a list",
      one("bootstrapServers: b:1", "topics: [a, b"),
      Seq(
        "line 6: it is not valid YAML, or is cut off, while parsing a flow sequence, expected ',' or ']', but got <stream end>"
      )
    ),
    (
      "a stream twice",
      "- {streamId: s, clusterMetadataList: []}\n- {streamId: s, clusterMetadataList: []}",
      Seq("line 2, stream s, field streamId: the same streamId s is already at line 1")
    ),
    (
      "a cluster twice",
      fields() + "  - clusterId: eu-1\n    bootstrapServers: c:1\n    topics: []\n",
      Seq(
        "line 6, stream orders, field clusterMetadataList[1].clusterId: the same clusterId eu-1 is already at line 3"
      )
    ),
    (
      "several problems",
      "- streamId: s\n  clusterMetadataList:\n  - bootstrapServers: 1\n    colour: [a]\n    active: maybe\n- {streamId: s}",
      Seq(
        "line 3, stream s, field clusterMetadataList[0].topics: it is missing, or the file is cut off here",
        "line 3, stream s, field clusterMetadataList[0].bootstrapServers: expected text, found a number: put it in quotes",
        "line 4, stream s, field clusterMetadataList[0].colour: there is no such field; allowed are bootstrapServers, topics, " +
          "clusterId, properties, startingOffsets, endingOffsets, active, continues, paused",
        "line 5, stream s, field clusterMetadataList[0].active: expected true or false, found text",
        "line 6, stream s, field clusterMetadataList: it is missing, or the file is cut off here"
      )
    )
  ).foreach { case (claim, text, expected) =>
    test(s"a file with a problem is refused by line: $claim")(assertEquals(problems(text), expected.toVector))
  }

  test("a cluster can't be active in one stream and inactive in another") {
    def entry(id: String, active: String) =
      s"- streamId: $id\n  clusterMetadataList:\n  - {clusterId: c, bootstrapServers: 'b:1', topics: [$id]$active}\n"
    assertEquals(
      problems(entry("a", ", active: true") + entry("b", ", active: false")),
      Vector("line 6, stream b, field clusterMetadataList[0].active: cluster c is false, but the opposite at line 3")
    )
    assertEquals(parsed(entry("a", "") + entry("b", ", active: false")).active, Map("c" -> false))
  }

  test("a cluster can't continue an id in one stream and another, or none, in the next") {
    def entry(id: String, continues: String) =
      s"- streamId: $id\n  clusterMetadataList:\n  - {clusterId: c, bootstrapServers: 'b:1', topics: [$id]$continues}\n"
    val expected = Vector(
      "line 6, stream b, field clusterMetadataList[0].continues: cluster c continues other ids here than at line 3: write the " +
        "same in both"
    )
    assertEquals(problems(entry("a", ", continues: a") + entry("b", ", continues: b")), expected)
    assertEquals(problems(entry("a", ", continues: a") + entry("b", "")), expected)
    parsed(entry("a", ", continues: [a, b]") + entry("b", ", continues: [b, a]"))
  }

  Seq(
    "an alias"             -> fields("properties: {ssl.key.password: *s3cret}"),
    "a tag"                -> fields("properties: {ssl.key.password: !s3cret!word}"),
    "text around an error" -> fields("properties: {ssl.key.password: s3cret", "  other"),
    "a part of a key"      -> fields("properties: {security.protocol: SSL, ssl.key.password:s3cret}"),
    "a key in quotes"      -> fields("properties: {\"ssl.key.password=s3cret\"}"),
    "a field"              -> fields("properties: {}", "ssl.key.password:s3cret: x"),
    "a key behind a comma" -> fields("properties: {ssl.key.password: my,s3cret}"),
    "one like a property"  -> fields("properties: {ssl.key.password: my,word.s3cret}"),
    "a key twice"          -> fields("properties: {ssl.key.password: my,s3cret,s3cret}"),
    "a field of a cluster" -> "[{streamId: s, clusterMetadataList: [{bootstrapServers: b:1, ssl.key.password: my,s3cret}]}]",
    "an option of a login" -> fields("properties: {sasl.jaas.config: a.Login required username=u, password=s3cret;}")
  ).foreach { case (what, text) =>
    test(s"a secret that YAML takes for $what is not shown") {
      val found = problems(text)
      assert(!found.exists(_.contains("s3cret")), found.toString)
    }
  }

  test("aliases that multiply, or that refer to themselves, are refused before they cost anything") {
    val bomb = ("a0: &a0 [" + "x," * 9 + "x]") +:
      (1 to 9).map(n => s"a$n: &a$n [" + Seq.fill(10)(s"*a${n - 1}").mkString(",") + "]")
    Seq(bomb.mkString("\n"), fields("startingOffsets: &self {t: *self}"), "&top [*top]").foreach { text =>
      assert(problems(text).head.contains("its aliases refer to themselves, or make more than"), text)
    }
  }

  test("deep nesting is refused") {
    assertEquals(problems("[" * 100000), Vector("line 1: it is nested too deep"))
  }

  property("a file cut off anywhere is refused, or is a shorter list of the same streams and clusters") {
    val entries = parsed(good).streams
    Prop.forAll(Gen.choose(1, good.length - 1)) { end =>
      StreamsFile.parse(good.take(end)) match {
        case Left(problems) => problems.nonEmpty
        // A text that has begun does not show a cut, nor does a list, nor a cluster whose last fields are optional.
        case Right(file) => file.streams.forall { case (id, cut) =>
            entries.exists { case (whole, stream) =>
              whole.startsWith(id) && cut.getClusters.asScala.forall { case (cluster, said) =>
                Option(stream.getClusters.get(cluster)).exists(of => of.getTopics.containsAll(said.getTopics))
              }
            }
          }
      }
    }
  }
}
