// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.source.EventSink;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Objects;

/**
 * The options of an {@link HttpCallbackSource}: address, authentication and limits.
 *
 * <p>Thread rule: immutable.
 *
 * @param host the address to listen on
 * @param port the port, 0 for any free one
 * @param path the path, with a leading slash
 * @param authentication the authentication of calls
 * @param maxBody the largest body, in bytes
 * @param maxCalls how many calls may be read at once
 * @param maxKeys how many different keys one call may contain, at most {@link
 *     EventSink#PENDING_HIGH_WATER}
 */
@RecordBuilder
public record HttpCallbackOptions(
    String host,
    int port,
    String path,
    CallbackAuthentication authentication,
    int maxBody,
    int maxCalls,
    int maxKeys)
    implements HttpCallbackOptionsBuilder.With {

  /** The largest body by default, in bytes. */
  public static final int DEFAULT_MAX_BODY = 64 * 1024;

  /** How many calls may be read at once by default. */
  public static final int DEFAULT_MAX_CALLS = 64;

  /** How many different keys one call may contain by default. */
  public static final int DEFAULT_MAX_KEYS = 1_000;

  public HttpCallbackOptions {
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(authentication, "authentication");
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("the path must begin with a slash: \"" + path + "\"");
    }
    if (maxBody < 1 || maxCalls < 1) {
      throw new IllegalArgumentException(
          "the limits must be at least 1: body " + maxBody + ", calls " + maxCalls);
    }
    if (maxKeys < 1 || maxKeys > EventSink.PENDING_HIGH_WATER) {
      throw new IllegalArgumentException(
          "the limit of keys in a call must be from 1 to "
              + EventSink.PENDING_HIGH_WATER
              + ": "
              + maxKeys);
    }
  }

  /**
   * Returns options for the loopback interface with the default limits.
   *
   * @param port the port, 0 for any free one
   * @param path the path
   * @param authentication the authentication of calls
   */
  public static HttpCallbackOptions of(
      int port, String path, CallbackAuthentication authentication) {
    return new HttpCallbackOptions(
        "127.0.0.1",
        port,
        path,
        authentication,
        DEFAULT_MAX_BODY,
        DEFAULT_MAX_CALLS,
        DEFAULT_MAX_KEYS);
  }
}
