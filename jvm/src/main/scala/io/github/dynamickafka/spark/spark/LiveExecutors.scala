package io.github.dynamickafka.spark.spark

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.plan.Executor

/** The executors that live now; none in local mode, where there is nothing to choose. */
private[spark] object LiveExecutors {
  private val log = LoggerFactory.getLogger(getClass)

  // A Spark that does not answer this question, or not any more, still reads: with tasks wherever there is room.
  def now(): Vector[Executor] =
    try ExecutorPeers.live().asScala.map(peer => Executor(peer.executorId, peer.host)).toVector.sorted
    catch {
      case e @ (NonFatal(_) | _: LinkageError) =>
        log.debug("the live executors are not known, tasks run anywhere", e)
        Vector.empty
    }
}
