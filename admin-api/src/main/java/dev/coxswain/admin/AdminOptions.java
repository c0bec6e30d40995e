// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import java.time.Duration;

/**
 * How the admin API listens and what it puts up with.
 *
 * <p>Thread rule: immutable.
 *
 * @param host the address to bind to: {@code localhost} or a literal loopback address
 * @param port the port, 0 for any free one
 * @param maxConnections open connections; more are closed at once
 * @param maxInFlight requests being answered; more get 503
 * @param maxBody the largest request body in bytes; more gets 413
 * @param requestTimeout how long a new connection has for its first request, a body for its arrival
 *     (then 408) and a controller for its answer (then 503)
 * @param idleTimeout after which a connection without a request is closed
 */
public record AdminOptions(
    String host,
    int port,
    int maxConnections,
    int maxInFlight,
    int maxBody,
    Duration requestTimeout,
    Duration idleTimeout) {

  /** The default address. */
  public static final String DEFAULT_HOST = "127.0.0.1";

  /** The default port. */
  public static final int DEFAULT_PORT = 8090;

  /** Loopback, port 8090, 512 connections, 64 requests, 64 KiB, 5 s, 30 s. */
  public static final AdminOptions DEFAULT =
      new AdminOptions(
          DEFAULT_HOST,
          DEFAULT_PORT,
          512,
          64,
          64 * 1024,
          Duration.ofSeconds(5),
          Duration.ofSeconds(30));

  public AdminOptions {
    if (!Loopback.isLoopback(host)) {
      throw new IllegalArgumentException(
          "the admin API has no authentication yet and binds to loopback only, found host \""
              + host
              + "\"; use 127.0.0.1, ::1 or localhost, and a port-forward to reach it from outside");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be from 0 to 65535: " + port);
    }
    requireAtLeastOne(maxConnections, "maxConnections");
    requireAtLeastOne(maxInFlight, "maxInFlight");
    requireAtLeastOne(maxBody, "maxBody");
    requireAtLeastOne(requestTimeout.toMillis(), "requestTimeout in milliseconds");
    requireAtLeastOne(idleTimeout.toMillis(), "idleTimeout in milliseconds");
  }

  private static void requireAtLeastOne(long value, String name) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1: " + value);
    }
  }

  /** Returns these options with another address; loopback only. */
  public AdminOptions withHost(String value) {
    return new AdminOptions(
        value, port, maxConnections, maxInFlight, maxBody, requestTimeout, idleTimeout);
  }

  /** Returns these options with another port; 0 for any free one. */
  public AdminOptions withPort(int value) {
    return new AdminOptions(
        host, value, maxConnections, maxInFlight, maxBody, requestTimeout, idleTimeout);
  }

  /** Returns these options with another limit for open connections. */
  public AdminOptions withMaxConnections(int value) {
    return new AdminOptions(host, port, value, maxInFlight, maxBody, requestTimeout, idleTimeout);
  }

  /** Returns these options with another limit for requests being answered. */
  public AdminOptions withMaxInFlight(int value) {
    return new AdminOptions(
        host, port, maxConnections, value, maxBody, requestTimeout, idleTimeout);
  }

  /** Returns these options with another time limit for an answer. */
  public AdminOptions withRequestTimeout(Duration value) {
    return new AdminOptions(host, port, maxConnections, maxInFlight, maxBody, value, idleTimeout);
  }

  /** Returns these options with another limit for silent connections. */
  public AdminOptions withIdleTimeout(Duration value) {
    return new AdminOptions(
        host, port, maxConnections, maxInFlight, maxBody, requestTimeout, value);
  }
}
