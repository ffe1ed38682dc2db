package io.github.dynamickafka.spark.spark;

import java.util.List;

import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;

import scala.jdk.javaapi.CollectionConverters;

/**
 * The executors that run now, found the same way as in Spark's own Kafka source. The method it calls is private to
 * Spark in Scala but public in the class file, so this file is Java. Spark's public interfaces give executors either
 * without their ids ({@code SparkStatusTracker}) or only those that are added later ({@code SparkListener}).
 */
final class ExecutorPeers {
  private ExecutorPeers() {}

  /** Without the driver, and without executors that are about to be removed. Empty in local mode. */
  static List<BlockManagerId> live() {
    SparkEnv env = SparkEnv.get();
    if (env == null) {
      return List.of();
    }
    BlockManager own = env.blockManager();
    return CollectionConverters.asJava(own.master().getPeers(own.blockManagerId()));
  }
}
