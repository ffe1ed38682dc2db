import sbt._

/** The one version of the product, as `python/pyproject.toml` declares it. */
object Release {
  private val Declaration = """(?m)^version\s*=\s*"([^"]+)"""".r

  def version(root: File): String =
    Declaration
      .findFirstMatchIn(IO.read(root / "python" / "pyproject.toml"))
      .map(_.group(1))
      .getOrElse(sys.error("python/pyproject.toml declares no version"))
}
