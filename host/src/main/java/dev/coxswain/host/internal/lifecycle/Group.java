// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.lifecycle;

/**
 * A start phase: groups start in this order, one after the other, and stop in reverse order.
 *
 * <p>Thread rule: immutable.
 */
public enum Group {
  /**
   * Probes, metrics and the admin API: they begin first, so that a hanging start can be observed. The
   * next groups wait for the ports of probes and metrics, and not for the admin API, which takes
   * longest.
   */
  HTTP,
  /** Access to Kubernetes. */
  CACHES,
  /** The replica Lease. */
  MEMBERSHIP,
  /** The shared limiter. */
  LIMITER,
  /** The plug-ins, whose controllers start with the others. */
  PLUGINS,
  /** Controllers, and other permanent components. */
  ALWAYS_ON,
  /** The slots that this replica owns: the first to stop. */
  OWNED
}
