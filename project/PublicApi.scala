import com.typesafe.tools.mima.core.{Problem, ProblemFilter}
import com.typesafe.tools.mima.plugin.MimaPlugin.autoImport._
import sbt._
import sbt.Keys._
import sbt.librarymanagement.DependencyBuilders.OrganizationArtifactName

/** What users compile against: the classes of the top package, and of `errors` those that users catch. It is what the
  * documentation shows, and what stays compatible from one release to the next.
  */
object PublicApi {
  private val Top = "io.github.dynamickafka.spark."
  // Of a package whose other classes make these.
  private val Errors = Set("Condition", "DynamicKafkaException")

  /** Breaks that are meant. Each has its reason, and goes once a release has it. */
  private val meant: Seq[ProblemFilter] = Nil

  /** `mimaReportBinaryIssues` compares the jar with the last release. Before the first release there is none. */
  val compatibility: Seq[Setting[_]] = comparedWith(
    Def.setting(organization.value %% name.value)
  ) :+ (mimaBinaryIssueFilters := meant :+ ((problem: Problem) => problem.matchName.forall(covers)))

  /** The same for the kit for tests, whose public classes are all for users. */
  val ofTesting: Seq[Setting[_]] = comparedWith(Def.setting(organization.value % name.value))

  private def comparedWith(artifact: Def.Initialize[OrganizationArtifactName]): Seq[Setting[_]] = Seq(
    mimaPreviousArtifacts := Release.previous((ThisBuild / baseDirectory).value).map(artifact.value % _).toSet,
    mimaFailOnNoPrevious  := false
  )

  /** Scaladoc for what is public alone, over the classes of all. */
  val documentation: Seq[Setting[_]] = Seq(
    Compile / doc / sources             := (Compile / doc / sources).value.filter(isShown),
    Compile / doc / dependencyClasspath := (Compile / dependencyClasspath).value ++ (Compile / exportedProducts).value,
    // Scaladoc takes a placeholder for one of its variables, and knows no link to an exception of the JDK's.
    Compile / doc / scalacOptions := Seq(
      "-release",
      "17",
      "-no-link-warnings",
      "-doc-title",
      "Dynamic Kafka for Spark",
      "-doc-version",
      version.value,
      "-doc-root-content",
      (baseDirectory.value / "overview.txt").getPath,
      "-sourcepath",
      (ThisBuild / baseDirectory).value.getPath,
      "-doc-source-url",
      s"${Release.repository((ThisBuild / baseDirectory).value)}/blob/v${version.value}€{FILE_PATH_EXT}"
    )
  )

  private def covers(name: String): Boolean = name.stripPrefix(Top).split("[.$#]").toList match {
    case "errors" :: one :: _ => Errors(one)
    case first :: _           => first.headOption.exists(_.isUpper)
    case Nil                  => false
  }

  private def isShown(source: File): Boolean = {
    val folders = source.getPath.split("[/\\\\]").toList
    covers(folders.drop(folders.lastIndexOf("dynamickafka") + 2).mkString("", ".", "").stripSuffix("." + source.ext))
  }
}
