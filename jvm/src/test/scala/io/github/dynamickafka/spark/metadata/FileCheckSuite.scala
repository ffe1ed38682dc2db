package io.github.dynamickafka.spark.metadata

import munit.FunSuite

/** What is found in the text of a file, with its place. */
class FileCheckSuite extends FunSuite {
  private def check(text: String, env: Map[String, String] = Map.empty): FileCheck =
    FileCheck.of(text, Map.empty, new Placeholders(env.get, path => throw new java.io.IOException(s"no $path")))

  private def shown(problems: Vector[FileProblem]): Vector[String] = problems.map { one =>
    Seq(one.line.map("line " + _), one.stream, one.cluster, one.field).flatten.mkString(" ") + " | " + one.text.take(60)
  }

  private val entry = "    - {clusterId: eu-1, bootstrapServers: \"b1:9092\", topics: [orders]"

  test("a good file has its topology") {
    val found = check(s"- streamId: orders\n  clusterMetadataList:\n$entry}\n")
    assertEquals((found.problems, found.warnings, found.streams), (Vector.empty, Vector.empty, 1))
    assertEquals(found.topology.map(_.clusters.size), Some(1))
  }

  test("problems of the form and of the meaning are found at once, each with its line") {
    val found = check(
      s"""- streamId: orders
         |  clusterMetadataList:
         |$entry, colour: red}
         |- streamId: refunds
         |  clusterMetadataList:
         |    - {clusterId: eu-2, bootstrapServers: "b2:9092", topics: ["re funds"], properties: {enable.auto.commit: true}}
         |""".stripMargin
    )
    assertEquals(
      shown(found.problems),
      Vector(
        "line 3 orders clusterMetadataList[0].colour | there is no such field; allowed are bootstrapServers, topics",
        "line 6 refunds eu-2 | cluster eu-2 of stream refunds: property enable.auto.commit ",
        "line 6 refunds eu-2 | cluster eu-2 of stream refunds: \"re funds\" is not a valid to"
      )
    )
    assertEquals(found.topology, None)
  }

  test("a misspelled field is one problem, with the field that may be meant") {
    val found = check(s"- streamId: orders\n  clusterMetadataList:\n${entry.replace("topics", "topcis")}}\n")
    assertEquals(
      shown(found.problems),
      Vector("line 3 orders clusterMetadataList[0].topcis | there is no such field; did you mean topics?")
    )
  }

  test("two streams that disagree about a cluster are a problem of the second one's line") {
    val found = check(
      s"""- streamId: orders
         |  clusterMetadataList:
         |$entry, properties: {client.rack: a}}
         |- streamId: refunds
         |  clusterMetadataList:
         |$entry, properties: {client.rack: b}}
         |""".stripMargin
    )
    assertEquals(
      shown(found.problems),
      Vector("line 6 refunds eu-1 | cluster eu-1: streams orders and refunds have different prop")
    )
  }

  test("a successor whose entry is broken makes no rivals of the others") {
    val chain = Seq("eu-2" -> "[eu-1]", "eu-3" -> "[eu-2], colour: red", "eu-4" -> "[eu-1, eu-3]").map {
      case (id, of) =>
        s"""- streamId: s-$id
         |  clusterMetadataList: [{clusterId: $id, bootstrapServers: "$id:9092", topics: [t], continues: $of}]""".stripMargin
    }
    assertEquals(check(chain.mkString("\n")).problems.map(_.line), Vector(Some(4)))
  }

  test("a secret that is not here is a warning, since it may be on the driver's machine") {
    val text =
      s"- streamId: orders\n  clusterMetadataList:\n$entry, properties: {sasl.jaas.config: \"$${env:JAAS}\"}}\n"
    val found = check(text)
    assertEquals(found.problems, Vector.empty)
    assertEquals(
      shown(found.warnings),
      Vector(
        "line 3 orders eu-1 properties.sasl.jaas.config | ${env:JAAS} can't be resolved on this machine: the driver's "
      )
    )
    assertEquals(found.unresolved.keySet.map(_.value).toSet, Set("eu-1"))
    assertEquals(check(text, Map("JAAS" -> "s3cret")).warnings, Vector.empty)
  }

  test("a cluster without an id is warned of, and so is a topic that two streams share") {
    val two = Seq("a", "b").map { id =>
      s"""- streamId: $id
         |  clusterMetadataList: [{bootstrapServers: "b1:9092", topics: [t]}]""".stripMargin
    }
    val found = check(two.mkString("\n"))
    assertEquals(found.problems, Vector.empty)
    assertEquals(found.warnings.map(_.field), Vector(Some("clusterId"), Some("clusterId"), None))
  }

  private def addressed(servers: String, env: Map[String, String] = Map.empty) = check(
    s"- streamId: orders\n  clusterMetadataList:\n    - {clusterId: eu-1, bootstrapServers: \"$servers\", topics: [t]}\n",
    env
  )

  test("an address without a port is a problem of its line, since no client takes it") {
    Seq("b1", "b1:", "b1:port", "b1:0", "b1:70000", ":9092", "b1:9092,b2").foreach { servers =>
      assertEquals(
        shown(addressed(servers).problems).map(_.takeWhile(_ != '|').trim),
        Vector("line 3 orders eu-1 bootstrapServers"),
        servers
      )
    }
    assertEquals(
      addressed("b1:9092,b2").problems.map(_.text),
      Vector("the address b2 has no port, or is none: write host:port, such as b1:9092")
    )
    Seq("b1:9092", " b1:9092 , b2:9093,", "[::1]:9092", "SASL_SSL://b1:9092", "10.0.0.1:1").foreach { servers =>
      assertEquals(addressed(servers).problems, Vector.empty, servers)
    }
  }

  test("an address behind a placeholder is not shown, and one that can't be resolved here is no problem") {
    val found = addressed("${env:B}", Map("B" -> "hidden.host")).problems.map(_.text)
    assertEquals(found, Vector("an address has no port, or is none: write host:port, such as b1:9092"))
    assertEquals(addressed("${env:B}").problems, Vector.empty)
    assertEquals(addressed("user:s3cret@b1:9092").problems.map(_.text), found)
  }
}
