package io.github.dynamickafka.spark.spark

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.plan.Executor

/** The executors that run now. None in local mode, where there is nothing to choose. */
private[spark] object LiveExecutors {
  private val log = LoggerFactory.getLogger(getClass)

  // If Spark does not answer, tasks run on any executor.
  def now(): Vector[Executor] =
    try ExecutorPeers.live().asScala.map(peer => Executor(peer.executorId, peer.host)).toVector.sorted
    catch {
      case e @ (NonFatal(_) | _: LinkageError) =>
        log.debug("the running executors are not known, so tasks run anywhere", e)
        Vector.empty
    }
}
