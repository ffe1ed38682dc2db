import sbt._
import sbt.Keys._

/** The jars that benchmarks put beside Spark, each kind in a folder of its own, because they hold different versions of
  * Kafka's client.
  */
object BenchJars {
  val Peers: Configuration = config("peers").hide

  private val folders = taskKey[File]("copies the jars of the benchmarks to build/bench/jars")

  /** `bench/folders`: in `spark` what a session needs to run Spark's own source, in `bare` a plain client of Kafka. */
  val settings: Seq[Setting[_]] = Seq(
    folders := {
      val to     = (ThisBuild / baseDirectory).value / "build" / "bench" / "jars"
      val own    = (Compile / packageBin).value
      val client = (Compile / dependencyClasspath).value.map(_.data).filter(_.getName.startsWith("kafka-clients"))
      val peers  = update.value.select(configurationFilter(Peers.name))
      IO.delete(to)
      copy(own +: peers, to / "spark")
      copy(own +: client, to / "bare")
      to
    }
  )

  private def copy(jars: Seq[File], folder: File): Unit = jars.foreach(jar => IO.copyFile(jar, folder / jar.getName))
}
