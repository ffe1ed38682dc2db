package io.github.dynamickafka.spark.kafka.admin

import java.util.concurrent.CompletableFuture

import scala.collection.mutable

import munit.FunSuite
import org.apache.kafka.common.TopicPartition

/** Looks at the topic `orders`, whose answers a test gives. */
abstract private[admin] class Probes extends FunSuite {
  protected def looking(calls: ClusterCalls): TopicProbe =
    new TopicProbe(calls, () => fail("nothing was to be waited for"), _ => None)

  protected val waited = () => false

  protected def orders(id: String, partitions: Int*): Map[String, TopicAnswer] =
    Map("orders" -> TopicShape(Some(id), partitions.toVector))

  protected def orders(number: Int) = new TopicPartition("orders", number)

  protected def offsets(of: (Int, Long)*) = Offsets(of.map { case (number, at) =>
    orders(number) -> FoundOffset(at)
  }.toMap)

  protected val patient = new HeldWaits

  protected def leaderless(partitions: Int*): Map[String, TopicAnswer] =
    Map("orders" -> TopicShape(Some("T1"), Vector(0, 1), leaderless = partitions.toVector))

  protected def pausing(
      calls: ClusterCalls,
      chosen: String => Option[Set[Int]] = _ => None
  ): (TopicProbe, mutable.Buffer[CompletableFuture[Void]]) = {
    val pauses = mutable.Buffer.empty[CompletableFuture[Void]]
    val look   = new TopicProbe(
      calls,
      () => {
        pauses += new CompletableFuture
        pauses.last
      },
      chosen
    )
    look -> pauses
  }
}
