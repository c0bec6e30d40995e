// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.internal.config.RecordReader;
import dev.coxswain.spi.Clock;
import java.util.Map;

/**
 * The services of a host for the controllers it builds.
 *
 * <p>Thread rule: any thread.
 */
public interface ControllerEnvironment {

  /**
   * Returns a service of the host, such as its access to Kubernetes.
   *
   * @param type the type of the service
   * @throws IllegalStateException when this host has no such service; the message lists the
   *     available ones
   */
  <T> T get(Class<T> type);

  /**
   * Returns the configuration of this controller: maps, lists, strings, numbers and booleans; empty
   * when there is none.
   */
  Map<String, Object> config();

  /**
   * Returns the configuration of this controller as a record: {@code defaults} with what is
   * configured in place of it. Components may be texts, booleans, {@code int}, {@code long}, {@code
   * double}, {@link java.time.Duration}, enums (in camel case), lists and maps of these, and records.
   * A record inside of another one is replaced component by component, a list or map as a whole.
   *
   * <p>A constructor that refuses values with an {@link IllegalArgumentException} has its message
   * shown. The tools for authors read the keys, types and defaults of this call for the schema of
   * a chart.
   *
   * @throws IllegalArgumentException when a key is unknown, a value has another type, or the record
   *     refuses its values; the message begins with the path of the key
   */
  default <T extends Record> T config(T defaults) {
    return RecordReader.read(defaults, config());
  }

  /** Returns the clock that the controller must use. */
  Clock clock();
}
