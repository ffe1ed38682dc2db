package io.github.dynamickafka.spark.spark

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

import io.github.dynamickafka.spark.driver.leftover.{DecisionFolder, DecisionStore}
import io.github.dynamickafka.spark.metadata.VersionStore

/** The files that one source keeps in a query's checkpoint, beside Spark's own. Making this touches no file.
  *
  * @param place the source's own folder, given by Spark
  */
final class CheckpointFiles(place: String, val configuration: Configuration) {

  /** The name that Spark gives the source within the query. */
  def source: String = new Path(place).getName

  /** What left-over batches give back. */
  val decisions: DecisionStore = new DecisionFolder(place, configuration)

  /** The last version of the metadata. */
  val versions: VersionStore = new VersionStore {
    // Each time anew: it does not matter which run has written last.
    private def folder = new DecisionFolder(place, configuration, DecisionFolder.Versions)

    override def read(): Option[String]    = folder.read()
    override def write(text: String): Unit = folder.write(text)
  }
}

/** How files of the checkpoint are reached. */
object CheckpointFiles {

  /** The Hadoop configuration that Spark itself uses for them: the context's, with the session's settings. */
  def configuration(session: SparkSession): Configuration = {
    val all = new Configuration(session.sparkContext.hadoopConfiguration)
    session.conf.getAll.foreach { case (key, value) => Option(value).foreach(all.set(key, _)) }
    all
  }
}
