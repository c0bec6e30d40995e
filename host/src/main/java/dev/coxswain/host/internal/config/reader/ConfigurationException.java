// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config.reader;

import java.util.List;

/**
 * An invalid configuration. The message has a line for each fault.
 *
 * <p>Thread rule: immutable.
 */
public final class ConfigurationException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param problems a line for each fault: origin, key, expected and found
   */
  public ConfigurationException(List<String> problems) {
    super(String.join("\n", problems));
  }
}
