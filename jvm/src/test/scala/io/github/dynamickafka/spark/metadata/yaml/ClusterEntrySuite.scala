package io.github.dynamickafka.spark.metadata.yaml

/** The fields of one cluster. */
class ClusterEntrySuite extends munit.FunSuite with StreamsFiles {
  private val list0 = "field clusterMetadataList[0]"

  private def metadata(text: String) = parsed(text).streams("orders").getClusters.get("eu-1")

  test("offsets are text as it stands, or a mapping that becomes JSON with sorted keys") {
    def starting(written: String) = metadata(fields(s"startingOffsets: $written")).getStartingOffsets.get
    assertEquals(starting("latest"), "latest")
    assertEquals(starting("""'{"t": {"0": 5}}'"""), """{"t": {"0": 5}}""")
    assertEquals(starting("{timestamp: 1700000000000}"), """{"timestamp":1700000000000}""")
    assertEquals(
      starting("{z: latest, t: {1: 7, 0: {timestamp: 5}}}"),
      """{"t":{"0":{"timestamp":5},"1":7},"z":"latest"}"""
    )
  }

  test("`continues` and `paused` that are empty, and `paused: false`, say nothing") {
    assertEquals(metadata(fields("continues: []", "paused: []")), metadata(fields()))
    assertEquals(metadata(fields("paused: false")), metadata(fields()))
  }

  Seq[(String, String, Seq[String])](
    (
      "cut off inside a cluster",
      one("bootstrapServers: b:1"),
      Seq(s"line 3, stream orders, $list0.topics: it is missing, or the file is cut off here")
    ),
    (
      "cut off before the properties",
      fields("properties:"),
      Seq(s"line 6, stream orders, $list0.properties: expected a mapping, found nothing (is the file cut off here?)")
    ),
    (
      "a key twice",
      fields("topics: [u]"),
      Seq(s"line 6, stream orders, $list0.topics: it is here a second time")
    ),
    (
      "a property twice",
      fields("properties:", "  client.rack: a", "  client.rack: b"),
      Seq(s"line 8, stream orders, $list0.properties.client.rack: it is here a second time")
    ),
    (
      "a topic twice",
      one("bootstrapServers: b:1", "topics: [a, b, a]"),
      Seq(s"line 5, stream orders, $list0.topics[2]: the same topic a is already at line 5")
    ),
    (
      "topics as text",
      one("bootstrapServers: b:1", "topics: orders"),
      Seq(s"line 5, stream orders, $list0.topics: expected a list, found text")
    ),
    (
      "a property that is a list",
      fields("properties: {a: [s3cret]}"),
      Seq(s"line 6, stream orders, $list0.properties.a: expected text, a number or a boolean, found a list")
    ),
    (
      "the address among the properties",
      fields("properties: {bootstrap.servers: 'c:1'}"),
      Seq(s"line 6, stream orders, $list0.properties.bootstrap.servers: write the address as bootstrapServers")
    ),
    (
      "active that is text",
      fields("active: yes"),
      Seq(s"line 6, stream orders, $list0.active: expected true or false, found text")
    ),
    (
      "an earlier id that is a number",
      fields("continues: 7"),
      Seq(s"line 6, stream orders, $list0.continues: expected text, found a number: put it in quotes")
    ),
    (
      "a list of earlier ids with an empty one, and one twice",
      fields("continues: [a, '', a]"),
      Seq(
        s"line 6, stream orders, $list0.continues[1]: it is empty",
        s"line 6, stream orders, $list0.continues[2]: the same id a is already at line 6"
      )
    ),
    (
      "earlier ids that are a mapping",
      fields("continues: {eu-0: true}"),
      Seq(s"line 6, stream orders, $list0.continues: expected a cluster id or a list of them, found a mapping")
    ),
    (
      "cut off before the earlier id",
      fields("continues:"),
      Seq(
        s"line 6, stream orders, $list0.continues: expected a cluster id or a list of them, found nothing (is the file cut " +
          "off here?)"
      )
    ),
    (
      "a cluster that continues itself",
      fields("continues: [eu-0, eu-1]"),
      Seq(s"line 6, stream orders, $list0.continues: a cluster can't continue itself: name only its earlier ids")
    ),
    (
      "a cluster without an id that continues its address",
      "- streamId: s\n  clusterMetadataList:\n  - {bootstrapServers: 'b:1', topics: [t], continues: 'b:1'}",
      Seq(
        "line 3, stream s, field clusterMetadataList[0].continues: a cluster can't continue itself: name only its earlier ids"
      )
    ),
    (
      "paused that is text",
      fields("paused: yes"),
      Seq(s"line 6, stream orders, $list0.paused: expected true, false or a list of topics, found text")
    ),
    (
      "a paused topic that is a number, and one twice",
      fields("paused: [7, a, a]"),
      Seq(
        s"line 6, stream orders, $list0.paused[0]: expected text, found a number: put it in quotes",
        s"line 6, stream orders, $list0.paused[2]: the same topic a is already at line 6"
      )
    ),
    (
      "cut off before what is paused",
      fields("paused:"),
      Seq(
        s"line 6, stream orders, $list0.paused: expected true, false or a list of topics, found nothing (is the file cut off " +
          "here?)"
      )
    ),
    (
      "a tag of another schema",
      fields("properties: {a: !s3cret x}"),
      Seq(
        s"line 6, stream orders, $list0.properties.a: expected text, a number or a boolean, found a value with its own " +
          "tag (a value that begins with ! needs quotes)"
      )
    ),
    (
      "offsets of a wrong type",
      fields("startingOffsets: {t: {0: 1.5}}"),
      Seq(
        s"line 6, stream orders, $list0.startingOffsets.t.0: expected text, a whole number or a mapping, found a number"
      )
    ),
    (
      "an offset that is not decimal",
      fields("endingOffsets: {t: {0: 0x10}}"),
      Seq(s"line 6, stream orders, $list0.endingOffsets.t.0: expected a decimal number of at most 19 digits")
    )
  ).foreach { case (claim, text, expected) =>
    test(s"a cluster with a problem is refused by line: $claim")(assertEquals(problems(text), expected.toVector))
  }

  test("offsets without a meaning are refused by line") {
    val found = problems(fields("startingOffsets: soon"))
    assert(found.head.startsWith(s"line 6, stream orders, $list0.startingOffsets: "), found.toString)
  }
}
