import sbt._

/** What is declared once for both registries, in `python/pyproject.toml`, and which release came before, by CHANGELOG.md. */
object Release {
  private val Section = """(?m)^## (.*)$""".r
  private val Heading = """(\d+\.\d+\.\d+), (\d{4}-\d\d-\d\d|not released yet)""".r

  def version(root: File): String     = declared(root, "version")
  def description(root: File): String = declared(root, "description")

  /** Where the source is. */
  def repository(root: File): URL = url(declared(root, "Source"))

  def maintainers(root: File): Developer = {
    val at = repository(root)
    Developer(at.getPath.split('/')(1), "The maintainers of Dynamic Kafka for Spark", declared(root, "email"), at)
  }

  /** The newest release before this one. The first section is of the version that is being made. A heading of another
    * form is refused: its release would be compared with nothing.
    */
  def previous(root: File): Option[String] = {
    val sections = Section.findAllMatchIn(IO.read(root / "CHANGELOG.md")).map(_.group(1)).toVector.map {
      case Heading(version, date) => version -> date
      case other => sys.error(s"CHANGELOG.md has '## $other'. A section is '## x.y.z, year-month-day', without more.")
    }
    sections.drop(1).collectFirst { case (version, date) if date != "not released yet" => version }
  }

  private def declared(root: File, key: String): String =
    s"""(?m)^$key\\s*=\\s*"([^"]+)"""".r
      .findFirstMatchIn(IO.read(root / "python" / "pyproject.toml"))
      .map(_.group(1))
      .getOrElse(sys.error(s"python/pyproject.toml declares no $key"))
}
