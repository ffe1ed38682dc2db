package io.github.dynamickafka.spark.spark;

import java.util.List;

import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;

import scala.jdk.javaapi.CollectionConverters;

/**
 * The executors that live now, as Spark's own Kafka source asks for them. What it calls is public in the class files of
 * Spark alone, so this file is Java. Spark's public interfaces name executors either without their ids
 * ({@code SparkStatusTracker}) or only those that come later ({@code SparkListener}).
 */
final class ExecutorPeers {
  private ExecutorPeers() {}

  /** Without the driver and those about to leave; empty in local mode. */
  static List<BlockManagerId> live() {
    SparkEnv env = SparkEnv.get();
    if (env == null) {
      return List.of();
    }
    BlockManager own = env.blockManager();
    return CollectionConverters.asJava(own.master().getPeers(own.blockManagerId()));
  }
}
