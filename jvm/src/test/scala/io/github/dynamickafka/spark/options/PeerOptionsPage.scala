package io.github.dynamickafka.spark.options

import io.github.dynamickafka.spark.options.PeerMeaning.{Refused, Same}

/** The page about one cluster that is read by options of Spark's own source. */
private[options] object PeerOptionsPage {
  private val Head =
    """# One cluster, one word
      |
      |<!-- Generated; never edited: `make docs`. -->
      |
      |How a query of Spark's own Kafka source moves: [bring the jar](../platforms.md#ways-in), and `.format("kafka")` is now `.format("dynamic-kafka")`.
      |
      |With `kafka.bootstrap.servers`, one of `subscribe`, `subscribePattern` and `assign`, and no `metadataService`, columns, rows and offsets are
      |those of Spark's own source.
      |
      |- **The checkpoint** is continued, with state, watermark and batch ids. A batch that was not committed has the same rows. The first
      |  trigger logs an offset that Spark's own source can't read, and warns. Back: [`adopt --back`](../migrations-from-union.md#with-its-state), never a copy.
      |- **A batch read** gives each later action the rows of the first one.
      |- **A second cluster**: replace these options by a [metadata file](../metadata.md) that lists this cluster as `kafka`, each topic as a
      |  stream. Rows then have all columns of this source.
      |
      |""".stripMargin

  private val Tail =
    """- `kafka.*`: [some](../options.md#kafkakey) are refused
      |- `clusterId`, of this source: the id of the cluster, by default `kafka`
      |- `clusterColumns`, of this source: `true` adds the columns `cluster` and `stream`
      |
      |Options that choose streams, or are about clusters that come and go, are refused.
      |""".stripMargin

  def markdown: String = {
    val (plain, noted) = PeerOptions.all.partition(_.alone == Same())
    val notes          = noted.map { option =>
      val refused = option.alone match {
        case Refused(_) => "refused: "
        case Same(_)    => ""
      }
      s"- `${option.key}`: $refused${option.alone.text}\n"
    }
    s"$Head${plain.map(option => s"`${option.key}`").mkString(", ")} mean the same. The others:\n\n${notes.mkString}$Tail"
  }
}
