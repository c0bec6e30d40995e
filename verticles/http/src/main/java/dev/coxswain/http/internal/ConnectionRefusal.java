// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.http.internal;

import java.util.Locale;

/**
 * Why a server closed a connection that it would have kept otherwise.
 *
 * <p>Thread rule: immutable.
 */
public enum ConnectionRefusal {
  /** The remote address has used up its share of unknown connections. */
  ADDRESS,
  /** All unknown connections together have used up their share. */
  UNKNOWN,
  /** All connections together are at their limit. */
  TOTAL,
  /** No accepted request, or no complete request head, arrived in time. */
  SLOW;

  /** Returns the value of the metric's label. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
