package io.github.dynamickafka.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** A stream: a logical id, and the clusters whose topics carry it, by cluster id. Immutable. */
public final class KafkaStream {
  private final String streamId;
  private final Map<String, ClusterMetadata> clusters;

  /**
   * @throws NullPointerException if anything is null
   * @throws IllegalArgumentException if an id is empty
   */
  public KafkaStream(String streamId, Map<String, ClusterMetadata> clusters) {
    this.streamId = notEmpty("streamId", streamId);
    this.clusters = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(clusters));
    this.clusters.forEach((id, cluster) -> {
      notEmpty("a cluster id of stream " + streamId, id);
      Objects.requireNonNull(cluster, () -> "the metadata of cluster " + id + " of stream " + streamId + " is null");
    });
  }

  private static String notEmpty(String name, String value) {
    if (Objects.requireNonNull(value, name + " is null").isEmpty()) {
      throw new IllegalArgumentException(name + " is empty");
    }
    return value;
  }

  public String getStreamId() {
    return streamId;
  }

  /** The clusters that carry the stream, by cluster id. Unmodifiable. */
  public Map<String, ClusterMetadata> getClusters() {
    return clusters;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KafkaStream that && streamId.equals(that.streamId) && clusters.equals(that.clusters);
  }

  @Override
  public int hashCode() {
    return Objects.hash(streamId, clusters);
  }

  @Override
  public String toString() {
    return "KafkaStream(" + streamId + ", " + clusters + ")";
  }
}
