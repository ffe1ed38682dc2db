package io.github.dynamickafka.spark.metadata;

/**
 * Calls a service or subscriber in another language. Request and answer are texts, because Py4J can't return
 * collections. The Python package implements this interface.
 */
@FunctionalInterface
public interface JsonCall {

  /**
   * Answers one request.
   *
   * @param request a JSON object whose {@code method} names the method to call
   * @return a JSON object: the answer, or one whose {@code error} gives the reason for the failure
   */
  String call(String request);
}
