package io.github.dynamickafka.spark.offsets

import java.time.{Duration, Instant}

/** When positions of a removed cluster or topic are forgotten: `removedClusterRetention` after the offset that recorded
  * the removal.
  */
object Retention {

  /** Whether the positions of a removed topic have been kept long enough. A drain that still reads may finish.
    *
    * @param reached whether its cluster answers, or may still answer
    */
  def expired(topic: TopicOffset, reached: Boolean, retention: Duration, now: Instant): Boolean =
    topic.removal.exists(removal => !(reached && topic.drains) && passed(removal.at, retention, now))

  /** The same of a cluster of which no topic is held. */
  def expired(cluster: ClusterOffset, retention: Duration, now: Instant): Boolean =
    cluster.removed.forall(passed(_, retention, now))

  /** The same of a topic of which nothing has begun. */
  def expired(start: PendingStart, retention: Duration, now: Instant): Boolean =
    start.removed.exists(passed(_, retention, now))

  private def passed(since: Long, retention: Duration, now: Instant): Boolean =
    !Instant.ofEpochMilli(since).plus(retention).isAfter(now)
}
