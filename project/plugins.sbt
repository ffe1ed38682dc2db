addSbtPlugin("com.eed3si9n"       % "sbt-assembly"    % "2.3.1")
addSbtPlugin("org.scalameta"      % "sbt-scalafmt"    % "2.5.6")
addSbtPlugin("pl.project13.scala" % "sbt-jmh"         % "0.4.8")
addSbtPlugin("com.typesafe"       % "sbt-mima-plugin" % "1.1.4")
