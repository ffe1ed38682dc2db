package io.github.dynamickafka.spark.metadata.yaml

/** Files of streams, read or refused, in one line. */
trait StreamsFiles { self: munit.FunSuite =>
  protected def parsed(text: String): StreamsFile =
    StreamsFile.parse(text).fold(problems => fail(problems.mkString("\n")), identity)

  protected def problems(text: String): Vector[String] =
    StreamsFile.parse(text).fold(_.map(_.toString), found => fail(s"no problem in $found"))

  /** A file of one stream with one cluster. Fields without an indent belong to the cluster. */
  protected def one(fields: String*): String =
    ("- streamId: orders\n  clusterMetadataList:\n  - clusterId: eu-1\n" +: fields.map(field =>
      s"    $field\n"
    )).mkString

  /** The same, with these fields from the sixth line on. */
  protected def fields(more: String*): String = one(Seq("bootstrapServers: b:1", "topics: [t]") ++ more: _*)
}
