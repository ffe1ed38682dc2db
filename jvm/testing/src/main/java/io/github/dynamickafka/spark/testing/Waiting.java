package io.github.dynamickafka.spark.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Looks again and again until a condition holds. */
final class Waiting {
  // Between two looks, so that looking does not starve what it waits for.
  private static final long PAUSE_MS = 50;

  private Waiting() {}

  /** Throws an {@link AssertionError} that names the claim if it does not hold within this time. */
  static void until(String claim, Duration within, BooleanSupplier holds) {
    if (!holds(within, holds)) throw new AssertionError("Not within " + within.toSeconds() + " s: " + claim + ".");
  }

  /** Whether it holds within this time. Looks at least once. */
  static boolean holds(Duration within, BooleanSupplier holds) {
    long deadline = System.nanoTime() + within.toNanos();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() >= deadline) return false;
      try {
        Thread.sleep(PAUSE_MS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}
