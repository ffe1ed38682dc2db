import Dependencies._

ThisBuild / organization      := "io.github.dynamickafka"
ThisBuild / version           := Release.version((ThisBuild / baseDirectory).value)
ThisBuild / scalaVersion      := scala
ThisBuild / versionScheme     := Some("early-semver")
ThisBuild / licenses          := Seq(License.Apache2)
ThisBuild / scalafmtOnCompile := false
ThisBuild / Test / fork       := true
ThisBuild / Test / javaOptions ++= TestJvm.options
// Within sbt, a fatal error such as NoClassDefFoundError ends only the thread of `runMain`, and sbt reports success.
ThisBuild / run / fork := true
ThisBuild / javacOptions ++= Seq("--release", "17", "-Xlint:all,-processing", "-Werror")
ThisBuild / Compile / doc / javacOptions := Nil
ThisBuild / scalacOptions ++= Seq(
  "-release",
  "17",
  "-deprecation",
  "-feature",
  "-unchecked",
  "-Xlint",
  "-Wunused",
  "-Wvalue-discard",
  "-Werror"
)

// What registries show of the project.
ThisBuild / description          := Release.description((ThisBuild / baseDirectory).value)
ThisBuild / homepage             := Some(Release.repository((ThisBuild / baseDirectory).value))
ThisBuild / organizationName     := "Dynamic Kafka for Spark"
ThisBuild / organizationHomepage := homepage.value
ThisBuild / startYear            := Some(2026)
ThisBuild / scmInfo              := homepage.value.map(at => ScmInfo(at, s"scm:git:$at.git", s"scm:git:$at.git"))
ThisBuild / developers           := List(Release.maintainers((ThisBuild / baseDirectory).value))
// A folder: `make release` looks at what is there, signs it, and uploads it.
ThisBuild / publishTo := localStaging.value

// sbt does not see that makeBom uses it.
Global / excludeLintKeys += bomFileName

// Test JVMs wait more than they compute.
Global / concurrentRestrictions := Seq(Tags.limit(Tags.CPU, 2), Tags.limit(Tags.ForkedTestGroup, 4), Tags.limitAll(4))

lazy val root = project
  .in(file("."))
  .aggregate(thin, shaded, testing)
  .settings(name := "dynamic-kafka", publish / skip := true)

/** All the code. Published with its dependencies, for users who bring plug-in classes compiled against kafka-clients. */
lazy val thin = project
  .in(file("jvm"))
  .settings(
    name        := "dynamic-kafka-spark-thin",
    description := s"${(ThisBuild / description).value} With kafka-clients as a dependency, for plug-in classes of it.",
    Compile / packageBin / packageOptions := Jars.manifest(name.value, version.value, packageTimestamp.value),
    // In four JVMs.
    Test / testGrouping := {
      val options = (Test / forkOptions).value
      val suites  = (Test / definedTests).value.sortBy(_.name).zipWithIndex
      suites.groupBy(_._2 % 4).toSeq.map { case (part, those) =>
        Tests.Group(s"part $part", those.map(_._1), Tests.SubProcess(options))
      }
    },
    // Tests are full of `${env:NAME}`, which looks like a forgotten interpolator.
    Test / scalacOptions += "-Xlint:-missing-interpolator",
    libraryDependencies ++= Seq(kafkaClients, tokens).map(_.excludeAll(fromSpark: _*)),
    libraryDependencies ++= Seq(spark, yaml, munit, munitCheck),
    // Tests are nobody else's dependency.
    makePomConfiguration ~= (_.withConfigurations(Vector(Compile, Runtime, Provided))),
    Jars.resources,
    Jars.shaded,
    // What the shaded jar contains, for tools that know of vulnerabilities.
    bomFileName := "bom.cdx.json",
    PublicApi.compatibility,
    PublicApi.documentation
  )

/** The same code with kafka-clients inside, renamed: one jar, no dependencies. What the wheel carries. */
lazy val shaded = project
  .in(file("jvm/shaded"))
  .settings(
    name                       := "dynamic-kafka-spark",
    description                := s"${(ThisBuild / description).value} One jar, without dependencies.",
    licenses += "BSD-3-Clause" -> url("https://opensource.org/license/bsd-3-clause"),
    Compile / packageBin       := (thin / assembly).value,
    Compile / packageDoc       := (thin / Compile / packageDoc).value,
    Compile / packageSrc       := (thin / Compile / packageSrc).value,
    libraryDependencies        := Nil,
    autoScalaLibrary           := false
  )

/** Two real Kafka clusters for tests of users, in plain Java. Its users bring Spark, and the jar that they run with. */
lazy val testing = project
  .in(file("jvm/testing"))
  .dependsOn(thin % Provided)
  .settings(
    name             := "dynamic-kafka-spark-testing",
    description      := s"${(ThisBuild / description).value} Real Kafka clusters for tests of users.",
    crossPaths       := false,
    autoScalaLibrary := false,
    libraryDependencies ++= Seq(kafkaClients.excludeAll(fromSpark: _*), coursier, spark, munit),
    makePomConfiguration ~= (_.withConfigurations(Vector(Compile, Runtime))),
    // Where all others are.
    Test / testReportsDirectory := (thin / Test / testReportsDirectory).value,
    // Two builds are the same, byte for byte.
    Compile / doc / javacOptions := Seq("-notimestamp"),
    // The list of the Python package.
    Compile / resourceGenerators += Def.task {
      val list = (Compile / resourceManaged).value / "io/github/dynamickafka/spark/testing/jars.txt"
      IO.copyFile((ThisBuild / baseDirectory).value / "python/src/dynamic_kafka/_brokers/jars.txt", list)
      Seq(list)
    }.taskValue,
    PublicApi.ofTesting,
    Jars.terms
  )

/** The JVM projects of `examples`, compiled against this checkout: `make check` sees what would break them. Their users
  * build them on their own, as `make matrix` does.
  */
lazy val examples = project
  .in(file("examples"))
  .dependsOn(thin)
  .settings(
    publish / skip := true,
    libraryDependencies += spark,
    Compile / unmanagedSourceDirectories := Seq("scala-query/src/main/scala", "java-service/src/main/java").map {
      sources => baseDirectory.value / sources
    }
  )

/** What only benchmarks need: peers to be compared with, and JMH. Never published, and built by `make bench` alone. */
lazy val bench = project
  .in(file("bench/jvm"))
  .dependsOn(thin % "compile->test")
  .enablePlugins(JmhPlugin)
  .configs(BenchJars.Peers)
  .settings(
    name           := "dynamic-kafka-bench",
    publish / skip := true,
    // With Spark at run time too, which JMH does not provide.
    libraryDependencies ++= spark.withConfigurations(None) +: peers.map(_ % BenchJars.Peers),
    BenchJars.settings
  )
