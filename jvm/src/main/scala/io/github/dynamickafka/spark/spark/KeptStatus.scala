package io.github.dynamickafka.spark.spark

import java.time.Clock
import java.util.concurrent.atomic.AtomicReference

import scala.collection.immutable.SortedMap

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext

import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.metadata.{CallingQuery, PythonBridge}
import io.github.dynamickafka.spark.metrics.StatusView
import io.github.dynamickafka.spark.options.SourceSettings
import io.github.dynamickafka.spark.status.{ObservedClusters, QueryState, QueryStatus, StatusFile, StatusKeeper}

/** The status file of one query, if the options ask for one.
  *
  * @param keeper none if there is no file
  */
final private[spark] class KeptStatus(keeper: Option[StatusKeeper]) extends AutoCloseable {
  private val failed = new AtomicReference(Option.empty[QueryState])

  /** Does this for the query, and remembers what it fails with: that may be what the query ends with. */
  def during[A](body: => A): A =
    try {
      val done = body
      failed.set(None)
      done
    } catch {
      case failure: DynamicKafkaException =>
        failed.set(Some(QueryState.Failed.of(failure)))
        throw failure
    }

  /** The query ends. Spark reports the reason only later. */
  def ending(): Unit = keeper.foreach(_.ended(failed.get.getOrElse(QueryState.Stopped)))

  override def close(): Unit = keeper.foreach(_.close())
}

private[spark] object KeptStatus {
  def of(
      settings: SourceSettings,
      query: Option[CallingQuery],
      driver: SourceDriver,
      context: SparkContext,
      configuration: Configuration
  ): KeptStatus = new KeptStatus(for {
    folder <- settings.statusPath
    asking <- query
  } yield {
    val identity = asking.identity
    val clock    = Clock.systemUTC
    val end      = new QueryEnd(identity.runId, context)
    val keeper   = new StatusKeeper(
      new StatusFile(folder, identity, configuration),
      QueryStatus(identity, looked = Some(ObservedClusters(versions(context)))),
      StatusView.after(_, driver.view, clock.instant()),
      clock,
      s"${identity.id.take(8)}-${identity.source}",
      () => end.close()
    )
    end.await(keeper.endedFinally)
    keeper.start()
    keeper
  })

  private def versions(context: SparkContext): SortedMap[String, String] = SortedMap(
    "dynamicKafka" -> PythonBridge.version,
    "java"         -> System.getProperty("java.version", ""),
    "spark"        -> context.version
  )
}
