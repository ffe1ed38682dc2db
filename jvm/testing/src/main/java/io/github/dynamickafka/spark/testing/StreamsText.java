package io.github.dynamickafka.spark.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.dynamickafka.spark.ClusterMetadata;
import io.github.dynamickafka.spark.KafkaStream;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The text of a streams file: JSON, which is YAML too. */
final class StreamsText {
  private static final ObjectMapper JSON = new ObjectMapper();

  private StreamsText() {}

  static String of(Collection<KafkaStream> streams) {
    try {
      return JSON.writerWithDefaultPrettyPrinter()
          .writeValueAsString(streams.stream().map(StreamsText::stream).collect(Collectors.toList()));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static Map<String, Object> stream(KafkaStream stream) {
    List<Object> clusters = stream.getClusters().entrySet().stream()
        .map(entry -> cluster(entry.getKey(), entry.getValue()))
        .collect(Collectors.toList());
    return Map.of("streamId", stream.getStreamId(), "clusterMetadataList", clusters);
  }

  private static Object cluster(String id, ClusterMetadata cluster) {
    Map<String, Object> entry = new LinkedHashMap<>();
    Map<String, String> properties = new TreeMap<>(cluster.getProperties());
    entry.put("clusterId", id);
    entry.put("bootstrapServers", properties.remove("bootstrap.servers"));
    entry.put("topics", new TreeSet<>(cluster.getTopics()));
    if (!properties.isEmpty()) entry.put("properties", properties);
    cluster.getStartingOffsets().ifPresent(json -> entry.put("startingOffsets", offsets(json)));
    cluster.getEndingOffsets().ifPresent(json -> entry.put("endingOffsets", offsets(json)));
    if (!cluster.getContinues().isEmpty()) entry.put("continues", cluster.getContinues());
    if (cluster.isPaused()) entry.put("paused", true);
    else if (!cluster.getPausedTopics().isEmpty()) entry.put("paused", cluster.getPausedTopics());
    return entry;
  }

  // "earliest" and "latest" are no JSON.
  private static Object offsets(String text) {
    try {
      return text.startsWith("{") ? JSON.readTree(text) : text;
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
