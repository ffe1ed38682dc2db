package io.github.dynamickafka.spark.metadata;

/**
 * One question to a service or subscriber of another language, as text both ways: what the Python package implements
 * over Py4J, which can hand back no collections.
 */
@FunctionalInterface
public interface JsonCall {

  /**
   * Answers one request.
   *
   * @param request a JSON object whose {@code method} says what is asked
   * @return a JSON object: the answer, or one whose {@code error} says why there is none
   */
  String call(String request);
}
