// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.http;

import java.io.IOException;
import java.net.BindException;
import java.util.Locale;

/**
 * A port that is in use or cannot be bound. The message is for the user and names the key to
 * change.
 *
 * <p>Thread rule: immutable.
 */
public final class PortInUseException extends IOException {
  private static final long serialVersionUID = 1L;

  private PortInUseException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Returns an exception with the key to change, if the cause is about an address; otherwise the
   * cause.
   *
   * @param cause why listening failed
   * @param key the section of the configuration, such as {@code admin}
   * @param host the address
   * @param port the port
   */
  public static Throwable explain(Throwable cause, String key, String host, int port) {
    if (!(cause instanceof BindException) && !(cause instanceof java.net.UnknownHostException)) {
      return cause;
    }
    String why =
        String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains("in use")
            ? "port " + port + " on " + host + " is in use"
            : "cannot listen on " + host + ":" + port + " (" + cause.getMessage() + ")";
    return new PortInUseException(
        why + ": stop what uses it, or choose another with " + key + ".port in the configuration",
        cause);
  }
}
