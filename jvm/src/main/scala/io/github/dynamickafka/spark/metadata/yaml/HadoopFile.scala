package io.github.dynamickafka.spark.metadata.yaml

import scala.util.{Try, Using}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** Reads a file through Hadoop, with the configuration of the running session (`spark.hadoop.*`), if there is one. */
private[yaml] object HadoopFile {

  /** The whole content. If the file is larger than this limit, one byte more than the limit.
    *
    * @throws java.io.IOException if it can't be read
    */
  def read(path: String, limit: Int): Array[Byte] = {
    val file = new Path(path)
    Using.resource(file.getFileSystem(configuration).open(file))(_.readNBytes(limit + 1))
  }

  private def configuration: Configuration =
    Try(SparkSession.active.sparkContext.hadoopConfiguration).getOrElse(new Configuration)
}
