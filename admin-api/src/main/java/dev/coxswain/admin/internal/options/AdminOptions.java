// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.options;

import dev.coxswain.admin.internal.json.Loopback;
import dev.coxswain.http.internal.ServerCertificate;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The address and the limits of the admin API.
 *
 * <p>Thread rule: immutable.
 *
 * @param host the address to bind to; without a certificate {@code localhost} or a literal loopback
 *     address, since plain HTTP would reveal tokens on any other
 * @param port the port, 0 for any free one
 * @param maxConnections open connections; more are closed at once
 * @param maxInFlight requests in flight; more get 503
 * @param maxBody the largest request body in bytes; more gets 413
 * @param requestTimeout the time limit of the first request of a connection, of the arrival of a
 *     body (then 408) and of the answer of a controller (then 503)
 * @param idleTimeout after which a connection without a request is closed
 * @param readsPerSecond read requests per second and caller, with a burst of twice as many; more
 *     get 429
 * @param changesPerSecond changes per second and caller, with a burst of twice as many; more get
 *     429
 * @param changes the policy for changes
 * @param certificate the certificate for TLS 1.2 and 1.3, or null for plain HTTP
 * @param links the addresses of what other systems show of an attempt, by {@code trace} or {@code
 *     logs}, with places such as <code>{traceId}</code>
 * @param notices what has happened to the cluster
 */
@RecordBuilder
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
    @Nullable ServerCertificate certificate,
    Map<String, String> links,
    NoticeSink notices)
    implements AdminOptionsBuilder.With {

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
          null,
          Map.of(),
          NoticeSink.NONE);

  public AdminOptions {
    links = Map.copyOf(links);
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

  /** Returns whether the API can be reached from this machine only. */
  public boolean loopback() {
    return Loopback.isLoopback(host);
  }
}
