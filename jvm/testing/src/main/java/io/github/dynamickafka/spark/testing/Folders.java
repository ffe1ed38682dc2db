package io.github.dynamickafka.spark.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.commons.io.FileUtils;

/** Files of a testbed. */
final class Folders {
  private Folders() {}

  static Path temporary() {
    try {
      return Files.createTempDirectory("kafka-testbed");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Replaces a file by one with this text, as a whole: nobody reads half of it. */
  static void replace(Path file, String text) {
    try {
      Path beside = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), text);
      Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  static void delete(Path folder) {
    FileUtils.deleteQuietly(folder.toFile());
  }
}
