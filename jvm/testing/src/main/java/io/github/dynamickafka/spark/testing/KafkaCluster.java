package io.github.dynamickafka.spark.testing;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A Kafka cluster of one broker. Keeps its address and its data through stop, kill and pause. No login is needed. Each
 * call returns when its effect can be seen, and waits up to 60 seconds for a broker that is about to come up.
 */
public final class KafkaCluster {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration START = Duration.ofSeconds(180);

  private final String id;
  private final Broker broker;
  private final Admin admin;
  private KafkaProducer<String, String> producer;

  KafkaCluster(String id, Path folder) {
    this.id = id;
    this.broker = new Broker(id, folder);
    this.admin = Admin.create(client());
  }

  /** The cluster id in the metadata. */
  public String id() {
    return id;
  }

  /** The address for clients, such as {@code 127.0.0.1:20123}. */
  public String bootstrapServers() {
    return broker.address();
  }

  /** Starts it on the data that is there, and returns when it answers. Harmless while it runs. */
  public void start() {
    broker.start();
    Waiting.until("cluster " + id + " answers", START, this::answers);
  }

  /** Shuts it down in good order. */
  public void stop() {
    broker.stop();
  }

  /** Ends it as a crash would. */
  public void kill() {
    broker.kill();
  }

  /** Freezes it: connections stay open, and requests get no answer. */
  public void pause() {
    broker.pause();
  }

  /** Ends a pause, and returns when it answers again. */
  public void resume() {
    broker.resume();
    start();
  }

  /**
   * Creates a topic that can be written to and read from at once.
   *
   * @throws IllegalStateException with what Kafka says, as from every call, for example if the topic is there already
   */
  public void createTopic(String topic, int partitions) {
    done(admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all());
    awaitPartitions(topic, partitions);
  }

  /** Deletes a topic with its records. */
  public void deleteTopic(String topic) {
    // A producer keeps for minutes what it once learned of a topic.
    closeProducer();
    done(admin.deleteTopics(List.of(topic)).all());
    Waiting.until("topic " + topic + " is gone from " + id, PATIENCE, () -> !topics().contains(topic));
  }

  /** Lets a topic grow to so many partitions. */
  public void addPartitions(String topic, int total) {
    closeProducer();
    done(admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(total))).all());
    awaitPartitions(topic, total);
  }

  /** The names of all topics, Kafka's own left out. */
  public Set<String> topics() {
    return done(admin.listTopics().names());
  }

  /** Writes records, each exactly once and in order. Returns when all are stored. */
  public void produce(Collection<ProducerRecord<String, String>> records) {
    if (producer == null) producer = new KafkaProducer<>(client(), new StringSerializer(), new StringSerializer());
    List<Future<?>> sent = new ArrayList<>();
    for (ProducerRecord<String, String> record : records) sent.add(producer.send(record));
    producer.flush();
    sent.forEach(KafkaCluster::done);
  }

  /** By partition, the offset that the next record gets. */
  public Map<Integer, Long> endOffsets(String topic) {
    int count = done(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic).partitions().size();
    return endOffsets(topic, count);
  }

  /** Undoes what was done to it. */
  void heal() {
    broker.resume();
    start();
  }

  void deleteTopics() {
    topics().forEach(this::deleteTopic);
  }

  void close() {
    broker.kill();
    closeProducer();
    admin.close(Duration.ZERO);
  }

  private Map<Integer, Long> endOffsets(String topic, int partitions) {
    Map<TopicPartition, OffsetSpec> asked = IntStream.range(0, partitions)
        .boxed()
        .collect(Collectors.toMap(number -> new TopicPartition(topic, number), number -> OffsetSpec.latest()));
    Map<Integer, Long> ends = new TreeMap<>();
    done(admin.listOffsets(asked).all()).forEach((partition, end) -> ends.put(partition.partition(), end.offset()));
    return ends;
  }

  private boolean answers() {
    broker.requireRunning();
    try {
      DescribeClusterOptions soon = new DescribeClusterOptions().timeoutMs(2000);
      return !done(admin.describeCluster(soon).nodes()).isEmpty();
    } catch (IllegalStateException notYet) {
      return false;
    }
  }

  private void awaitPartitions(String topic, int count) {
    Waiting.until(
        "topic " + topic + " of " + id + " has " + count + " partitions",
        PATIENCE,
        () -> partitions(topic) == count);
    // Waits for their leaders.
    endOffsets(topic, count);
  }

  // A broker may learn of a topic only after the controller has created it.
  private int partitions(String topic) {
    try {
      return done(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic).partitions().size();
    } catch (IllegalStateException failure) {
      if (failure.getCause() instanceof UnknownTopicOrPartitionException) return 0;
      throw failure;
    }
  }

  private void closeProducer() {
    if (producer != null) producer.close(Duration.ZERO);
    producer = null;
  }

  private Map<String, Object> client() {
    return Map.of(
        "bootstrap.servers", broker.address(),
        "default.api.timeout.ms", (int) PATIENCE.toMillis(),
        "delivery.timeout.ms", (int) PATIENCE.toMillis(),
        "max.block.ms", PATIENCE.toMillis(),
        // A request without an answer is sent again in time.
        "request.timeout.ms", 15_000,
        // The address stays; without this, each try of a client while it is down is a line in the log.
        "metadata.recovery.strategy", "none",
        "reconnect.backoff.ms", 20L,
        "reconnect.backoff.max.ms", 200L);
  }

  private static <T> T done(Future<T> call) {
    try {
      return call.get();
    } catch (ExecutionException failure) {
      throw new IllegalStateException(failure.getCause().getMessage(), failure.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while Kafka was asked.", interrupted);
    }
  }
}
