package example;

import io.github.dynamickafka.spark.ClusterMetadata;
import io.github.dynamickafka.spark.KafkaMetadataService;
import io.github.dynamickafka.spark.KafkaStream;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A metadata service of one properties file per cluster, {@code <cluster id>.properties}, in one folder.
 *
 * <p>A property {@code stream.<id>} lists the topics of that stream on the cluster. All others are properties of Kafka's
 * client. To add a cluster, put a file into the folder. Whatever goes wrong is thrown: the source then keeps the
 * streams that it had, and asks again.
 */
public final class ClusterFolder implements KafkaMetadataService {
  private static final String ENDING = ".properties";
  private static final String STREAM = "stream.";

  private final Path folder;

  /** The source calls it with the options {@code metadataService.*} of the query. */
  public ClusterFolder(Map<String, String> options) {
    folder = Path.of(options.getOrDefault("folder", "clusters"));
  }

  @Override
  public Set<KafkaStream> getAllStreams() {
    Map<String, Map<String, ClusterMetadata>> clustersByStream = new HashMap<>();
    for (Path file : files()) {
      addTo(clustersByStream, file);
    }
    Set<KafkaStream> streams = new HashSet<>();
    clustersByStream.forEach((stream, clusters) -> streams.add(new KafkaStream(stream, clusters)));
    return streams;
  }

  private List<Path> files() {
    try (var all = Files.list(folder)) {
      return all.filter(file -> file.toString().endsWith(ENDING)).toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void addTo(Map<String, Map<String, ClusterMetadata>> clustersByStream, Path file) {
    String name = file.getFileName().toString();
    String clusterId = name.substring(0, name.length() - ENDING.length());
    Map<String, String> client = new HashMap<>();
    Map<String, Set<String>> topicsByStream = new HashMap<>();
    Properties lines = read(file);
    for (String key : lines.stringPropertyNames()) {
      if (key.startsWith(STREAM)) {
        topicsByStream.put(key.substring(STREAM.length()), topics(lines.getProperty(key)));
      } else {
        client.put(key, lines.getProperty(key));
      }
    }
    topicsByStream.forEach(
        (stream, topics) ->
            clustersByStream
                .computeIfAbsent(stream, absent -> new HashMap<>())
                .put(clusterId, new ClusterMetadata(topics, client)));
  }

  private static Set<String> topics(String listed) {
    return Arrays.stream(listed.split(",")).map(String::strip).collect(Collectors.toSet());
  }

  private static Properties read(Path file) {
    Properties lines = new Properties();
    try (Reader text = Files.newBufferedReader(file)) {
      lines.load(text);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return lines;
  }
}
