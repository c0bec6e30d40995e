// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.http.internal;

import dev.coxswain.internal.process.DescriptorLimit;
import dev.coxswain.internal.time.Durations;
import java.time.Duration;

/**
 * The bounds of a server's open connections, and of their time without a request.
 *
 * <p>Thread rule: immutable.
 *
 * @param total open connections of all clients
 * @param unknown of these, connections that have not yet sent an accepted request; the rest is
 *     reserved for those that have
 * @param unknownPerAddress of the unknown ones, connections of one remote address
 * @param firstRequest how long an unknown connection has, from its opening, to send an accepted
 *     request
 * @param idle how long an accepted connection may wait for its next complete request head
 */
public record ConnectionBounds(
    int total, int unknown, int unknownPerAddress, Duration firstRequest, Duration idle) {

  /** The part of the file descriptors of the process that connections of a server may use. */
  private static final int PART = 16;

  public ConnectionBounds {
    if (unknownPerAddress < 1 || unknown < unknownPerAddress || total < unknown) {
      throw new IllegalArgumentException(
          "bounds must be 1 <= unknownPerAddress <= unknown <= total, found "
              + unknownPerAddress
              + ", "
              + unknown
              + ", "
              + total);
    }
    firstRequest = Durations.clamp(firstRequest);
    idle = Durations.clamp(idle);
    if (firstRequest.toMillis() < 1 || idle.toMillis() < 1) {
      throw new IllegalArgumentException("firstRequest and idle must be at least 1 ms");
    }
  }

  /**
   * Returns the bounds of a server whose clients may all have the same address.
   *
   * @param wanted the most connections, unless the process may have only few open files
   */
  public static ConnectionBounds ofAnyAddress(int wanted, Duration firstRequest, Duration idle) {
    int total = DescriptorLimit.connections(wanted, PART);
    return new ConnectionBounds(total, total, total, firstRequest, idle);
  }

  /**
   * Returns the bounds for a number of connections: three quarters of them may be unknown, an
   * eighth from one address.
   */
  public static ConnectionBounds of(int total, Duration firstRequest, Duration idle) {
    return new ConnectionBounds(
        total, Math.max(1, total * 3 / 4), Math.max(1, total / 8), firstRequest, idle);
  }
}
