package io.github.dynamickafka.spark.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.TimeUnit

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.driver.uncommitted.{DecisionFolder, DecisionStore}
import io.github.dynamickafka.spark.metadata.VersionStore

/** The files that one source keeps in a query's checkpoint, beside Spark's own. The constructor touches no file.
  *
  * @param place the source's own folder, given by Spark
  */
final class CheckpointFiles(place: String, val configuration: Configuration) {
  private val log = LoggerFactory.getLogger(classOf[CheckpointFiles])

  /** The name that Spark gives the source within the query. */
  def source: String = new Path(place).getName

  /** The offset from which Spark's own Kafka source began, if it has run on this checkpoint: the second line of its file
    * `0`, after the version `v1`.
    */
  def sparksInitialOffset: Option[String] = {
    val file = new Path(place, "0")
    val fs   = file.getFileSystem(configuration)
    Option.when(fs.exists(file)) {
      val text = Using.resource(fs.open(file))(in => new String(in.readAllBytes, UTF_8))
      text.dropWhile(_ == 0).stripPrefix("v1").trim
    }
  }

  /** What uncommitted batches defer. */
  val decisions: DecisionStore = new DecisionFolder(place, configuration)

  /** What has begun in the newest batch of Real-Time Mode. */
  val begun: DecisionStore = new DecisionFolder(place, configuration, DecisionFolder.Begun)

  /** Spark's number of the last batch that is logged and not committed, if there is one. */
  def leftOver: Option[Long] = newest("offsets").filter(number => newest("commits").forall(_ < number))

  /** Waits until this batch is committed. Spark 4.3 commits real-time batches in the background. If it can't, it interrupts the
    * query's thread.
    */
  def awaitCommit(number: Long): Unit = {
    val began       = System.nanoTime
    def isCommitted = newest("commits").exists(_ >= number)
    def seconds     = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime - began)
    var warnsAt     = CheckpointFiles.Patience
    while (number >= 0 && !isCommitted) {
      if (seconds >= warnsAt) {
        log.warn(
          s"Batch ${number + 1} waits for Spark to commit batch $number, for $seconds s now. Is the checkpoint's storage slow?"
        )
        warnsAt *= 2
      }
      Thread.sleep(CheckpointFiles.Pause)
    }
  }

  private def newest(log: String): Option[Long] = {
    val folder = new Path(new Path(place).getParent.getParent, log)
    val fs     = folder.getFileSystem(configuration)
    if (fs.exists(folder)) fs.listStatus(folder).toVector.flatMap(_.getPath.getName.toLongOption).maxOption else None
  }

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
  // In milliseconds, between two looks for a commit.
  private val Pause = 20L
  // In seconds, until it is said that a commit is late.
  private val Patience = 10L

  /** The Hadoop configuration that Spark itself uses for them: the context's, with the session's settings. */
  def configuration(session: SparkSession): Configuration = {
    val all = new Configuration(session.sparkContext.hadoopConfiguration)
    session.conf.getAll.foreach { case (key, value) => Option(value).foreach(all.set(key, _)) }
    all
  }
}
