package io.github.dynamickafka.spark.testing;

import io.github.dynamickafka.spark.ClusterMetadata;
import io.github.dynamickafka.spark.InMemoryMetadataService;
import io.github.dynamickafka.spark.KafkaMetadataService;
import io.github.dynamickafka.spark.KafkaStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Two real Kafka clusters, {@code eu-1} and {@code eu-2}, and the streams on them, which a test moves while a query
 * reads. A stream's topic has the name of the stream.
 *
 * <pre>{@code
 * try (KafkaTestbed testbed = KafkaTestbed.start()) {
 *   testbed.createStream("orders", "eu-1");
 *   testbed.write("orders", "1", "2");
 *   testbed.move("orders", "eu-2");
 *   testbed.write("orders", "3");
 *   testbed.written("orders"); // 1, 2, 3
 * }
 * }</pre>
 *
 * <p>The clusters are processes of this machine, on Linux or macOS, without containers. The first start fetches Kafka
 * into Coursier's cache, 41 MB. Start one for all tests, and {@link #reset} it before each. One thread uses it at a
 * time.
 */
public final class KafkaTestbed implements AutoCloseable {
  private static final List<String> CLUSTERS = List.of("eu-1", "eu-2");

  private final Map<String, KafkaCluster> clusters = new LinkedHashMap<>();
  private final Map<String, List<String>> written = new TreeMap<>();
  private final Map<String, Integer> partitions = new TreeMap<>();
  private final Map<String, String> homes = new TreeMap<>();
  private final InMemoryMetadataService service = new InMemoryMetadataService();
  private final Path folder;

  private KafkaTestbed(Path folder) {
    this.folder = folder;
  }

  /**
   * Both clusters are up when this returns. {@link #close} deletes their data.
   *
   * @throws IllegalStateException if Kafka can't be fetched or started; the text says why
   */
  public static KafkaTestbed start() {
    KafkaTestbed testbed = new KafkaTestbed(Folders.temporary());
    try {
      for (String id : CLUSTERS) testbed.clusters.put(id, new KafkaCluster(id, testbed.folder.resolve(id)));
      testbed.reset();
      return testbed;
    } catch (RuntimeException | Error failure) {
      testbed.close();
      throw failure;
    }
  }

  /** Brings both clusters up, whatever was done to them, and removes all topics and streams. */
  public void reset() {
    clusters.values().forEach(KafkaCluster::heal);
    clusters.values().forEach(KafkaCluster::deleteTopics);
    service.getAllStreams().forEach(stream -> service.remove(stream.getStreamId()));
    homes.clear();
    written.clear();
    writeFile();
  }

  /** Says where the streams are. Give it to a query. */
  public KafkaMetadataService service() {
    return service;
  }

  /** A streams file for {@code YamlFileMetadataService} that says the same. */
  public Path file() {
    return folder.resolve("streams.yaml");
  }

  /**
   * A cluster by its id, to use and to break.
   *
   * @throws IllegalArgumentException for an id that is not there
   */
  public KafkaCluster cluster(String clusterId) {
    KafkaCluster found = clusters.get(clusterId);
    if (found == null)
      throw new IllegalArgumentException("There is no cluster " + clusterId + ". There are eu-1 and eu-2.");
    return found;
  }

  /** The same with one partition. */
  public void createStream(String streamId, String clusterId) {
    createStream(streamId, clusterId, 1);
  }

  /**
   * Creates an empty topic on a cluster, and lists it as a stream.
   *
   * @throws IllegalArgumentException if the stream is there
   */
  public void createStream(String streamId, String clusterId, int partitions) {
    if (homes.containsKey(streamId))
      throw new IllegalArgumentException("Stream " + streamId + " is there already, on " + homes.get(streamId) + ".");
    cluster(clusterId);
    this.partitions.put(streamId, partitions);
    written.put(streamId, new ArrayList<>());
    put(streamId, clusterId);
  }

  /** The same for values without a key. */
  public void write(String streamId, String... values) {
    write(streamId, List.of(values));
  }

  /**
   * Writes records to the cluster that the stream is on, each once. Returns when all are stored. Waits up to 60 seconds
   * for a cluster that is down.
   *
   * @param values without a key; for keys, headers, times and partitions there is {@link KafkaCluster#produce}
   */
  public void write(String streamId, Collection<String> values) {
    KafkaCluster home = cluster(home(streamId));
    List<ProducerRecord<String, String>> records =
        values.stream().map(value -> new ProducerRecord<String, String>(streamId, value)).collect(Collectors.toList());
    home.produce(records);
    written.get(streamId).addAll(values);
  }

  /** All values that were written to the stream so far, in order, on whichever cluster. */
  public List<String> written(String streamId) {
    home(streamId);
    return List.copyOf(written.get(streamId));
  }

  /**
   * Moves a stream to another cluster, as its owner would: first its writers, then its entry in the metadata. The topic
   * is created there if it is not there yet. The former cluster stays listed without topics, so a query that has begun
   * reads it to its end. Await its rows before you move.
   *
   * @throws IllegalArgumentException if the stream is there already
   */
  public void move(String streamId, String clusterId) {
    if (home(streamId).equals(clusterId))
      throw new IllegalArgumentException("Stream " + streamId + " is on " + clusterId + " already.");
    cluster(clusterId);
    put(streamId, clusterId);
  }

  /** Lists a stream in place of the one with the same id: for whatever {@link #move} does not do. */
  public void publish(KafkaStream stream) {
    service.put(stream);
    writeFile();
  }

  /** Ends both clusters, and deletes their data. May be called again. */
  @Override
  public void close() {
    clusters.values().forEach(KafkaCluster::close);
    Folders.delete(folder);
  }

  private void put(String streamId, String home) {
    KafkaCluster cluster = cluster(home);
    if (!cluster.topics().contains(streamId)) cluster.createTopic(streamId, partitions.get(streamId));
    homes.put(streamId, home);
    KafkaStream listed = service.describeStreams(Set.of(streamId)).get(streamId);
    Map<String, ClusterMetadata> now = new LinkedHashMap<>();
    if (listed != null) listed.getClusters().keySet().forEach(former -> now.put(former, metadata(former, Set.of())));
    now.put(home, metadata(home, Set.of(streamId)));
    publish(new KafkaStream(streamId, now));
  }

  private ClusterMetadata metadata(String clusterId, Set<String> topics) {
    return new ClusterMetadata(topics, Map.of("bootstrap.servers", cluster(clusterId).bootstrapServers()));
  }

  private String home(String streamId) {
    String home = homes.get(streamId);
    if (home == null)
      throw new IllegalArgumentException("There is no stream " + streamId + ". Create it by createStream.");
    return home;
  }

  private void writeFile() {
    Folders.replace(file(), StreamsText.of(service.getAllStreams()));
  }
}
