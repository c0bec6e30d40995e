// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.plugins;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a plug-in cannot be loaded. The message has the reason and what to do.
 *
 * <p>Thread rule: immutable.
 */
final class PluginException extends Exception {

  @Serial private static final long serialVersionUID = 1;

  PluginException(String message) {
    super(message);
  }

  PluginException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
