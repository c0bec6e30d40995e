// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import java.util.Objects;

/**
 * Where an {@link HttpCallbackSource} listens, whom it believes and how much it takes.
 *
 * <p>Thread rule: immutable.
 *
 * @param host the address to listen on
 * @param port the port, 0 for any free one
 * @param path the path that is called, with a slash in front
 * @param authentication whom to believe
 * @param maxBody the largest body, in bytes
 * @param maxCalls how many calls may be read at once
 */
public record HttpCallbackOptions(
    String host,
    int port,
    String path,
    CallbackAuthentication authentication,
    int maxBody,
    int maxCalls) {

  /** The largest body by default, in bytes. */
  public static final int DEFAULT_MAX_BODY = 64 * 1024;

  /** How many calls may be read at once by default. */
  public static final int DEFAULT_MAX_CALLS = 64;

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
  }

  /**
   * Returns options for the loopback interface with the default limits.
   *
   * @param port the port, 0 for any free one
   * @param path the path that is called
   * @param authentication whom to believe
   */
  public static HttpCallbackOptions of(
      int port, String path, CallbackAuthentication authentication) {
    return new HttpCallbackOptions(
        "127.0.0.1", port, path, authentication, DEFAULT_MAX_BODY, DEFAULT_MAX_CALLS);
  }

  /** Returns these options for another address, such as {@code 0.0.0.0}. */
  public HttpCallbackOptions withHost(String value) {
    return new HttpCallbackOptions(value, port, path, authentication, maxBody, maxCalls);
  }

  /** Returns these options with another limit for a body, in bytes. */
  public HttpCallbackOptions withMaxBody(int value) {
    return new HttpCallbackOptions(host, port, path, authentication, value, maxCalls);
  }
}
