// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a plug-in cannot be loaded. The message has the reason and what to do.
 *
 * <p>Thread rule: immutable.
 */
final class PluginException extends Exception {

  @Serial private static final long serialVersionUID = 1;

  private final boolean noRoom;

  PluginException(String message) {
    this(message, null);
  }

  PluginException(String message, @Nullable Throwable cause) {
    super(message, cause);
    noRoom = false;
  }

  private PluginException(String message, boolean noRoom) {
    super(message);
    this.noRoom = noRoom;
  }

  /** Creates the exception for contents for which the memory of plug-ins has no room. */
  static PluginException noRoom(String message) {
    return new PluginException(message, true);
  }

  /** Returns whether it may be loaded when other plug-ins have gone. */
  boolean isNoRoom() {
    return noRoom;
  }
}
