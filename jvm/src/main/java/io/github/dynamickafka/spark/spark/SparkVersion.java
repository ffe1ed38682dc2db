package io.github.dynamickafka.spark.spark;

import org.apache.spark.sql.SparkSession;

/** Refuses a Spark that is too old. In Java, so that it also runs where Scala has another version. */
final class SparkVersion {
  private static final int OLDEST = 4;

  private SparkVersion() {}

  /** @throws IllegalStateException if this Spark is too old */
  static void check() {
    check(SparkSession.active().version());
  }

  static void check(String version) {
    if (Integer.parseInt(version.split("\\.")[0]) < OLDEST)
      throw new IllegalStateException(
          "[DYNAMIC_KAFKA_VERSION_MISMATCH] The source dynamic-kafka needs Spark 4.0 or newer, and this is Spark "
              + version + ". Use a newer Spark, or a newer runtime of your platform.");
  }
}
