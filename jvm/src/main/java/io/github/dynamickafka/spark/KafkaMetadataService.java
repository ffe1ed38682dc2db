package io.github.dynamickafka.spark;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Answers which streams exist, and which topics on which Kafka clusters carry them.
 *
 * <p>The source calls it at regular intervals, only on the driver, from a separate thread. Calls on one object never
 * overlap. Whatever a method throws counts as a failed fetch: the source keeps the last topology. A class that the
 * option {@code metadataService} names needs a public constructor, either without parameters or with one
 * {@code Map<String, String>}, which receives its {@code metadataService.*} options.
 *
 * <p>{@link #getAllStreams()} is enough: what a fetch needs further is taken from one call of it. Override the others
 * where the service can answer them with less, or knows more.
 */
public interface KafkaMetadataService extends AutoCloseable {

  /** All streams. */
  Set<KafkaStream> getAllStreams();

  /**
   * The streams with these ids, by id. Leave out ids that the service does not know. By default those of {@link
   * #getAllStreams()}.
   */
  default Map<String, KafkaStream> describeStreams(Collection<String> streamIds) {
    Set<String> wanted = Set.copyOf(streamIds);
    return getAllStreams().stream()
        .filter(stream -> wanted.contains(stream.getStreamId()))
        .collect(Collectors.toMap(KafkaStream::getStreamId, Function.identity()));
  }

  /**
   * Whether a cluster is expected to answer. If not, it is read while it answers, and skipped when it does not. Asked
   * for listed clusters and for draining ones. An error for a cluster that is no longer listed counts as no. By default:
   * whether a stream lists it.
   */
  default boolean isClusterActive(String clusterId) {
    return getAllStreams().stream().anyMatch(stream -> stream.getClusters().containsKey(clusterId));
  }

  /** Closes the service. It may be called at any time, and should end a call that hangs. By default nothing. */
  @Override
  default void close() {}
}
