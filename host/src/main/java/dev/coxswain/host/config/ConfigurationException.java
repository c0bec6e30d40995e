// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.config;

import java.util.List;

/**
 * The configuration cannot be used. The message holds one line for each fault.
 *
 * <p>Thread rule: immutable.
 */
public final class ConfigurationException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param problems one line each: where, which key, what was expected
   */
  public ConfigurationException(List<String> problems) {
    super(String.join("\n", problems));
  }
}
