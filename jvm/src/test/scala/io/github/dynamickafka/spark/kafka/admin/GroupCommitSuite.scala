package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration

import munit.FunSuite
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.{
  GroupAuthorizationException,
  TimeoutException,
  TopicAuthorizationException,
  UnknownMemberIdException
}

import io.github.dynamickafka.spark.commits.CommitOutcome
import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.ClusterId

/** What a refused commit means. How brokers refuse one is left to the scenarios. */
class GroupCommitSuite extends FunSuite {
  private val positions = Map(new TopicPartition("orders", 0) -> 5L, new TopicPartition("orders", 1) -> 7L)

  private val cases = Seq[(Throwable, Condition, String)](
    (GroupAuthorizationException.forGroupId("g"), Condition.NotAuthorized, "Allow READ on group g."),
    (new TopicAuthorizationException("no"), Condition.NotAuthorized, "Allow READ on topic orders."),
    (new UnknownMemberIdException("no"), Condition.InvalidOption, "Choose another kafka.group.id."),
    (
      new TimeoutException("late"),
      Condition.ClusterUnreachable,
      "Cannot publish the positions of group g of cluster eu"
    )
  )

  cases.foreach { case (thrown, condition, part) =>
    test(s"${thrown.getClass.getSimpleName} is $condition, and says that the query continues") {
      new GroupCommit(ClusterId("eu"), "g", Duration.ofSeconds(1)).failed(positions.keySet, thrown) match {
        case CommitOutcome.Refused(refused, why) =>
          assertEquals(refused, positions.keySet)
          assertEquals(why.condition, condition)
          assert(why.detail.contains(part) && why.detail.contains("The query continues."), why.detail)
        case other => fail(s"$other")
      }
    }
  }
}
