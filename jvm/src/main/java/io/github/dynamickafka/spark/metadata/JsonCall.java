package io.github.dynamickafka.spark.metadata;

/**
 * One question to a service or subscriber in another language. Question and answer are texts, because Py4J can
 * return no collections. The Python package implements it.
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
