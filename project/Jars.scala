import sbt._
import sbt.Keys._
import sbtassembly.{CustomMergeStrategy, MergeStrategy}
import sbtassembly.Assembly.Library
import sbtassembly.AssemblyPlugin.autoImport._

/** What lies in the jars beside the classes. */
object Jars {
  private val Terms   = Seq("LICENSE", "NOTICE")
  private val OfTerms = """(?:META-INF/)?((?:LICENSE|NOTICE)(?:\..*)?)""".r

  /** The terms in each jar. */
  val terms: Seq[Setting[_]] = Seq(
    Compile / resourceGenerators += Def.task {
      val top = (ThisBuild / baseDirectory).value
      val to  = (Compile / resourceManaged).value / "META-INF"
      Terms.map { name =>
        IO.copyFile(top / name, to / name)
        to / name
      }
    }.taskValue,
    Compile / packageDoc / mappings ++= Terms.map(name => (ThisBuild / baseDirectory).value / name -> s"META-INF/$name")
  )

  /** These, and the version that the product names at run time. */
  val resources: Seq[Setting[_]] = terms :+ (Compile / resourceGenerators += Def.task {
    val version = (Compile / resourceManaged).value / "io/github/dynamickafka/spark/version.properties"
    IO.write(version, s"version=${Keys.version.value}\n")
    Seq(version)
  }.taskValue)

  /** One jar with all that the code needs and Spark does not bring, and with the terms of each part. */
  val shaded: Seq[Setting[_]] = Seq(
    assembly / assemblyJarName    := s"dynamic-kafka-spark_2.13-${version.value}.jar",
    assembly / assemblyShadeRules := Shading.rules,
    assembly / assemblyOption ~= (_.withIncludeScala(false)),
    assembly / packageOptions := manifest("dynamic-kafka-spark", version.value, packageTimestamp.value),
    assembly / fullClasspath += Def.task {
      val folder = target.value / "licenses"
      IO.copyDirectory((ThisBuild / baseDirectory).value / "licenses", folder / "META-INF" / "licenses")
      Attributed.blank(folder)
    }.value,
    assembly / assemblyMergeStrategy := {
      case path if path.endsWith("module-info.class") => MergeStrategy.discard
      // The forms of Kafka's requests, from which its classes were generated.
      case path if path.startsWith("common/message/") => MergeStrategy.discard
      case OfTerms(name)                              => ofEachPart(name)
      // Also compares what `licenses` has with what the parts brought.
      case path if path.startsWith("META-INF/licenses/") => MergeStrategy.deduplicate
      case path                                          => (assembly / assemblyMergeStrategy).value(path)
    }
  )

  /** The time is that of all entries: without it a jar has the time when it was built. */
  def manifest(name: String, version: String, time: Option[Long]): Seq[PackageOption] = Seq(
    Package.FixedTimestamp(time),
    Package.ManifestAttributes(
      "Implementation-Title"   -> name,
      "Implementation-Version" -> version,
      "Build-Jdk"              -> sys.props("java.runtime.version"),
      "Automatic-Module-Name"  -> "io.github.dynamickafka.spark"
    )
  )

  private def ofEachPart(name: String): MergeStrategy = CustomMergeStrategy.rename {
    case part: Library => s"META-INF/licenses/${part.moduleCoord.name}/$name"
    case own           => own.target
  }
}
