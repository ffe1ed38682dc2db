package io.github.dynamickafka.spark.driver.trigger

import java.time.Clock

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}

import io.github.dynamickafka.spark.driver.StreamingSource
import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.metrics.{LargestValue, ReadFigures, SourceMetrics}

/** What a query reports that has asked no cluster yet. */
class UnaskedMetricsSuite extends FunSuite with StepScenes {
  test("before the first ask nothing is reported of how far it is behind, and nothing fails") {
    val opened = new OpenedDriver(fromEarliest, new ScriptedClusters, () => both)
    try {
      val figures = new ReadFigures(
        new LargestValue(new CollectionAccumulator[java.lang.Long]),
        new LongAccumulator
      )
      val metrics = new SourceMetrics(new StreamingSource(opened.driver, None), figures, Clock.systemUTC)
      for (consumed <- Seq(None, Some(start)))
        assertEquals(metrics.of(consumed).asScala.keySet.filter(_.contains("BehindLatest")).toSet, Set.empty[String])
    } finally opened.driver.close()
  }
}
