package io.github.dynamickafka.spark.compat

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets._

/** The meaning of each line in `tests/compat/<version>/offsets.txt`. A release that changes the form of the offset adds
  * values under its own version. Values of a released version are never changed.
  */
object KeptOffsets {

  /** By version, by the name of the line. */
  val all: SortedMap[String, SortedMap[String, SourceOffset]] = SortedMap(
    "0.1.0" -> (SortedMap(
      "initial"        -> SourceOffset.initial,
      "empty-topology" -> SourceOffset(SortedMap.empty),
      "positions"      -> SourceOffset(SortedMap(
        cluster("eu-1", Some("4L6g3nShT-eMCtK--X86sw"), "orders" -> orders, "refunds" -> refunds),
        cluster("us-1", Some("p8z1JxWvQ7q8p0Zk2n3YhA"), "orders" -> orders)
      )),
      "no-kafka-ids"     -> one(orders.copy(kafkaId = None)),
      "no-partitions"    -> one(orders.copy(partitions = SortedMap.empty)),
      "no-topics"        -> SourceOffset(SortedMap(cluster("eu-1", Some("4L6g3nShT-eMCtK--X86sw")))),
      "many-partitions"  -> many,
      "largest-numbers"  -> largest,
      "removed"          -> one(orders.copy(removal = Some(Removal.Open(removedAt)))),
      "removed-draining" -> one(orders.copy(removal =
        Some(Removal.Draining(removedAt, SortedMap(0 -> Drain.Until(1300), 1 -> Drain.Until(900))))
      )),
      "removed-end-unknown" -> one(orders.copy(removal =
        Some(Removal.Draining(removedAt, SortedMap(0 -> Drain.Until(1300), 2 -> Drain.Unknown)))
      )),
      "removed-ending" -> one(orders.copy(removal =
        Some(Removal.Draining(removedAt, SortedMap(1 -> Drain.Unknown), Some("""{"orders":{"1":900}}""")))
      )),
      "handed-over" -> one(orders.copy(formers =
        SortedMap(ClusterId("eu-0") -> SortedMap(0 -> 1000L, 1 -> 0L), ClusterId("old") -> SortedMap.empty[Int, Long])
      )),
      "mirror-behind" -> one(orders.copy(behind =
        SortedMap(ClusterId("eu-2") -> SortedMap(0 -> MirrorLag(1150, 1200)))
      )),
      "removed-drained"      -> one(orders.copy(removal = Some(Removal.stopped(removedAt)))),
      "removed-listed-again" -> one(orders.copy(removal = Some(Removal.ListedAgain(removedAt)))),
      "removed-cluster"      -> removedCluster,
      "endings"              -> endings,
      "pending"              -> pending,
      "pending-topics"       -> pendingTopics(None),
      "pending-topics-off"   -> pendingTopics(Some(removedAt)),
      "incarnations"         -> incarnations,
      "leader-epochs"        -> epochs,
      "odd-characters"       -> odd,
      "every-field"          -> everyField
    ): SortedMap[String, SourceOffset])
  )

  private def removedAt = 1767225600000L

  private def orders = TopicOffset(
    Some("0gS5o2KtRxmVnq3mQ0yT9g"),
    StreamId("orders"),
    SortedMap(0 -> PartitionOffset(1000, 1200, 0), 1 -> PartitionOffset(0, 845, 0))
  )

  // Ten and more: partitions are in the order of their numbers, not of their texts.
  private def refunds = TopicOffset(
    Some("mWc2yOdMSVKx8c6qTzv6Xw"),
    StreamId("refunds"),
    SortedMap.from((0 until 12).map(n => n -> PartitionOffset(0, n * 10L, 0)))
  )

  private def cluster(id: String, kafkaId: Option[String], topics: (String, TopicOffset)*) =
    ClusterId(id) -> ClusterOffset(kafkaId, SortedMap(topics: _*))

  private def one(topic: TopicOffset) =
    SourceOffset(SortedMap(cluster("eu-1", Some("4L6g3nShT-eMCtK--X86sw"), "orders" -> topic)))

  private def many = SourceOffset(SortedMap.from((1 to 5).map { n =>
    val positions = (0 until 100).map(p => p -> PartitionOffset(p.toLong, n * 1000L + p, 0))
    cluster(s"c-$n", Some(s"kafka-$n"), "events" -> TopicOffset(None, StreamId("events"), SortedMap.from(positions)))
  }))

  private def largest = SourceOffset(
    one(orders.copy(partitions = SortedMap(Int.MaxValue -> PartitionOffset(0, Long.MaxValue, Int.MaxValue)))).clusters,
    nextIncarnation = Int.MaxValue
  )

  private def removedCluster = SourceOffset(SortedMap(
    ClusterId("eu-1") -> ClusterOffset(Some("4L6g3nShT-eMCtK--X86sw"), SortedMap.empty, removed = Some(removedAt))
  ))

  private def endings = {
    val topic = orders.copy(ends = SortedMap(0 -> 1200L, 1 -> 2000L))
    val held  = ClusterOffset(Some("k"), SortedMap("orders" -> topic), None, Some("""{"orders":{"0":1200,"1":2000}}"""))
    SourceOffset(SortedMap(ClusterId("eu-1") -> held))
  }

  private def pendingTopics(removed: Option[Long]) = SourceOffset(SortedMap(
    ClusterId("eu-1") -> ClusterOffset(
      Some("k"),
      SortedMap("orders" -> orders),
      pendingTopics = SortedMap("refunds" -> PendingStart("latest", removedAt, removed))
    )
  ))

  private def pending = SourceOffset(SortedMap(
    ClusterId("eu-1") -> ClusterOffset(None, SortedMap.empty, Some(PendingStart("latest", removedAt))),
    ClusterId("us-1") -> ClusterOffset(
      None,
      SortedMap.empty,
      Some(PendingStart("""{"*":{"timestamp":1767139200000},"orders":{"0":7}}""", removedAt))
    )
  ))

  private def incarnations = {
    val partitions = SortedMap(0 -> PartitionOffset(0, 5, 3), 1 -> PartitionOffset(40, 44, 1))
    one(orders.copy(partitions = partitions)).copy(nextIncarnation = 4)
  }

  // Of one of two partitions it is known.
  private def epochs = one(orders.copy(partitions =
    orders.partitions.updated(0, orders.partitions(0).copy(epoch = Some(17)))
  ))

  // More fields than a query would write for one cluster, to check their order.
  private def everyField = {
    val topic =
      orders.copy(
        removal = Some(Removal.Draining(removedAt, SortedMap(0 -> Drain.Until(1300)))),
        ends = SortedMap(0 -> 1250L),
        formers = SortedMap(ClusterId("eu-0") -> SortedMap(0 -> 1100L)),
        formerTopics = SortedMap(ClusterId("eu-0") -> "T1"),
        beside = SortedSet(ClusterId("eu-3")),
        behind = SortedMap(ClusterId("eu-2") -> SortedMap(0 -> MirrorLag(1150, 1200)))
      )
    val held = ClusterOffset(
      Some("k"),
      SortedMap("orders" -> topic),
      Some(PendingStart("earliest", removedAt)),
      Some("latest"),
      Some(removedAt)
    )
    SourceOffset(SortedMap(ClusterId("eu-1") -> held), nextIncarnation = 7, initial = true)
  }

  private def odd = {
    val topic = orders.copy(stream = StreamId("😀 \"stream\""))
    SourceOffset(SortedMap(
      cluster("a-b", Some("k1"), "c"                   -> topic),
      cluster("a", Some("k2"), "b-c"                   -> topic),
      cluster("quote\" back\\ line\n", None, ""        -> topic),
      cluster("Zürich/ü\u0000\u2028é", None, "version" -> topic)
    ))
  }
}
