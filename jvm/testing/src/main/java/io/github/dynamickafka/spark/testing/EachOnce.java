package io.github.dynamickafka.spark.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.spark.sql.streaming.StreamingQuery;

/** Whether each record came exactly once. */
public final class EachOnce {
  private static final int SHOWN = 5;

  private final List<String> missing = new ArrayList<>();
  private final List<String> tooOften = new ArrayList<>();
  private final List<String> unknown = new ArrayList<>();

  private EachOnce(Map<String, Integer> written, Map<String, Integer> seen) {
    written.forEach((text, count) -> {
      int found = seen.getOrDefault(text, 0);
      if (found < count) missing.add(text);
      if (found > count) tooOften.add(text);
    });
    seen.keySet().stream().filter(text -> !written.containsKey(text)).forEach(unknown::add);
  }

  /**
   * Waits until each text that was written has come out and the query finds no more records. Checks that none came more
   * often than it was written. In Real-Time Mode this lasts until the batch ends: use batches of some seconds in tests.
   *
   * @param query the query that writes them
   * @param read all that has come out so far
   * @param written what has to come out, at least one text
   * @throws AssertionError says what is missing, came too often or was never written; or what the query failed with
   */
  public static void assertEachOnce(
      StreamingQuery query, Supplier<? extends Collection<String>> read, Collection<String> written, Duration within) {
    if (written.isEmpty()) throw new AssertionError("Nothing was written, so nothing can be shown.");
    Map<String, Integer> wanted = counted(written);
    EachOnce[] last = new EachOnce[1];
    Waiting.holds(within, () -> {
      requireRunning(query);
      last[0] = new EachOnce(wanted, counted(read.get()));
      return last[0].isFinal();
    });
    if (last[0].isEmpty() && query.isActive()) {
      query.processAllAvailable();
      last[0] = new EachOnce(wanted, counted(read.get()));
    }
    if (!last[0].isEmpty()) throw new AssertionError(last[0] + ".");
  }

  /** The same within 60 seconds. */
  public static void assertEachOnce(
      StreamingQuery query, Supplier<? extends Collection<String>> read, Collection<String> written) {
    assertEachOnce(query, read, written, Duration.ofSeconds(60));
  }

  private static void requireRunning(StreamingQuery query) {
    if (query.exception().isDefined())
      throw new AssertionError("The query failed: " + query.exception().get().getMessage(), query.exception().get());
  }

  private boolean isEmpty() {
    return missing.isEmpty() && tooOften.isEmpty() && unknown.isEmpty();
  }

  /** Whether waiting can change nothing. */
  private boolean isFinal() {
    return missing.isEmpty() || !tooOften.isEmpty() || !unknown.isEmpty();
  }

  @Override
  public String toString() {
    Map<String, List<String>> found = Map.of("missing", missing, "more than once", tooOften, "never written", unknown);
    return new TreeMap<>(found).entrySet().stream()
        .filter(entry -> !entry.getValue().isEmpty())
        .map(entry -> entry.getValue().size() + " " + entry.getKey() + ": " + shown(entry.getValue()))
        .collect(Collectors.joining("; "));
  }

  private static String shown(List<String> texts) {
    String first = texts.stream().limit(SHOWN).map(text -> "'" + text + "'").collect(Collectors.joining(", "));
    return texts.size() > SHOWN ? first + ", …" : first;
  }

  private static Map<String, Integer> counted(Collection<String> texts) {
    Map<String, Integer> counts = new TreeMap<>();
    texts.forEach(text -> counts.merge(text, 1, Integer::sum));
    return counts;
  }
}
