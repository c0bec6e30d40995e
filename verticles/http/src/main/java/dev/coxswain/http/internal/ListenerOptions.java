// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.http.internal;

import java.time.Duration;

/**
 * What differs between listeners; the other bounds are equal for all of them.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the name in the log
 * @param host the address to bind to
 * @param port the port, 0 for any free one
 * @param connections the bounds of its connections
 * @param idle the time without a byte after which a connection is closed
 * @param http2 whether clients may choose HTTP/2; only with TLS
 */
public record ListenerOptions(
    String name,
    String host,
    int port,
    ConnectionBounds connections,
    Duration idle,
    boolean http2) {

  /** Creates options for HTTP/1.1, with the idle time of the connections. */
  public ListenerOptions(String name, String host, int port, ConnectionBounds connections) {
    this(name, host, port, connections, connections.idle(), false);
  }
}
