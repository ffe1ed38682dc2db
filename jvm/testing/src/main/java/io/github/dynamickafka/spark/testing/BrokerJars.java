package io.github.dynamickafka.spark.testing;

import coursierapi.Dependency;
import coursierapi.Fetch;
import coursierapi.error.CoursierError;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** The jars of a broker, each of a pinned version. Coursier fetches them once, into its cache, and checks them. */
final class BrokerJars {
  private static List<File> fetched;

  private BrokerJars() {}

  /** Fetches what is missing. Throws {@link IllegalStateException} if that fails. */
  static synchronized List<File> files() {
    if (fetched == null) fetched = fetch();
    return fetched;
  }

  private static List<File> fetch() {
    try {
      Fetch fetch = Fetch.create();
      pinned().forEach(fetch::addDependencies);
      return fetch.fetch();
    } catch (CoursierError failure) {
      throw new IllegalStateException(
          "Kafka can't be fetched. COURSIER_REPOSITORIES names a mirror, -Dhttps.proxyHost a proxy. "
              + failure.getMessage(),
          failure);
    }
  }

  // A line of the list ends with the path in a Maven repository: the group's folders, artifact, version, file.
  private static List<Dependency> pinned() {
    try (BufferedReader list = new BufferedReader(new InputStreamReader(
        BrokerJars.class.getResourceAsStream("jars.txt"), StandardCharsets.UTF_8))) {
      return list.lines().filter(line -> !line.startsWith("#")).map(BrokerJars::dependency).collect(Collectors.toList());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static Dependency dependency(String line) {
    List<String> path = List.of(line.substring(line.lastIndexOf(' ') + 1).split("/"));
    int group = path.size() - 3;
    return Dependency.of(String.join(".", path.subList(0, group)), path.get(group), path.get(group + 1))
        .withTransitive(false);
  }
}
