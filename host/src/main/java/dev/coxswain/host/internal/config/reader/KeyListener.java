// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config.reader;

/**
 * Receives the keys of a configuration as they are read.
 *
 * <p>Thread rule: called on the thread that reads.
 */
public interface KeyListener {

  /** Ignores them. */
  KeyListener NONE = (_, _) -> {};

  /**
   * A key is about to be read.
   *
   * @param path its path
   * @param rule what it accepts
   */
  void rule(String path, KeyRule rule);

  /**
   * A key has a value: its own, or its default. Not called for a key that has neither.
   *
   * @param path its path
   * @param value the value, comparable by {@code equals}; may be a secret
   */
  default void value(String path, Object value) {}
}
