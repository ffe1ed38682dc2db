package io.github.dynamickafka.spark.fakes

import org.scalacheck.Gen

import io.github.dynamickafka.spark.fakes.FakeKafka._
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule}

/** What happens in a random history of a [[FakeKafka]]. Each suite says how often, and how clusters reply. */
object RandomEvents {
  private val names: Gen[Name] = Gen.zip(Gen.oneOf(clusterNames), Gen.oneOf(topicNames))

  val writes: Gen[Event]      = Gen.zip(names, Gen.choose(0, 2), Gen.choose(1, 9)).map((Write.apply _).tupled)
  val widenings: Gen[Event]   = names.map(Widen(_))
  val agings: Gen[Event]      = Gen.zip(names, Gen.choose(0, 2)).map((AgeOut.apply _).tupled)
  val recreations: Gen[Event] = names.map(Recreate(_))
  val deletions: Gen[Event]   = names.map(Delete(_))
  val sleeps: Gen[Event]      = Gen.choose(1, 20).map(Sleep(_))

  /** Some clusters are listed, each with such topics. */
  def lists(topics: Gen[Iterable[String]]): Gen[Event] = Gen.someOf(clusterNames).flatMap { clusters =>
    Gen.listOfN(clusters.size, topics).map(each => Lists(clusters.zip(each.map(_.toSet)).toMap))
  }

  /** An answer that has some topics, and some of their partitions. */
  val parts: Gen[Reply] = Gen.zip(Gen.someOf(topicNames), Gen.someOf(0 to 2)).map { case (topics, partitions) =>
    Part(topics.toSet, partitions.toSet)
  }

  /** A trigger that reads at most so many records, if there is a limit. */
  def triggers(most: Long, replies: Gen[Reply]): Gen[Event] = Gen.zip(
    Gen.option(Gen.choose(1L, most)),
    Gen.listOfN(clusterNames.size, replies).map(clusterNames.zip(_).toMap)
  ).map((Trigger.apply _).tupled)

  /** The earliest or the latest offset, of all that a query reads. */
  val rules: Gen[OffsetRule] = Gen.oneOf(OffsetPoint.Earliest, OffsetPoint.Latest).map(OffsetRule.everywhere)
}
