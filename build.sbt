import Dependencies._

ThisBuild / organization      := "io.github.dynamickafka"
ThisBuild / version           := Release.version((ThisBuild / baseDirectory).value)
ThisBuild / scalaVersion      := scala
ThisBuild / versionScheme     := Some("early-semver")
ThisBuild / description       := "One Spark Structured Streaming source for many Kafka clusters that come and go."
ThisBuild / licenses          := Seq(License.Apache2)
ThisBuild / scalafmtOnCompile := false
ThisBuild / Test / fork       := true
ThisBuild / Test / javaOptions ++= SparkModules.options
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

Global / concurrentRestrictions := Seq(Tags.limitAll(2), Tags.limit(Tags.ForkedTestGroup, 2))

lazy val root = project
  .in(file("."))
  .aggregate(thin, shaded)
  .settings(name := "dynamic-kafka", publish / skip := true)

/** All the code. Published with its dependencies, for users who bring plug-in classes compiled against kafka-clients. */
lazy val thin = project
  .in(file("jvm"))
  .settings(
    name := "dynamic-kafka-spark-thin",
    // Scaladoc takes a placeholder for one of its variables, and knows no link to an exception of the JDK's.
    Compile / doc / scalacOptions := Seq("-release", "17", "-no-link-warnings"),
    // In two JVMs: most suites wait more than they compute.
    Test / testGrouping := {
      val options = (Test / forkOptions).value
      val suites  = (Test / definedTests).value.sortBy(_.name).zipWithIndex
      suites.groupBy(_._2 % 2).toSeq.map { case (half, those) =>
        Tests.Group(s"half $half", those.map(_._1), Tests.SubProcess(options))
      }
    },
    // Tests are full of `${env:NAME}`, which looks like a forgotten interpolator.
    Test / scalacOptions += "-Xlint:-missing-interpolator",
    libraryDependencies ++= Seq(kafkaClients, tokens).map(_.excludeAll(fromSpark: _*)),
    libraryDependencies ++= Seq(spark, yaml, munit, munitCheck),
    Compile / resourceGenerators += Def.task {
      val file = (Compile / resourceManaged).value / "io/github/dynamickafka/spark/version.properties"
      IO.write(file, s"version=${version.value}\n")
      Seq(file)
    }.taskValue,
    assembly / assemblyJarName    := s"dynamic-kafka-spark_2.13-${version.value}.jar",
    assembly / assemblyShadeRules := Shading.rules,
    assembly / assemblyOption ~= (_.withIncludeScala(false)),
    assembly / assemblyMergeStrategy := {
      case path if path.endsWith("module-info.class")                             => MergeStrategy.discard
      case path if path.matches("META-INF/(LICENSE|NOTICE|DEPENDENCIES)(\\..*)?") => MergeStrategy.first
      case path => (assembly / assemblyMergeStrategy).value(path)
    }
  )

/** The same code with kafka-clients inside, renamed: one jar, no dependencies. What the wheel carries. */
lazy val shaded = project
  .in(file("jvm/shaded"))
  .settings(
    name                 := "dynamic-kafka-spark",
    Compile / packageBin := (thin / assembly).value,
    Compile / packageDoc := (thin / Compile / packageDoc).value,
    Compile / packageSrc := (thin / Compile / packageSrc).value,
    libraryDependencies  := Nil,
    autoScalaLibrary     := false
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
