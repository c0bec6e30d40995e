// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.callback;

import dev.coxswain.source.EventSink;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Objects;
import java.util.regex.Pattern;

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
 * @param announced where other replicas reach this source, such as {@code https://10.0.0.3:8443}:
 *     scheme, host and port; empty, the default, for nowhere, unless it listens on the loopback
 *     interface
 */
@RecordBuilder
public record HttpCallbackOptions(
    String host,
    int port,
    String path,
    CallbackAuthentication authentication,
    int maxBody,
    int maxCalls,
    int maxKeys,
    String announced)
    implements HttpCallbackOptionsBuilder.With {

  /** The largest body by default, in bytes. */
  public static final int DEFAULT_MAX_BODY = 64 * 1024;

  /** The default limit of calls that are read at once. */
  public static final int DEFAULT_MAX_CALLS = 64;

  /** The default limit of different keys in one call. */
  public static final int DEFAULT_MAX_KEYS = 1_000;

  private static final Pattern ANNOUNCED =
      Pattern.compile("https?://([A-Za-z0-9.-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}]):\\d{1,5}");

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
    if (!announced.isEmpty() && !ANNOUNCED.matcher(announced).matches()) {
      throw new IllegalArgumentException(
          "the announced address must be http or https, host and port, such as"
              + " https://10.0.0.3:8443: \""
              + announced
              + "\"");
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
        DEFAULT_MAX_KEYS,
        "");
  }
}
