// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the admin API listens and what it puts up with.
 *
 * <p>Thread rule: immutable.
 *
 * @param host the address to bind to; without a certificate {@code localhost} or a literal loopback
 *     address, since tokens could be read on the way to any other
 * @param port the port, 0 for any free one
 * @param maxConnections open connections; more are closed at once
 * @param maxInFlight requests being answered; more get 503
 * @param maxBody the largest request body in bytes; more gets 413
 * @param requestTimeout how long a new connection has for its first request, a body for its arrival
 *     (then 408) and a controller for its answer (then 503)
 * @param idleTimeout after which a connection without a request is closed
 * @param readsPerSecond how many requests that look a caller may send per second, and twice as many
 *     at once; more get 429
 * @param changesPerSecond the same for requests that change something
 * @param changes how careful changes must be
 * @param certificate what to show by TLS 1.2 or 1.3, or null for plain HTTP
 */
public record AdminOptions(
    String host,
    int port,
    int maxConnections,
    int maxInFlight,
    int maxBody,
    Duration requestTimeout,
    Duration idleTimeout,
    int readsPerSecond,
    int changesPerSecond,
    ChangePolicy changes,
    @Nullable AdminCertificate certificate) {

  /** The default address. */
  public static final String DEFAULT_HOST = "127.0.0.1";

  /** The default port. */
  public static final int DEFAULT_PORT = 8090;

  /**
   * Loopback, port 8090, 512 connections, 64 requests, 64 KiB, 5 s, 30 s, 50 reads and 10 changes
   * per second and caller, no TLS.
   */
  public static final AdminOptions DEFAULT =
      new AdminOptions(
          DEFAULT_HOST,
          DEFAULT_PORT,
          512,
          64,
          64 * 1024,
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          50,
          10,
          ChangePolicy.DEFAULT,
          null);

  public AdminOptions {
    if (certificate == null && !Loopback.isLoopback(host)) {
      throw new IllegalArgumentException(
          "without TLS the admin API binds to loopback only, found host \""
              + host
              + "\"; give it a certificate, or use 127.0.0.1, ::1 or localhost and a port-forward");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be from 0 to 65535: " + port);
    }
    requireAtLeastOne(maxConnections, "maxConnections");
    requireAtLeastOne(maxInFlight, "maxInFlight");
    requireAtLeastOne(maxBody, "maxBody");
    requestTimeout = dev.coxswain.internal.time.Durations.clamp(requestTimeout);
    idleTimeout = dev.coxswain.internal.time.Durations.clamp(idleTimeout);
    requireAtLeastOne(requestTimeout.toMillis(), "requestTimeout in milliseconds");
    requireAtLeastOne(idleTimeout.toMillis(), "idleTimeout in milliseconds");
    requireAtLeastOne(readsPerSecond, "readsPerSecond");
    requireAtLeastOne(changesPerSecond, "changesPerSecond");
  }

  private static void requireAtLeastOne(long value, String name) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1: " + value);
    }
  }

  /** Returns whether only this machine reaches the API. */
  public boolean loopback() {
    return Loopback.isLoopback(host);
  }

  /** Returns these options with another address; loopback unless there is a certificate. */
  public AdminOptions withHost(String value) {
    return new AdminOptions(
        value,
        port,
        maxConnections,
        maxInFlight,
        maxBody,
        requestTimeout,
        idleTimeout,
        readsPerSecond,
        changesPerSecond,
        changes,
        certificate);
  }

  /** Returns these options with another port; 0 for any free one. */
  public AdminOptions withPort(int value) {
    return new AdminOptions(
        host,
        value,
        maxConnections,
        maxInFlight,
        maxBody,
        requestTimeout,
        idleTimeout,
        readsPerSecond,
        changesPerSecond,
        changes,
        certificate);
  }

  /** Returns these options with another limit for open connections. */
  public AdminOptions withMaxConnections(int value) {
    return new AdminOptions(
        host,
        port,
        value,
        maxInFlight,
        maxBody,
        requestTimeout,
        idleTimeout,
        readsPerSecond,
        changesPerSecond,
        changes,
        certificate);
  }

  /** Returns these options with another limit for requests being answered. */
  public AdminOptions withMaxInFlight(int value) {
    return new AdminOptions(
        host,
        port,
        maxConnections,
        value,
        maxBody,
        requestTimeout,
        idleTimeout,
        readsPerSecond,
        changesPerSecond,
        changes,
        certificate);
  }

  /** Returns these options with another time limit for an answer. */
  public AdminOptions withRequestTimeout(Duration value) {
    return new AdminOptions(
        host,
        port,
        maxConnections,
        maxInFlight,
        maxBody,
        value,
        idleTimeout,
        readsPerSecond,
        changesPerSecond,
        changes,
        certificate);
  }

  /** Returns these options with another limit for silent connections. */
  public AdminOptions withIdleTimeout(Duration value) {
    return new AdminOptions(
        host,
        port,
        maxConnections,
        maxInFlight,
        maxBody,
        requestTimeout,
        value,
        readsPerSecond,
        changesPerSecond,
        changes,
        certificate);
  }

  /** Returns these options with other rates for each caller. */
  public AdminOptions withRates(int reads, int perSecond) {
    return new AdminOptions(
        host,
        port,
        maxConnections,
        maxInFlight,
        maxBody,
        requestTimeout,
        idleTimeout,
        reads,
        perSecond,
        changes,
        certificate);
  }

  /** Returns these options with TLS. */
  public AdminOptions withCertificate(AdminCertificate value) {
    return new AdminOptions(
        host,
        port,
        maxConnections,
        maxInFlight,
        maxBody,
        requestTimeout,
        idleTimeout,
        readsPerSecond,
        changesPerSecond,
        changes,
        value);
  }

  /** Returns these options with another policy of changes. */
  public AdminOptions withChanges(ChangePolicy value) {
    return new AdminOptions(
        host,
        port,
        maxConnections,
        maxInFlight,
        maxBody,
        requestTimeout,
        idleTimeout,
        readsPerSecond,
        changesPerSecond,
        value,
        certificate);
  }
}
