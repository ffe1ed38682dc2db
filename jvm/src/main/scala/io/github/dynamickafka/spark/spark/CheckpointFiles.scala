package io.github.dynamickafka.spark.spark

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession

/** Access to files of the checkpoint. */
object CheckpointFiles {

  /** The Hadoop configuration that Spark itself uses for them: the context's, with the session's settings. */
  def configuration(session: SparkSession): Configuration = {
    val all = new Configuration(session.sparkContext.hadoopConfiguration)
    session.conf.getAll.foreach { case (key, value) => Option(value).foreach(all.set(key, _)) }
    all
  }
}
