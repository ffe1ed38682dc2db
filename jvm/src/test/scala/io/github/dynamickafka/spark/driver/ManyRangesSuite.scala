package io.github.dynamickafka.spark.driver

import scala.collection.immutable.{SortedMap, SortedSet}

import munit.{FunSuite, Location}

import io.github.dynamickafka.spark.driver.uncommitted.{DeferralTexts, UncommittedBatch, UnreadableRange}
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.{Query, Situations}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.plan.{DeferredRanges, OffsetRange}
import io.github.dynamickafka.spark.reconcile.observed.ReadObstacle
import io.github.dynamickafka.spark.reconcile.report.{Notice, SkippedTopics}
import io.github.dynamickafka.spark.topology.TopologyChange

/** A text about very many partitions or topics names the first ones and how many more there are. */
class ManyRangesSuite extends FunSuite {
  private val Many   = 20000
  private val eu     = ClusterId("eu")
  private val ranges = Vector.tabulate(Many)(n => OffsetRange(partition("eu", "orders", n), 0, 10, StreamId("s")))
  private val names  = Vector.tabulate(Many)(n => f"topic-$n%06d")

  private def isShort(text: String, more: Int = Many - 20)(implicit here: Location): Unit = {
    assert(text.length < 5000, s"${text.length} characters: ${text.take(500)}")
    assert(text.contains(s" and $more more"), text)
  }

  test("an uncommitted batch that can't be read or is lost names some ranges, and where all of them are") {
    for (failure <- Seq(UncommittedBatch.notListed(ranges, ""), UncommittedBatch.warning(ranges))) {
      isShort(failure.toString)
      isShort(failure.exception.getMessage)
      assert(failure.detail.contains("the last two files in `offsets` of the checkpoint"), failure.detail)
    }
  }

  test("what is deferred names some ranges, and the file that has all of them") {
    val why  = Failure(Condition.ClusterUnreachable, "no answer")
    val said =
      DeferralTexts.warnings(None, ranges.map(UnreadableRange(_, why)), "The newest file in /q/sources/0/deferred")
    val back = DeferredRanges.deferredBy(ranges, held(Many))
    for (
      failure <- said :+ DeferralTexts.again(back.parts.iterator.toMap, "The newest file in /q/sources/0/deferred")
    ) {
      isShort(failure.toString)
      assert(failure.detail.contains("(all of them: the newest file in /q/sources/0/deferred)"), failure.detail)
    }
  }

  test("topics that may not be read, are duplicates, or are deleted are named up to a point") {
    val barred = SkippedTopics.of(eu, names.map(_ -> ReadObstacle(Vector("READ"))).to(SortedMap))
    isShort(barred.failure.fold("")(_.toString))
    isShort(Notice.Duplicate(eu, ClusterId("us"), names).warning.toString)
    val few    = names.take(1000)
    val topics = few.map(_ -> TopicOffset(None, StreamId("s"), SortedMap(0 -> PartitionOffset(0, 5, 0)), None))
    val all    = SourceOffset(SortedMap(eu -> ClusterOffset(None, topics.to(SortedMap))))
    val gone   = answer(few.map(_ -> absent): _*)
    val here   = listed("eu" -> Situations.topics(few: _*))
    val asked  = Query(held = all).sees(here)("eu" -> gone).read.after(policy.agreement)
    isShort(asked.sees(here)("eu" -> gone).failure.toString, few.size - 20)
  }

  test("partitions that aged out, or were cut off, are named up to a point") {
    val few                      = 1000
    val orders                   = listed("eu" -> topics("orders"))
    def seen(from: Int, to: Int) = "eu" -> answer("orders" -> has(Vector.fill(few)(from -> to): _*).of("T1"))
    val read                     = Query(fromEarliest).sees(orders)(seen(0, 10)).read
    isShort(read.sees(orders)(seen(20, 30)).failure.toString, few - 20)
    val again = read.sees(orders)(seen(0, 5)).read.after(policy.agreement)
    isShort(again.sees(orders)(seen(0, 5)).failure.toString, few - 20)
  }

  test("the log line of a change of the topology names topics and clusters up to a point") {
    val topology = listed("eu" -> topics(names: _*))
    isShort(TopologyChange.between(listed(), topology).toString)
    isShort(TopologyChange.between(listed(names.map(_ -> topics("t")): _*), listed()).toString)
    val continuing = topics("t").copy(continues = names.map(ClusterId(_)).to(SortedSet))
    isShort(TopologyChange.between(listed(), listed("eu" -> continuing)).toString)
  }

  private def held(partitions: Int): SourceOffset = {
    val orders = Vector.tabulate(partitions)(_ -> PartitionOffset(0, 10, 0)).to(SortedMap)
    SourceOffset(SortedMap(eu -> ClusterOffset(
      None,
      SortedMap("orders" -> TopicOffset(None, StreamId("s"), orders, None))
    )))
  }
}
