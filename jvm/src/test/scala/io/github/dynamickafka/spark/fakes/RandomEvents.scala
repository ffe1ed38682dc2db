package io.github.dynamickafka.spark.fakes

import org.scalacheck.Gen

import io.github.dynamickafka.spark.fakes.FakeKafka._
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule}
import io.github.dynamickafka.spark.topology.OwnOffsets

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

  val pauses: Gen[Event] = Gen.listOfN(clusterNames.size, Gen.someOf(topicNames)).map { each =>
    Pauses(clusterNames.zip(each.map(_.toSet)).toMap)
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

  private val point: Gen[String] = Gen.frequency(
    3 -> Gen.const("\"earliest\""),
    3 -> Gen.const("\"latest\""),
    2 -> Gen.oneOf(Gen.choose(0L, 60L), Gen.choose(1L, 60L).map(_ * 3600000)).map { after =>
      s"""{"timestamp": ${Situations.begin.toEpochMilli + after}}"""
    },
    1 -> Gen.oneOf("earliest", "latest").map(other => s"""{"committed": "jobs", "otherwise": "$other"}""")
  )

  /** Some of these keys, each with such a value. */
  private def some(values: (String, Gen[String])*): Gen[String] = for {
    named <- Gen.someOf(values).filter(_.nonEmpty)
    texts <- Gen.sequence[List[String], String](named.map(_._2))
  } yield named.map(_._1).zip(texts).map { case (key, text) => s""""$key": $text""" }.mkString("{", ", ", "}")

  private val ofTopic: Gen[String] = {
    val ofPartition = Gen.oneOf(Gen.choose(0, 20).map(_.toString), point)
    Gen.frequency(1 -> point, 3 -> some("0" -> ofPartition, "1" -> ofPartition, "2" -> ofPartition, "*" -> point))
  }

  private val ofTopics: Gen[String] = some(topicNames.map(_ -> ofTopic) :+ ("*" -> point): _*)

  /** The offsets of one cluster: a point, or by topic and partition. */
  private val ofCluster: Gen[String] = Gen.oneOf(point.map(text => text.stripPrefix("\"").stripSuffix("\"")), ofTopics)

  private val own: Gen[Option[OwnOffsets]] = Gen.option(ofCluster.map(Situations.own))

  /** Another text of a cluster's own offsets, or none any more. */
  val edits: Gen[Event] = Gen.zip(Gen.oneOf(clusterNames), own, own).map {
    case (cluster, starting, ending) => Edits(cluster, Own(starting, ending))
  }

  /** The same of all that a query reads: one point, or by cluster. */
  val ofQuery: Gen[OffsetRule] = Gen.oneOf(
    point.map(text => s"""{"": $text}"""),
    Gen.zip(point, some(clusterNames.map(_ -> ofTopics): _*)).map { case (others, named) =>
      s"""{"": $others, ${named.drop(1)}"""
    }
  ).map(Situations.rule)

  /** The earliest or the latest offset, of all that a query reads. */
  val rules: Gen[OffsetRule] = Gen.oneOf(OffsetPoint.Earliest, OffsetPoint.Latest).map(OffsetRule.everywhere)
}
