package io.github.dynamickafka.spark.spark

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession

/** How files of the checkpoint are reached. */
object CheckpointFiles {

  /** As Spark reaches them itself: the context's configuration, with all that the session sets. */
  def configuration(session: SparkSession): Configuration = {
    val all = new Configuration(session.sparkContext.hadoopConfiguration)
    session.conf.getAll.foreach { case (key, value) => Option(value).foreach(all.set(key, _)) }
    all
  }
}
